"""A player at s-nail, whose mail goes out by SMTP to the host."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from pathlib import Path

from tests.peers.mail_programs.desk import PEERS
from tests.peers.mail_programs.terminal import Terminal, terminal
from tests.peers.settings import filled

PROGRAM = PEERS / "s-nail/usr/bin/s-nail"


_PROMPT = r"^\?\s*\Z"
_LAST_LINE = (
    r"^(?!\[-- )(.*\S)\s*\n(?:\[-- .* --\]\s*\n)*(?:New mail has arrived\.\n(?:.+\n)*)?\?\s*\Z"
)
"""Of a mail, behind which the parts that are not shown and new mail may be named."""


class Quote(Enum):
    """What an answer holds of the mail it answers."""

    NOTHING = auto()
    BELOW = auto()
    """The answer is typed first, then the mail is fetched with a tilde command."""
    ABOVE = auto()
    """The variable `quote` puts the mail into the draft before anything is typed."""


class SNail:
    """S-nail with a mailbox open in it."""

    def __init__(self, screen: Terminal) -> None:
        self._screen = screen
        self._last_line = ""
        """Of the mail that is open."""

    def set(self, variable: str) -> None:
        """Set a variable for the rest of the session."""
        self._command(f"set {variable}")

    def open(self, subject: str) -> None:
        """Wait for a mail with a Subject to come, and open it."""
        row = rf"^\W*\w* +(\d+) .*{re.escape(subject)}$"
        number = self._screen.wait_to_see(row, keys="from $\r")[1]
        self._command(f"type {number}")
        self._screen.wait_to_see(rf"^Subject: {re.escape(subject)}$")
        self._last_line = self._screen.wait_to_see(_LAST_LINE)[1].strip()

    def read(self, text: str) -> None:
        """Find a text in the mail that is open."""
        self._screen.wait_to_see(re.escape(text))

    def answer(self, text: str, quote: Quote) -> None:
        """Answer the mail that is open, recipient and Subject as s-nail offers them."""
        self._command("set quote" if quote is Quote.ABOVE else "unset quote")
        self._command("reply")
        begun = r"" if quote is Quote.ABOVE else r"\s*\Z"
        self._screen.wait_to_see(rf"^\? reply\n(?:Reply-To: .*\n)?To: .*\nSubject: Re: .*{begun}")
        if quote is Quote.ABOVE:
            self._screen.wait_to_see(rf"^\s+{re.escape(self._last_line)}\s*\Z")
            self._screen.type("\r")
        for line in text.splitlines():
            self._screen.type(f"{line}\r")
            self._screen.wait_to_see(rf"^{re.escape(line)}\s*\Z")
        if quote is Quote.BELOW:
            self._screen.type("~Q\r")
            self._screen.wait_to_see(r"^Interpolating: \d+\s*\Z")
        self._screen.type("~.\r")
        self._screen.wait_to_see(_PROMPT)
        assert "not sent" not in "\n".join(self._screen.shown)

    def _command(self, line: str) -> None:
        self._screen.wait_to_see(_PROMPT)
        self._screen.type(f"{line}\r")


@contextmanager
def at_s_nail(userid: str, mailbox: Path, home: Path, port: int) -> Iterator[SNail]:
    """Run s-nail for a player in the body of the `with`."""
    (home / "mailrc").write_text(filled("mailrc", userid=userid, home=home, port=port))
    environment = {"MAILRC": str(home / "mailrc"), "HOME": str(home), "TMPDIR": str(home)}
    environment |= {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "linux"}
    with terminal([PROGRAM, "-:u", "-f", mailbox], environment, home, rows=100) as screen:
        yield SNail(screen)

"""A player at mutt, whose mail goes out by the sendmail of the host."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.peers.mail_programs.desk import PEERS, SEND_ANYWAY
from tests.peers.mail_programs.terminal import Terminal, terminal
from tests.peers.settings import filled

PROGRAM, NANO = PEERS / "mutt/usr/bin/mutt", PEERS / "nano/bin/nano"


_INDEX = r"^-.*Mutt: (?!Compose)"
_PROMPTS = ("Reply to", "To:", "Subject: Re:", "Include message in reply?")
"""What mutt asks before an answer can be written; the first only where Reply-To is not From."""
_LEAVE = "\x18"
_FOLD_ALL = "\x1bV"


class Mutt:
    """Mutt with a mailbox open in it."""

    def __init__(self, screen: Terminal) -> None:
        self._screen = screen

    def write(self, address: str, subject: str, text: str) -> None:
        """Write a mail and send it."""
        self._screen.wait_to_see(_INDEX)
        self._screen.type("m")
        for prompt, typed in (("To:", address), ("Subject:", subject)):
            self._screen.wait_to_see(rf"^{prompt}\Z")
            self._screen.type(f"{typed}\r")
        self._send(text)

    def open(self, subject: str) -> None:
        """Wait for a mail with a Subject to come, and open it."""
        row = self._screen.wait_to_see(rf"^ *(\d+) .*{re.escape(subject)}$", keys="*")
        self._screen.type(f"{row[1]}\r")
        self._screen.type("\r")
        self._screen.wait_to_see(rf"^Subject: {re.escape(subject)}$")

    def read(self, text: str) -> None:
        """Find a text in the mail that is open."""
        self._screen.wait_to_see(re.escape(text))

    def answer(self, text: str) -> None:
        """Answer the mail that is open: a text above the quote, all else as mutt offers it."""
        self._screen.type("r")
        asked = list(_PROMPTS)
        while asked:
            either = "|".join(map(re.escape, asked))
            prompt = self._screen.wait_to_see(rf"^({either}).*\Z")[1]
            self._screen.type("\r")
            del asked[: asked.index(prompt) + 1]
        self._send(text)
        self._screen.type("i")
        self._screen.wait_to_see(_INDEX)

    def close(self) -> None:
        """Close the mail that is open."""
        self._screen.type("i")
        self._screen.wait_to_see(_INDEX)

    def tree(self) -> list[str]:
        """Sort the mailbox by threads, and return its lines."""
        self._screen.type("o")
        self._screen.wait_to_see(r"^Sort .*Thread.*\Z")
        self._screen.type("t")
        self._screen.wait_to_see(r"\(threads/date\)")
        return self._lines()

    def folded(self) -> list[str]:
        """Fold all threads of the mailbox, and return a line for each."""
        self._screen.type(_FOLD_ALL)
        self._screen.wait_to_see(r"^ *1 .*\n\n+-.*Mutt: ")
        return self._lines()

    def _lines(self) -> list[str]:
        return [line for line in self._screen.shown if re.match(r" *\d+ ", line)]

    def _send(self, text: str) -> None:
        type_above(self._screen, text)
        self._screen.wait_to_see(r"^y:Send")
        self._screen.rest()
        self._screen.type("y")
        self._screen.wait_to_see(r"^Mail sent\.")


def type_above(screen: Terminal, text: str) -> None:
    """Type lines above what the draft holds, and leave the editor, which writes the draft."""
    screen.wait_to_see(r"GNU nano")
    screen.wait_to_see(r"\[ Read \d+ lines? \]")
    screen.type(text.replace("\n", "\r") + "\r\r")
    screen.wait_to_see(rf"^{re.escape(text.splitlines()[-1])}$")
    screen.type(_LEAVE)
    screen.wait_to_see(r"^Save modified buffer\?")
    screen.type("y")
    screen.wait_to_see(r"^File Name to Write:")
    screen.type("\r")


@contextmanager
def at_mutt(userid: str, mailbox: Path, home: Path, sendmail: str) -> Iterator[Mutt]:
    """Run mutt for a player in the body of the `with`; `sendmail` is a command."""
    settings = filled(
        "muttrc",
        userid=userid,
        mailbox=mailbox,
        home=home,
        sendmail=sendmail,
        editor=NANO,
        send_anyway=SEND_ANYWAY,
    )
    (home / ".muttrc").write_text(settings)
    (home / "Mail").mkdir()
    environment = {"HOME": str(home), "TMPDIR": str(home), "LC_ALL": "C.UTF-8", "TERM": "linux"}
    environment |= {"PATH": "/usr/bin:/bin"}
    with terminal([PROGRAM, "-n"], environment, home, rows=100) as screen:
        yield Mutt(screen)

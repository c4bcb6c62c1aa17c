"""Sessions of the operator as people can read them, in `sessions/`: commands and what they print.

A file begins with who has signed up (or `samples`: the home holds the sample games alone) and with
lines that come before each of its sessions; a line `== ..` begins a session. In it, a line is one
of these, or one of `tests/support/conversation.py` with `told`, `<`, `>` or `reads`:

    $ games list                a command; what it prints follows, and `[1]` if it ends with 1
    < TEXT                      a line that the command above reads
    edit oust/2.txt: OLD => NEW changes a file of the home
    remove oust/2.txt           removes one
    make copy                   makes a folder there

In what is printed, `...` stands for anything, and a line of it for any lines; the lines that tell
of the right usage are left out.
HOME is the folder of the home, SAMPLES that of the sample games.
"""

import re
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pbm_oust.store.home import Home
from tests.support.command_line import run
from tests.support.conversation import Conversation, address_of
from tests.support.histories import SAMPLES, lay_samples
from tests.support.home_by_mail import ADDRESS, Talk, home_of
from tests.support.outbox import letters
from tests.support.tables import scripted

FOLDER = Path(__file__).parent / "sessions"
USAGE = re.compile(r"\AUsage: .*\nTry .*\n\n")
DIRECTIVE = re.compile(r"\$ |told: |\w+ (<|>|reads:) |edit |remove |make ")


class Session(Conversation):
    """A session that goes on line by line."""

    def goes_on(self, line: str) -> bool:
        return not DIRECTIVE.match(line)

    def take(self, line: str, further: list[str]) -> None:
        """Do what a line says, or fail unless it is so."""
        path = self.talk.home.path
        line = line.replace("HOME", str(path)).replace("SAMPLES", str(SAMPLES))
        word, _, rest = line.partition(" ")
        if word == "$":
            before = set(self.talk.home.outbox.letters())
            self.run(shlex.split(rest), [each.replace("HOME", str(path)) for each in further])
            self.got(letters(self.talk.home, but=before))
        elif word == "edit":
            name, _, change = rest.partition(": ")
            old, new = change.split(" => ")
            text = (path / name).read_text()
            assert old in text
            (path / name).write_text(text.replace(old, new, 1))
        elif word == "remove":
            (path / rest).unlink()
        elif word == "make":
            (path / rest).mkdir()
        else:
            super().take(line, further)

    def run(self, words: list[str], following: list[str]) -> None:
        """Run a command and compare what it prints, and its status."""
        said = [each.removeprefix("< ") for each in following if each.startswith("< ")]
        printed = [each for each in following if not each.startswith("< ")]
        status = (
            int(printed.pop().strip("[]")) if printed and re.match(r"\[\d\]", printed[-1]) else 0
        )
        stdin = "".join(f"{each}\n" for each in said)
        result = run(self.talk.home, *words, stdin=stdin)
        pattern = "".join(
            r"(?:.*\n)*" if each == "..." else re.escape(each).replace(r"\.\.\.", ".*") + r"\n"
            for each in printed
        )
        told = USAGE.sub("", result.output)
        assert re.fullmatch(pattern, told), told
        assert result.exit_code == status


@scripted(FOLDER)
def test_a_session_goes_as_it_is_written(
    players: Sequence[str], before: Sequence[str], lines: Sequence[str], tmp_path: Path
) -> None:
    path = tmp_path / "home"
    if players == ("samples",):
        lay_samples(path)
    else:
        home_of(path, *map(address_of, players)).close()
        (path / "pbm_oust.toml").write_text(f'address = "{ADDRESS}"\n')
    talk = Talk(Home(path), datetime.now(UTC) - timedelta(days=10))
    Session(talk).say([*before, *lines])

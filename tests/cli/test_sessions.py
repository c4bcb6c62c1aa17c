"""Sessions of the operator as people can read them, in `sessions/`: commands and what they print.

A file begins with who has signed up (or `samples`: the home holds the sample games alone) and with
lines that come before each of its sessions; a line `== ..` begins a session. In it, a line is one
of these, or one of `tests/support/conversation.py` with `told`, `<`, `>`, `reads`, `later`
or `comes back`:

    $ games list                a command; what it prints follows, and `[1]` if it ends with 1; with
                                `> FILE` it prints into a file, with `< FILE` it reads one
    < TEXT                      a line that the command above reads
    edit oust/2.txt: OLD => NEW changes a file of the home; with escapes of Python
    damage oust/2.txt: OLD => NEW  does so, and lets it be the history of its board, as in a home
                                that was made from it
    write oust/2.txt: BYTES     writes one, with such escapes
    remove oust/2.txt           removes one
    make copy                   makes a folder there
    holds oust: 1.txt, 2.txt    the files of a folder, or nothing
    same oust/2.txt copy/2.txt  two files have the same content
    sql: UPDATE boards ..       changes the database

In what is printed, `...` stands for anything, and a line of it for any lines; the lines that tell
of the right usage are left out.
HOME is the folder of the home, OTHER a place beside it, SAMPLES the folder of the sample games.
"""

import re
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pbm_oust.store.home import Home
from tests.support.command_line import run
from tests.support.conversation import Conversation, address_of
from tests.support.histories import SAMPLES, lay_samples, make_from_files
from tests.support.home_by_mail import ADDRESS, Talk, home_of
from tests.support.outbox import letters
from tests.support.tables import scripted, unescaped

FOLDER = Path(__file__).parent / "sessions"
USAGE = re.compile(r"\AUsage: .*\nTry .*\n\n")
DEEDS = r"\$ |edit |damage |write |remove |make |holds |same |sql: "
MAILED = r"told: |later: |(\d+ times: )?comes back |\S+ (<|>|reads:) "
DIRECTIVE = re.compile(f"{DEEDS}|{MAILED}")


class Session(Conversation):
    """A session that goes on line by line."""

    def goes_on(self, line: str) -> bool:
        return not DIRECTIVE.match(line)

    def take(self, line: str, further: list[str]) -> None:
        """Do what a line says, or fail unless it is so."""
        path = self.talk.home.path
        line, *further = (self.meant(each) for each in (line, *further))
        word, _, rest = line.partition(" ")
        name, _, content = rest.partition(": ")
        if word == "$":
            before = set(self.talk.home.outbox.letters())
            self.run(rest, further)
            self.got(letters(self.talk.home, but=before))
        elif word in ("edit", "damage"):
            old, new = map(unescaped, content.split(" => "))
            text = (path / name).read_text()
            assert old in text
            (path / name).write_text(text.replace(old, new, 1))
            if word == "damage":
                make_from_files(path)
        elif word == "write":
            (path / name).write_bytes(unescaped(content).encode("latin-1"))
        elif word == "remove":
            self.talk.home.database.close()
            (path / rest).unlink()
        elif word == "make":
            (path / rest).mkdir()
        elif word == "holds":
            found = ", ".join(sorted(each.name for each in (path / name).iterdir()))
            assert (found or "nothing") == content
        elif word == "same":
            one, other = rest.split()
            assert (path / one).read_bytes() == (path / other).read_bytes()
        elif word == "sql:":
            self.talk.home.do(lambda transaction: transaction.run(rest))
        else:
            super().take(line, further)

    def meant(self, line: str) -> str:
        """Return a line with the names of places for what they stand for."""
        home = self.talk.home.path
        places = {"HOME": home, "OTHER": home.with_name("other"), "SAMPLES": SAMPLES}
        return re.sub("|".join(places), lambda found: str(places[found[0]]), line)

    def run(self, line: str, following: list[str]) -> None:
        """Run a command and compare what it prints, and its status."""
        line, into, written = line.partition(" > ")
        line, _, read = line.partition(" < ")
        words = shlex.split(line)
        said = [each.removeprefix("< ") for each in following if each.startswith("< ")]
        printed = [each for each in following if not each.startswith("< ")]
        status = (
            int(printed.pop().strip("[]")) if printed and re.match(r"\[\d\]", printed[-1]) else 0
        )
        stdin = Path(read).read_bytes() if read else "".join(f"{each}\n" for each in said).encode()
        result = run(self.talk.home, *words, stdin=stdin)
        assert result.exit_code == status, result.output
        if into:
            Path(written).write_text(result.output)
            return
        pattern = "".join(
            r"(?:.*\n)*" if each == "..." else re.escape(each).replace(r"\.\.\.", ".*") + r"\n"
            for each in printed
        )
        told = USAGE.sub("", result.output)
        assert re.fullmatch(pattern, told), told


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

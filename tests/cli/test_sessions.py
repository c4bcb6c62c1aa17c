"""Sessions of the operator as people can read them, in `sessions/`: commands and what they print.

A file begins with who has signed up (or `samples`: the home holds the sample games alone) and with
lines that come before each of its sessions; a line `== ..` begins a session. In it, a line is one
of these:

    $ games list                a command; what it prints follows, and `[1]` if it ends with 1
    < TEXT                      a line that the command above reads
    mail alice: LINE            a mail of somebody; the lines of its text follow with `  | `
    told: alice, bob            who gets letters about what is above, in their order, or nobody
    alice < SUBJECT             a letter about what is above
    alice reads: WORDS          words in the letters to somebody about what is above
    edit oust/2.txt: OLD => NEW changes a file of the home
    remove oust/2.txt           removes one
    make copy                   makes a folder there

In what is printed, `...` stands for anything, and a line of it for any lines; the lines that tell
of the right usage are left out.
HOME is the folder of the home, SAMPLES that of the sample games.
"""

import re
import shlex
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.command_line import run
from tests.support.histories import SAMPLES, lay_samples
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, CAROL, home_of, mailed
from tests.support.outbox import Letter, letters
from tests.support.tables import scripts

FOLDER = Path(__file__).parent / "sessions"
PLAYERS = {"alice": ALICE, "bob": BOB, "carol": CAROL}
ABOUT_LETTERS = re.compile(r"(\w+) (<|reads:) (.+)")
USAGE = re.compile(r"\AUsage: .*\nTry .*\n\n")
DIRECTIVE = re.compile(r"\$ |mail \w+: |told: |\w+ (<|reads:) |edit |remove |make ")


@dataclass
class Session:
    """A session that goes on line by line."""

    home: Path
    before: set[str] = field(default_factory=set)
    """The letters from before the latest deed."""

    def go_on(self, lines: list[str]) -> None:
        """Take all lines, each deed with what belongs to it."""
        waiting = list(lines)
        while waiting:
            line, following = waiting.pop(0), list[str]()
            while waiting and not DIRECTIVE.match(waiting[0]):
                following.append(waiting.pop(0).replace("HOME", str(self.home)))
            line = line.replace("HOME", str(self.home)).replace("SAMPLES", str(SAMPLES))
            self.take(line, following)

    def take(self, line: str, following: list[str]) -> None:
        """Do what a line says, or fail unless it is so."""
        word, _, rest = line.partition(" ")
        if word == "$":
            self.forget_letters()
            self.run(shlex.split(rest), following)
        elif word == "mail":
            self.forget_letters()
            who, _, said = rest.partition(": ")
            text = "\n".join(each.removeprefix("  | ") for each in following)
            at = datetime.now(UTC) - timedelta(days=10)
            mailed(Home(self.home), PLAYERS[who], said, text, at=at)
        elif word == "edit":
            name, _, change = rest.partition(": ")
            old, new = change.split(" => ")
            text = (self.home / name).read_text()
            assert old in text
            (self.home / name).write_text(text.replace(old, new, 1))
        elif word == "remove":
            (self.home / rest).unlink()
        elif word == "make":
            (self.home / rest).mkdir()
        elif word == "told:":
            told = [] if rest == "nobody" else [PLAYERS[each] for each in rest.split(", ")]
            assert [letter.to for letter in self.letters()] == told
        else:
            self.look_at_letters(line)

    def run(self, words: list[str], following: list[str]) -> None:
        """Run a command and compare what it prints, and its status."""
        said = [each.removeprefix("< ") for each in following if each.startswith("< ")]
        printed = [each for each in following if not each.startswith("< ")]
        status = (
            int(printed.pop().strip("[]")) if printed and re.match(r"\[\d\]", printed[-1]) else 0
        )
        stdin = "".join(f"{each}\n" for each in said)
        result = run(self.home, *words, stdin=stdin)
        pattern = "".join(
            r"(?:.*\n)*" if each == "..." else re.escape(each).replace(r"\.\.\.", ".*") + r"\n"
            for each in printed
        )
        told = USAGE.sub("", result.output)
        assert re.fullmatch(pattern, told), told
        assert result.exit_code == status

    def forget_letters(self) -> None:
        self.before = {letter.name for letter in letters(Home(self.home))}

    def letters(self) -> list[Letter]:
        """Return the letters about the latest deed."""
        return letters(Home(self.home), but=self.before)

    def look_at_letters(self, line: str) -> None:
        found = ABOUT_LETTERS.fullmatch(line)
        assert found, f"no line of a session: {line}"
        who, what, words = found.groups()
        own = [letter for letter in self.letters() if letter.to == PLAYERS[who]]
        if what == "<":
            assert words in [letter.subject for letter in own]
        else:
            assert any(words in letter.words for letter in own), own


@pytest.mark.parametrize(
    ("players", "lines"),
    [
        pytest.param(players, before + lines, id=name)
        for name, players, before, lines in scripts(FOLDER)
    ],
)
def test_a_session_goes_as_it_is_written(
    players: list[str], lines: list[str], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    if players == ["samples"]:
        lay_samples(home)
    else:
        home_of(home, *map(PLAYERS.__getitem__, players)).close()
        (home / "pbm_oust.toml").write_text(f'address = "{ADDRESS}"\n')
    Session(home).go_on(lines)

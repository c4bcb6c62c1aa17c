"""Conversations as people can read them, in `talks/`: what is mailed, and what comes of it.

A file begins with who has signed up and with mails that come before each of its conversations;
a line `== ..` begins a conversation. In it, a line is one of these:

    alice > LINE                a mail with this Subject; with `>#7` it is the same mail each time
    alice >> TEXT               an answer to the latest letter to alice
    bob >>(alice) TEXT          an answer to a letter that somebody else has got, or that was kept
      | TEXT                    a line of the text of the mail above
    keep old: alice             keeps the latest letter to alice under a name
    later: 3 days               lets time go by; `sweep` lets the server do what is due, and
                                `restart` begins it anew
    told: alice, bob            who gets letters about the latest mail, in their order, or nobody
    alice < SUBJECT             a letter about the latest mail, with the whole Subject
    alice reads: WORDS          words in the letters to alice about the latest mail
    alice reads not: WORDS      words that are not there
    alice in: fr                the language of the letter to alice about the latest mail
    outcome: done: move         what became of the latest mail, as the log has it
    board oust 1: x C3, o D4    what was done on a board, or nothing
    no board oust 2             there is none

CODE(alice) in a LINE is the latest code that was mailed to alice, CODE(alice, -2) the one before.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email.utils import parseaddr
from functools import cache
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.accounts import codes
from tests.support.histories import board_numbers, moves_of
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk, copy_of
from tests.support.outbox import Letter
from tests.support.tables import scripts

FOLDER = Path(__file__).parent / "talks"
PLAYERS = {"alice": ALICE, "bob": BOB, "carol": CAROL}
MAIL = re.compile(r"(\S+) (>>?)(?:\((\w+)\))?(?:#(\d+))? ?(.*)")
READS = re.compile(r"(\S+) reads( not)?: (.+)")
BOARD = re.compile(r"board (\w+) (\d+): (.+)")
CODE = re.compile(r"CODE\((\S+?)(?:, (-\d))?\)")
LATER = re.compile(r"later: (\d+) (days?|hours?|minutes?)")


def address_of(name: str) -> str:
    return PLAYERS.get(name, name)


@dataclass
class Conversation:
    """A conversation that goes on line by line."""

    talk: Talk
    latest: dict[str, Letter] = field(default_factory=dict)
    """The latest letter to each address, and those that were kept."""

    def say(self, lines: list[str]) -> None:
        """Take all lines, each mail with the lines of its text."""
        waiting = list(lines)
        while waiting:
            line, text = waiting.pop(0), list[str]()
            while waiting and waiting[0].startswith("  |"):
                text.append(waiting.pop(0)[4:])
            self.take(line, "\n".join(text))

    def take(self, line: str, text: str) -> None:
        """Do what a line says, or fail unless it is so."""
        talk = self.talk
        if mail := MAIL.fullmatch(line):
            sender, arrow, to, number, said = mail.groups()
            said = CODE.sub(
                lambda code: self.code_to(address_of(code[1]), int(code[2] or -1)), said
            )
            if arrow == ">":
                talk.send(address_of(sender), said, text, number=int(number or 0))
            else:
                self.answer(address_of(sender), address_of(to or sender), f"{said}\n{text}", number)
            self.latest |= {letter.to: letter for letter in talk.letters}
        elif reads := READS.fullmatch(line):
            texts = [each.words for each in talk.letters if each.to == address_of(reads[1])]
            assert texts
            told = " ".join(texts)
            assert (reads[3] in told) is not bool(reads[2]), told
        elif board := BOARD.fullmatch(line):
            moves = [] if board[3] == "nothing" else board[3].split(", ")
            assert moves_of(talk.home, int(board[2]), board[1]) == moves
        elif later := LATER.fullmatch(line):
            talk.now += timedelta(**{later[2].rstrip("s") + "s": int(later[1])})
        elif line == "sweep":
            talk.sweep()
            self.latest |= {letter.to: letter for letter in talk.letters}
        elif line == "restart":
            talk.home.close()
            talk.home = Home(talk.home.path)
        else:
            self.compare(line)

    def answer(self, sender: str, got: str, text: str, number: str | None) -> None:
        """Answer a letter as mail programs do."""
        letter = self.latest[got]
        _, to = parseaddr(letter["Reply-To"] or str(letter["From"]))
        self.talk.answer(letter, text, sender, to=to, number=int(number or 0))

    def code_to(self, address: str, nth: int) -> str:
        """Return one of the codes that were mailed to an address."""
        return [code for to, code in codes(self.talk.home) if to == address][nth]

    def compare(self, line: str) -> None:
        """Compare the rest of what a line may say."""
        what, _, words = line.partition(": ")
        if what == "told":
            told = [] if words == "nobody" else list(map(address_of, words.split(", ")))
            assert [letter.to for letter in self.talk.letters] == told
        elif what == "outcome":
            assert self.talk.outcome == words
        elif what.endswith(" in"):
            to = address_of(what.removesuffix(" in"))
            assert self.talk.letter_to(to)["Content-Language"] == words
        elif what.startswith("no board "):
            kind, board = what.split()[2:]
            assert int(board) not in board_numbers(self.talk.home, kind)
        elif what.startswith("keep "):
            self.latest[what.removeprefix("keep ")] = self.latest[address_of(words)]
        else:
            name, arrow, subject = line.partition(" < ")
            assert arrow, f"no line of a conversation: {line}"
            to = address_of(name)
            assert subject in [each.subject for each in self.talk.letters if each.to == to], (
                self.talk.letters
            )


Lines = tuple[str, ...]


def begun(path: Path, players: Lines, lines: Lines) -> Conversation:
    """Return a conversation in a new home, after what comes before it."""
    conversation = Conversation(Talk.begin(path, *map(address_of, players)))
    conversation.say(list(lines))
    return conversation


@pytest.fixture(scope="session")
def begun_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Lines, Lines], Conversation]:
    """Return what begins conversations whose homes are to be copied."""
    return cache(lambda players, lines: begun(tmp_path_factory.mktemp("begun"), players, lines))


@pytest.mark.parametrize(
    ("players", "before", "lines"),
    [
        pytest.param(tuple(players), tuple(before), tuple(filter(None, lines)), id=name)
        for name, players, before, lines in scripts(FOLDER)
    ],
)
def test_a_conversation_goes_as_it_is_written(
    players: Lines,
    before: Lines,
    lines: Lines,
    place: Path,
    begun_once: Callable[[Lines, Lines], Conversation],
) -> None:
    if (place / "pbm_oust.toml").exists():
        conversation = begun(place, players, before)
    else:
        first = begun_once(players, before)
        talk = replace(first.talk, home=copy_of(first.talk.home, place))
        conversation = Conversation(talk, dict(first.latest))
    conversation.say(list(lines))
    conversation.talk.home.close()

"""What the index says about a board, made from its history. Pure.

A history that ends with its result is believed: its header is read, each record is checked for its
form, number, time and message key, and the owners follow from the records that change them. If that
needs the rules, because a turn was taken back or the board goes on, all of it is replayed.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from enum import Enum
from functools import lru_cache
from pathlib import Path

from pbm_oust.accounts.clock import earliest_ruling
from pbm_oust.board.game import Game
from pbm_oust.board.header import Header
from pbm_oust.board.history import BadHistory, read_header
from pbm_oust.board.notation import USERID, format_time, parse_time
from pbm_oust.board.ratings import Finish
from pbm_oust.board.record import Deed, Verb
from pbm_oust.board.rename import userids_in
from pbm_oust.board.summary import Summary
from dataclasses import dataclass, replace
import re
from pbm_oust.rules.grid import parse_grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import How, Result, Side
from pbm_oust.store.columns import parse_outcome

_STARTED = re.compile(rb"\n# challenge ([0-9a-f]{16})\n(?:# ([a-z]{1,16}) ([1-9][0-9]{0,8})\n)?")
_RECORDS = re.compile(
    rb"(?: {0,3}+[0-9]++ [xo*] \S.{24,}? [0-9]{4}-[0-9][0-9]-[0-9][0-9]"
    rb"T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z [0-9a-f]{16}\n|#.*\n)*+"
)
"""Records and remarks. Of each record, what follows has a fixed place from one of its ends."""
_NUMBER, _FIRST, _ACTION = slice(4), 7, slice(7, -38)
_TIME, _KEY = slice(-37, -17), slice(-16, None)
_HASH, _Z = b"#Z"
_ADOPTION = re.compile(rf"{Verb.ADOPT.value} ([xo]) ({USERID.pattern})")
_ASKS_THE_RULES = re.compile(rf"{Deed.ACCEPT.value}|{Deed.RETRACT.value}|{Verb.UNDO.value} [0-9]+")


@dataclass(frozen=True, slots=True)
class BoardName:
    """A board by its kind and number; boards are in the order of the registry of kinds."""

    kind: str
    board: int

    def __lt__(self, other: "BoardName") -> bool:
        return self._place < other._place

    @property
    def _place(self) -> tuple[int, int]:
        return list(KINDS).index(self.kind), self.board

    def __str__(self) -> str:
        return f"{self.kind} {self.board}"

    def file_in(self, folder: Path) -> Path:
        """Return the path of the file of the board's history below a folder."""
        return folder / self.kind / f"{self.board}.txt"


class State(Enum):
    """The state of a board."""

    ACTIVE = "active"
    OVER = "over"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class Source:
    """What a board came from, if only one board may come from it: open challenge 5 of its game."""

    word: str
    """Its word, in small letters: `seek`."""
    number: int

    @property
    def remark(self) -> bytes:
        """Its line in a history, right below the one with the message key."""
        return f"# {self.word} {self.number}\n".encode()


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index says about a board whose history replays."""

    name: BoardName
    grid: str
    x: str
    """The userid that owns side x at the end of the history."""
    o: str
    to_move: str | None
    """The userid that acts next; None if the game is over."""
    result: Result | None
    is_rated: bool
    """Whether the players agreed that the game counts."""
    started: datetime
    latest: datetime
    """When the latest record was made, or the board was started."""
    records: int
    due: datetime | None
    """The earliest moment when something can be due; None if the game is over."""

    @property
    def state(self) -> State:
        """Whether the game goes on."""
        return State.OVER if self.result else State.ACTIVE

    @property
    def owners(self) -> frozenset[str]:
        """The userids that own the sides."""
        return frozenset((self.x, self.o))

    @property
    def summary(self) -> Summary:
        """What a list says about the board."""
        return Summary(
            KINDS[self.name.kind],
            self.name.board,
            parse_grid(self.grid),
            self.x,
            self.o,
            self.to_move,
            self.result,
            self.records,
            self.latest,
        )

    @property
    def finish(self) -> Finish | None:
        """How the game ended, if it counts for ratings."""
        if not self.is_rated or self.result is None or self.result.how is How.VOID:
            return None
        kind, board = KINDS[self.name.kind], self.name.board
        grid, winner = parse_grid(self.grid), self.result.winner
        return Finish(kind, board, grid, self.x, self.o, winner, self.latest)


@dataclass(frozen=True, slots=True)
class Damage:
    """What the index says about a board whose history does not replay."""

    name: BoardName
    x: str | None
    """The userid that owned side x at the start; None if the header cannot be read."""
    o: str | None
    line: int
    """The line at fault."""
    reason: str


@dataclass(frozen=True, slots=True)
class Told:
    """What the index keeps of the words of a history, whatever the rules say of it."""

    userids: frozenset[str]
    """All userids in it."""
    challenge: str | None = None
    """The message key of the mail that started the board."""
    source: Source | None = None
    """What the board came from, if not from the mail alone."""

    def with_records(self, text: bytes) -> "Told":
        """Return what a history tells with more lines: records, and a result."""
        return replace(self, userids=self.userids | userids_in(b"\n" + text))


@dataclass(frozen=True, slots=True)
class Reading:
    """All that the index keeps about a history."""

    entry: Entry | Damage
    told: Told


def read_told(data: bytes) -> Told:
    """Return what a history tells without being replayed."""
    started = _STARTED.search(data)
    source = Source(started[2].decode(), int(started[3])) if started and started[2] else None
    return Told(userids_in(data), started[1].decode() if started else None, source)


def entry_of(game: Game) -> Entry:
    """Return what the index says about the board of a game."""
    header, result = game.header, game.result
    return Entry(
        name=BoardName(header.kind.name, header.board),
        grid=str(header.grid),
        x=game.x,
        o=game.o,
        to_move=None if result else game.player_to_move,
        result=result,
        is_rated=header.terms.rated,
        started=header.started,
        latest=game.latest,
        records=len(game.records),
        due=earliest_ruling(game),
    )


def read_damage(name: BoardName, data: bytes, error: BadHistory) -> Reading:
    """Return what the index says about a history that is damaged."""
    header = None
    with suppress(BadHistory):
        header = read_header(data)
    x, o = (header.x, header.o) if header else (None, None)
    return Reading(Damage(name, x, o, error.line, error.reason), read_told(data))


def believe(name: BoardName, data: bytes) -> Reading | None:
    """Return what the index says about a history that ends with its result, without replaying it.

    None for any other history, and if all of it has to be replayed.
    """
    head, _, body = data.partition(b"\n\n")
    records, is_ended, end = body.rpartition(b"= ")
    if not is_ended or not end.endswith(b"\n") or not _RECORDS.fullmatch(records):
        return None
    try:
        result = parse_outcome(KINDS[name.kind], end[:-1].decode())
        header = read_header(head + b"\n\n")
        if BoardName(header.kind.name, header.board) != name:
            return None
        course = _tell(records.split(b"\n")[:-1], header)
    except (BadHistory, ValueError):
        return None
    entry = Entry(
        name=name,
        grid=str(header.grid),
        x=course.x,
        o=course.o,
        to_move=None,
        result=result,
        is_rated=header.terms.rated,
        started=header.started,
        latest=course.latest,
        records=course.records,
        due=None,
    )
    return Reading(entry, read_told(data))


@dataclass(frozen=True, slots=True)
class _Course:
    """What the records of a history say without being replayed."""

    x: str
    o: str
    latest: datetime
    records: int


def _tell(lines: Iterable[bytes], header: Header) -> _Course:
    """Return what the lines below a header say. Raises ValueError if they need the rules."""
    records = [line for line in lines if line[0] != _HASH]
    numbers, keys = [line[_NUMBER] for line in records], {line[_KEY] for line in records}
    times = [format_time(header.started).encode(), *[line[_TIME] for line in records]]
    are_next = numbers == _numbers(len(records))
    if not (are_next and len(keys) == len(records) and sorted(times) == times):
        raise ValueError("these are not records that follow one another")
    x, o = header.x, header.o
    actions = [line[_ACTION] for line in records if line[_FIRST] > _Z]  # all but placements
    for action in (each.rstrip().decode() for each in actions):
        adoption = _ADOPTION.fullmatch(action)
        if adoption:
            x, o = (adoption[2], o) if adoption[1] == Side.X.value else (x, adoption[2])
        elif action == Deed.SWAP.value:
            x, o = o, x
        elif _ASKS_THE_RULES.fullmatch(action):
            raise ValueError("the owners may have changed by this")
    return _Course(x, o, parse_time(times[-1].decode()), len(records))


@lru_cache
def _numbers(most: int) -> list[bytes]:
    """Return how histories write the numbers from 1 to this one."""
    return [b"%4d" % number for number in range(1, most + 1)]

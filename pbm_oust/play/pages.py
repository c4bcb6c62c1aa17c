"""Lists in letters: a page of at most so many lines, and the command for what follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from msgspec import Struct

from pbm_oust.grammar.notation import Command
from pbm_oust.grammar.parts import Option
from pbm_oust.play.notices import Notice
from pbm_oust.rules.position import Kind
from pbm_oust.store.index import Part

MOST_LISTED = 50
MOST_DRAWN = 10


class Room(Struct, frozen=True):
    """What an answer has room for; several commands of one mail share it."""

    lines: int = MOST_LISTED
    """How many lines each list may have."""
    boards: int = MOST_DRAWN

    def has_boards_of(self, notice: Notice) -> bool:
        """Return whether there is room for the boards that a notice shows."""
        return len(notice.shows()) <= self.boards

    def beside(self, notice: Notice) -> "Room":
        """Return what is left beside a notice."""
        drawn = len(notice.shows())
        return Room(max(0, self.lines - notice.listed()), max(0, self.boards - drawn))


WHOLE_LETTER = Room()
"""The room of a letter in which nothing is yet."""


LAST_PAGE = 9999
"""The highest page that can be asked for."""

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Page(Generic[T_co]):
    """A page of a list, with as many of its lines as a letter has room for."""

    number: int
    rows: Sequence[T_co]
    count: int
    """The number of lines of the whole list."""
    most: int = MOST_LISTED
    """How many lines the letter has room for."""

    @property
    def first(self) -> int:
        """The place of its first line in the list, from 1 on."""
        return part_of(self.number, self.most).skipped + 1

    @property
    def left_out(self) -> int:
        """How many lines come after these."""
        return max(0, self.count + 1 - self.first - self.most)

    @property
    def following(self) -> int:
        """The number of the page that has the next line; this one, if it is not here whole."""
        return self.number if self.most < MOST_LISTED else self.number + 1

    @property
    def last(self) -> int:
        """The number of the last page."""
        return max(1, -(-self.count // MOST_LISTED))

    @property
    def is_beyond(self) -> bool:
        """Whether the list has fewer pages."""
        return self.number > self.last


def part_of(number: int, most: int) -> Part:
    """Return which part of a list a page has, in a letter with room for so many lines."""
    return Part(most, (number - 1) * MOST_LISTED)


def _read(_kind: Kind, value: str | None) -> int:
    number = int(value) if value and value.isascii() and value.isdigit() else 0
    if not 1 <= number <= LAST_PAGE:
        raise ValueError("not a page")
    return number


def _write(_kind: Kind, number: int) -> str:
    return f"-page={number}"


PAGE = Option("page", lambda _kind: ("-page=2",), _read, _write, takes="page", sets="page")
"""The option that chooses a page of a list."""


def page_of(command: Command) -> dict[str, object]:
    """Return what a command must set by options: its page, unless that is the first one."""
    number = getattr(command, PAGE.sets)
    return {} if number == 1 else {PAGE.sets: number}

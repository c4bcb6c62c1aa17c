"""A thing that accounts keep, such as notes: how it is stored, written and handed over. Pure.

Each noun has one `Kept`, which says what the rows of its table hold, how a person reads it, and
what becomes of it when a player gets another userid or two accounts are merged:

    NOTES = Kept(name="notes", key="Note", columns=(..), empty={}, ..)
    NOTES.of(account)["oust 17"]
    NOTES.put(account, {})
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Generic, TypeVar, cast

from pbm_oust.accounts.account import Account
from pbm_oust.board.notation import USERID
from pbm_oust.frozen import frozen, replace
from pbm_oust.regex import regex

T = TypeVar("T")

_SURROGATE = regex("[\ud800-\udfff]")

Row = tuple[Any, ...]
"""A cell for each column: a text, a whole number or a time; None where a column is optional."""


class Holds(Enum):
    """What the cells of a column hold."""

    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    """A moment to the second; a datetime with a time zone."""
    USERID = "userid"
    """The userid of another player, which changes when that player gets another one."""


_TYPES: dict[Holds, type] = {
    Holds.TEXT: str,
    Holds.NUMBER: int,
    Holds.TIME: datetime,
    Holds.USERID: str,
}


@frozen
class Column:
    """A column of a table."""

    name: str
    holds: Holds = Holds.TEXT
    is_optional: bool = False

    def check(self, cell: object) -> None:
        """Raise ValueError for a cell that cannot stand in this column."""
        if cell is None and self.is_optional:
            return
        fits = type(cell) is _TYPES[self.holds]
        if not fits or (self.holds is Holds.USERID and not USERID.fullmatch(str(cell))):
            raise ValueError(f"{cell!r} is no {self.holds.value}")
        if isinstance(cell, str) and _SURROGATE.search(cell):
            raise ValueError(f"{cell!r} has a surrogate, which UTF-8 cannot encode")


def _same(value: T, _old: str, _new: str | None) -> T:
    return value


def _first(value: T, _other: T) -> T:
    return value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Kept(Generic[T]):
    """What is known of one thing that accounts keep; T is the type of its value."""

    name: str
    """The name of its table, and of its part of an exported account."""
    key: str
    """What stands in front of its lines where a person reads an account."""
    columns: tuple[Column, ...]
    """The columns of its table, apart from the userid and the position of the row."""
    empty: T
    """The value of an account that keeps nothing of it."""
    to_rows: Callable[[T], Iterable[Row]]
    """Gives the rows of a value, in their order; none for the empty one."""
    of_rows: Callable[[Sequence[Row]], T]
    """Gives the value of rows whose cells fit. May raise ValueError."""
    to_lines: Callable[[T], Iterable[str]]
    """Gives what a person reads behind the key, a line for each row."""
    merged: Callable[[T, T], T] = _first
    """Gives the value of an account that another one is merged into; usually what it had."""
    renamed: Callable[[T, str, str | None], T] = _same
    """Gives the value after another player's userid has changed; None: the player is gone."""

    def __repr__(self) -> str:
        return f"Kept({self.name!r})"

    def of(self, account: Account) -> T:
        """Return what an account keeps."""
        return cast(T, account.kept.get(self.name, self.empty))

    def put(self, account: Account, value: T) -> Account:
        """Return an account that keeps this value in the place of the one it had."""
        others = {name: each for name, each in account.kept.items() if name != self.name}
        kept = others if value == self.empty else {**others, self.name: value}
        return replace(account, kept=kept)

    def read(self, rows: Sequence[Row]) -> T:
        """Return the value that rows hold. Raises ValueError."""
        for row in rows:
            for column, cell in zip(self.columns, row, strict=True):
                column.check(cell)
        return self.of_rows(rows) if rows else self.empty

    def rows_of(self, account: Account) -> list[Row]:
        """Return the rows of what an account keeps."""
        return list(self.to_rows(self.of(account)))

    def lines_of(self, account: Account) -> list[str]:
        """Return the lines of what an account keeps, with the key in front of each."""
        return [f"{self.key}: {line}" for line in self.to_lines(self.of(account))]


def board_of(kind: str, board: int) -> str:
    """Return the name of a board from two cells. Raises ValueError for what can be none."""
    if not (kind.isascii() and kind.islower() and kind.isalpha()):
        raise ValueError(f"{kind!r} is no game")
    checked_number(board)
    return f"{kind} {board}"


def cells_of(name: str) -> tuple[str, int]:
    """Return the two cells of the name of a board."""
    kind, _, board = name.partition(" ")
    return kind, int(board)


def checked_number(number: int) -> int:
    """Return the number of a board or a record as it is. Raises ValueError for what is none."""
    if not 1 <= number < 10**9:
        raise ValueError(f"{number} is no number of a board or a record")
    return number

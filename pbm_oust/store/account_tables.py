"""The tables of what accounts keep: their statements, and their cells as the database has them.

Each noun in `accounts/registry.py` has a table of its name: the userid, the position of the row,
and the columns of the noun.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from pbm_oust.accounts.kept import Column, Holds, Kept
from pbm_oust.accounts.registry import Nouns
from pbm_oust.store.columns import moment_of, seconds
from pbm_oust.store.connections import Row, Snapshot, Value
from pbm_oust.store.faults import AccountDamaged, ValueDamaged

T = TypeVar("T")
Columns = Sequence[Column]

ADDRESSES = "addresses"
"""The table of addresses, which every account has."""


@dataclass(frozen=True)
class Table:
    """The statements for the table of a noun."""

    noun: Kept[Any]

    @cached_property
    def delete(self) -> str:
        """The statement that removes the rows of an account from some position on."""
        return f"DELETE FROM {self.noun.name} WHERE userid = ? AND position >= ?"  # noqa: S608 - the names are ours # nosec B608

    @cached_property
    def insert(self) -> str:
        """The statement that adds a row."""
        names = ", ".join(column.name for column in self.noun.columns)
        places = ", ".join("?" * (2 + len(self.noun.columns)))
        return f"INSERT INTO {self.noun.name} (userid, position, {names}) VALUES ({places})"  # noqa: S608 - the names are ours # nosec B608

    @cached_property
    def mentions(self) -> tuple[str, ...]:
        """The statements that find the userids of accounts whose rows name a player."""
        return tuple(
            f"SELECT userid FROM {self.noun.name} WHERE {column.name} = ?"  # noqa: S608 - the names are ours # nosec B608
            for column in self.noun.columns
            if column.holds is Holds.USERID
        )

    def stored(self, row: Row) -> Row:
        """Return a row as the database has it."""
        pairs = zip(self.noun.columns, row, strict=True)
        return tuple(_stored(column, cell) for column, cell in pairs)


class Tables:
    """The tables of some nouns, and of the addresses."""

    def __init__(self, nouns: Nouns) -> None:
        self._tables = tuple(map(Table, nouns))
        columns = {ADDRESSES: (Column("address"),)} | {noun.name: noun.columns for noun in nouns}
        types = _types(columns.values())
        self._places = {name: _places(each, types) for name, each in columns.items()}
        """Where the cells of each table stand among those of all tables."""
        self.select = " UNION ALL ".join(
            f"SELECT '{name}', position, {_cells(each, types)} FROM {name} WHERE userid = ?1"  # noqa: S608 - the names are ours # nosec B608
            for name, each in columns.items()
        )
        """The statement for all rows of an account: their tables, positions and cells."""

    def __iter__(self) -> Iterator[Table]:
        """Yield the tables of the nouns."""
        return iter(self._tables)

    def rows_of(self, snapshot: Snapshot, userid: str) -> dict[str, list[Row]]:
        """Return the rows of an account by their tables, in order."""
        return self.parted(snapshot.rows(self.select, userid))

    def parted(self, rows: Iterable[Row]) -> dict[str, list[Row]]:
        """Return the rows that `select` gives by their tables, in order."""
        found: dict[str, list[Row]] = {name: [] for name in self._places}
        for name, _, *cells in sorted(rows, key=lambda row: (row[0], row[1])):
            found[name].append(tuple([cells[place] for place in self._places[name]]))
        return found


def value_of(noun: Kept[T], userid: str, rows: Sequence[Sequence[Value]]) -> T:
    """Return the value in the rows of a noun's table. Raises AccountDamaged."""
    try:
        found = [
            tuple(_found(*pair) for pair in zip(noun.columns, cells, strict=True)) for cells in rows
        ]
        return noun.read(found)
    except (ValueError, OverflowError, ValueDamaged) as error:
        raise AccountDamaged(
            f"the account {userid} in the database is damaged, {noun.name}: {error}"
        ) from None


def _type(column: Column) -> str:
    """Return the type of a column in SQL."""
    return "INTEGER" if column.holds in (Holds.NUMBER, Holds.TIME) else "TEXT"


def _types(tables: Iterable[Columns]) -> list[str]:
    """Return the types of columns in which the cells of each table have room."""
    counts = [Counter(map(_type, columns)) for columns in tables]
    most = {each: max(count[each] for count in counts) for each in ("TEXT", "INTEGER")}
    return [each for each, number in most.items() for _ in range(number)]


def _places(columns: Columns, types: Sequence[str]) -> list[int]:
    """Return where the cells of a table stand among columns of these types."""
    free = {each: iter([at for at, there in enumerate(types) if there == each]) for each in types}
    return [next(free[_type(column)]) for column in columns]


def _cells(columns: Columns, types: Sequence[str]) -> str:
    """Return what to select of a table, for columns of these types."""
    found = [f"CAST(NULL AS {each})" for each in types]
    for place, column in zip(_places(columns, types), columns, strict=True):
        found[place] = column.name
    return ", ".join(found)


def _stored(column: Column, cell: Any) -> Value:
    is_time = column.holds is Holds.TIME and cell is not None
    return seconds(cell) if is_time else cell


def _found(column: Column, value: Value) -> Any:
    if column.holds is Holds.TIME and isinstance(value, int):
        return moment_of(value)
    return value

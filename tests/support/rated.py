"""Changes of rated games in a database, and the ratings that must come of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pbm_oust.board import Summary
from pbm_oust.board.ratings import Table, rate
from pbm_oust.rules import KINDS, How, Result, Side, parse_grid
from pbm_oust.store.boards import Boards
from pbm_oust.store.database import Database, Transaction
from pbm_oust.store.index import BoardName
from pbm_oust.store.ratings import (
    changes_by,
    count_marked,
    is_counting,
    standings_of,
    wrongly_rated,
)

OUST = KINDS["oust"]
FIRST_END = datetime(2026, 11, 20, tzinfo=UTC)
BOARDS = 16
"""How many boards there are at most."""
PLAYERS = ("alice", "bob", "carol", "dave")


@dataclass(frozen=True)
class Deed:
    """What becomes of a board: it ends, is void, goes on, or is damaged."""

    board: int
    end: str
    """`x`, `o` or `draw`: who wins; `void`; `active`; `damaged`."""
    second: int = 0
    """When, after the first moment at which games end."""
    x: str = "alice"
    o: str = "bob"
    is_large: bool = False

    @property
    def said(self) -> Summary | None:
        """What the row of the board says then."""
        if self.end == "damaged":
            return None
        at = FIRST_END + timedelta(seconds=self.second)
        return Summary(
            kind=OUST,
            board=self.board,
            grid=parse_grid("square 13x13" if self.is_large else "square 5x5"),
            x=self.x,
            o=self.o,
            to_move=self.x if self.end == "active" else None,
            result=_result(self.end),
            is_rated=True,
            started=FIRST_END,
            latest=at,
            records=1,
        )


def _result(end: str) -> Result | None:
    if end == "active":
        return None
    if end == "void":
        return Result(None, How.VOID)
    return Result(None if end == "draw" else Side(end), How.RESIGN)


def _deeds(seconds: int) -> st.SearchStrategy[Deed]:
    """Return deeds on boards whose games end within so many seconds."""
    ends = st.sampled_from(["x", "o", "x", "o", "draw", "void", "active", "damaged"])
    pairs = st.permutations(PLAYERS).map(lambda each: (each[0], each[1]))
    return st.builds(
        lambda board, end, second, pair, is_large: Deed(
            board, end, second, pair[0], pair[1], is_large
        ),
        st.integers(1, BOARDS),
        ends,
        st.integers(0, seconds),
        pairs,
        st.booleans(),
    )


def happenings() -> st.SearchStrategy[list[Deed | list[list[Deed]]]]:
    """Return deeds, and lists of deeds that are done while games are counted anew."""
    deed = _deeds(9)
    return st.lists(deed | st.lists(st.lists(deed, max_size=4), max_size=6), max_size=30)


@dataclass
class Rated:
    """A database in which rated games end and change, beside what it should say of them."""

    database: Database
    games: dict[int, Summary] = field(default_factory=dict)
    """Those that count."""

    def do(self, deed: Deed) -> None:
        """Write what becomes of a board."""
        said, name = deed.said, BoardName("oust", deed.board)
        if said and said.counts:
            self.games[deed.board] = said
        else:
            self.games.pop(deed.board, None)
        boards = Boards(Path(), self.database.time)
        self.database.write(lambda each: boards.put(each, name, said, b""))

    def go_through(self, happens: list[Deed | list[list[Deed]]]) -> None:
        """Do what `happenings` gives; at the end, nothing is left to be counted."""
        for each in [*happens, []]:
            if isinstance(each, Deed):
                self.do(each)
            else:
                self.count([*each])
            self.check()
        with self.database.read() as snapshot:
            assert not is_counting(snapshot, OUST)

    def check(self) -> None:
        """Compare what is kept with what all games give, unless games are to be counted anew."""
        given = rate(self.games.values())
        with self.database.read() as snapshot:
            if is_counting(snapshot, OUST):
                return
            assert standings(standings_of(snapshot, OUST)) == standings(given)
            assert wrongly_rated(snapshot, OUST) == []
            players = snapshot.rows("SELECT size, players FROM rating_classes ORDER BY size")
            for table in given:
                for rated in table.games:
                    assert changes_by(snapshot, rated.game) == rated
        sizes = {table.size.value: len(table.standings) for table in given}
        assert {size: number for size, number in players if number} == sizes

    def count(self, meanwhile: list[list[Deed]]) -> None:
        """Count anew what is marked, with some deeds before each time that something is written."""
        disturbed = Interrupted(self.database, meanwhile, self.do)
        count_marked(disturbed)  # type: ignore[arg-type]  # it passes all else to the database


@dataclass
class Interrupted:
    """A database to which somebody else writes just before each time that we do."""

    database: Database
    meanwhile: list[list[Deed]]
    do: Callable[[Deed], None]

    def write(self, work: Callable[[Transaction], Any]) -> object:
        """Do some deeds, and then what is wanted."""
        for deed in self.meanwhile.pop(0) if self.meanwhile else ():
            self.do(deed)
        return self.database.write(work)

    def __getattr__(self, name: str) -> object:
        return getattr(self.database, name)


def standings(tables: list[Table]) -> list[object]:
    """Return what can be compared of ratings: the players of each class in their order."""
    return [(table.size, table.ordered()) for table in tables]

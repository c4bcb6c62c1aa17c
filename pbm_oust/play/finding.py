"""Lists of boards by player and filter, and the search among all boards."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from enum import Enum
from functools import lru_cache
from typing import Generic, TypeVar

from msgspec import Struct, structs

from pbm_oust.board import Game, Summary
from pbm_oust.board.notation import parse_outcome
from pbm_oust.grammar.values import Filter
from pbm_oust.play.context import Look
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules import KINDS, Grid, How, Kind, Side
from pbm_oust.rules.grid import NoSuchCell
from pbm_oust.store import index
from pbm_oust.store.boards import DamagedHistory

T_co = TypeVar("T_co", covariant=True)

_STATES = {
    Filter.ALL: (index.BoardState.ACTIVE, index.BoardState.OVER),
    Filter.ACTIVE: (index.BoardState.ACTIVE,),
    Filter.NEXT: (index.BoardState.ACTIVE,),
    Filter.INACTIVE: (index.BoardState.OVER,),
}


MOST_LOOKED_AT = 500
"""How many boards a search looks at before it says how far it has come."""


class BoardSearch(Struct, frozen=True):
    """The boards that are looked for."""

    kinds: Collection[Kind]
    userids: Sequence[str] = ()
    """Their players; empty for everybody. A userid that nobody has is on no board."""
    filter: Filter = Filter.ACTIVE
    since: datetime | None = None
    """If this is given, only boards of everybody with a record after that moment."""


class Found(Struct, Generic[T_co], frozen=True):
    """A part of the boards that were looked for: those that changed last."""

    boards: tuple[T_co, ...]
    count: int
    """How many there are in all."""
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""


def find_latest(on: Look, search: BoardSearch, part: index.Window) -> Found[Summary]:
    """Return a part of a list of boards, the latest change first."""
    boards, count = index.boards_in(
        on.snapshot,
        [kind.name for kind in search.kinds],
        _STATES[search.filter],
        part,
        search.userids,
        to_move=search.filter is Filter.NEXT,
        since=search.since,
    )
    return Found(tuple(boards), count, _damaged(on, search))


def find_boards(on: Look, search: BoardSearch, part: index.Window) -> Found[Summary]:
    """Return the same boards as `find_latest`, in order of kinds and numbers."""
    found = find_latest(on, search, part)
    return structs.replace(found, boards=tuple(sorted(found.boards, key=index.BoardName.of)))


def find_games(on: Look, search: BoardSearch, most: int) -> Found[Game]:
    """Return the games of the first boards, in order of kinds and numbers."""
    found = find_boards(on, search, index.Window(most))
    games, damaged = list[Game](), list[index.BoardName]()
    for board in found.boards:
        try:
            games.append(on.game(board.kind, board.board))
        except DamagedHistory:
            damaged.append(index.BoardName.of(board))
    names = _damaged(on, search, damaged) if damaged else found.damaged
    return Found(tuple(games), found.count, names)


def _damaged(
    on: Look, search: BoardSearch, found: Iterable[index.BoardName] = ()
) -> tuple[str, ...]:
    """Return the names of boards that cannot be read: those that were found, and known ones."""
    damaged = set(found)
    for kind in search.kinds:
        damaged.update(index.damaged_boards(on.snapshot, kind.name, search.userids))
    return tuple(map(str, sorted(damaged)))


# Searching


class ResultSought(Enum):
    """The results of the games that a search finds."""

    WON = "won"
    """The first player has won."""
    LOST = "lost"
    X = "x"
    """Side x has won."""
    O = "o"
    DRAW = "draw"


class Sought(Struct, frozen=True):
    """The conditions of a search for boards."""

    kinds: Collection[Kind]
    filter: Filter = Filter.ALL
    players: tuple[str, ...] = ()
    """Their players; at most two, who both own a side."""
    ending: ResultSought | None = None
    grids: tuple[Grid, ...] = ()
    """On which grids they are played; empty for all."""
    opening: tuple[str, ...] = ()
    """The cells of the first placements, on the board turned or reflected in any way."""

    def is_met(self, board: Summary) -> bool:
        """Return whether a board meets the conditions, as far as the index says."""
        if self.grids and board.grid not in self.grids:
            return False
        winner, result = board.winner, board.result
        match self.ending:
            case None:
                return True
            case ResultSought.WON:
                return winner in self.players[:1]
            case ResultSought.LOST:
                return winner is not None and winner not in self.players[:1]
            case ResultSought.DRAW:
                return result is not None and not winner and result.how is not How.VOID
            case ResultSought.X | ResultSought.O:
                return winner == (board.x if self.ending is ResultSought.X else board.o)


class SearchPage(Struct, frozen=True):
    """A page of the boards that a search has found, the latest first."""

    boards: list[Summary]
    looked_at: int
    """How many boards were looked at."""
    further: index.Mark | None
    """Behind which board it goes on; None if it has looked at all."""


def search(on: Look, sought: Sought, most: int, after: index.Mark | None = None) -> SearchPage:
    """Return a page of the boards that are sought: at most `most`, from the mark `after` on.

    It looks at no more than `MOST_LOOKED_AT`, and then says how far it has come.
    """
    kinds = [kind.name for kind in sought.kinds]
    states, limit = _STATES[sought.filter], MOST_LOOKED_AT
    boards = index.walk_back(on.snapshot, kinds, states, sought.players, limit, after)
    found = list(filter(sought.is_met, boards))
    if sought.opening:
        begun = index.first_placements(on.snapshot, found, len(sought.opening))
        found = [
            board
            for board in found
            if begun.get(index.BoardName.of(board)) in openings(board.grid, sought.opening)
        ]
    if len(found) > most:
        found = found[:most]
        boards = boards[: boards.index(found[-1]) + 1]
    elif len(boards) < limit:
        return SearchPage(found, len(boards), None)
    return SearchPage(found, len(boards), index.Mark.of(boards[-1]))


MOST_COUNTED = 1000
"""How many finished boards of a player are counted, of each game: the latest."""


class Against(Struct):
    """The results of a player against another one."""

    opponent: str
    won: int = 0
    lost: int = 0
    drawn: int = 0

    @property
    def games(self) -> int:
        """The number of all."""
        return self.won + self.lost + self.drawn


def results_against(on: Look, userid: str) -> list[Against]:
    """Return how games of a player ended against each opponent, the most frequent one first."""
    found = dict[str, Against]()
    for kind in KINDS.values():
        for x, o, text in index.latest_results(on.snapshot, userid, kind.name, MOST_COUNTED):
            result, opponent = parse_outcome(kind, text), o if x == userid else x
            if result.how is How.VOID:
                continue
            against = found.setdefault(opponent, Against(opponent))
            against.drawn += result.winner is None
            against.won += result.winner is (Side.X if x == userid else Side.O)
            against.lost += result.winner is (Side.O if x == userid else Side.X)
    return sorted(found.values(), key=lambda each: (-each.games, each.opponent))


@lru_cache(maxsize=64)
def openings(grid: Grid, cells: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Return the placements on these cells, on a grid turned and reflected in every way.

    There are none if the grid lacks one of the cells.
    """
    from pbm_oust.experiments.counting import symmetries  # of which commands need nothing

    try:
        placed = [grid.parse_cell(cell) for cell in cells]
    except NoSuchCell:
        return frozenset()
    return frozenset(
        tuple(grid.format_cell(images[cell]) for cell in placed) for images in symmetries(grid)
    )


def active_games(on: Look, userid: str, *, is_to_move: bool = False) -> Iterator[Game]:
    """Yield the active games in which a player owns a side; damaged ones are left out.

    `is_to_move`: only those that wait for the player.
    """
    for entry in index.boards_of_player(on.snapshot, userid):
        if is_to_move and entry.to_move != userid:
            continue
        with suppress(DamagedHistory, NotAllowed):
            game = on.game(entry.kind, entry.board)
            if game.result is None and game.side_of(userid):
                yield game

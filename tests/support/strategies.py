"""Random legal play for property tests."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

from pbm_oust.board import Game
from pbm_oust.board.header import Terms
from pbm_oust.rules import Grid, Position
from pbm_oust.rules.churn import Churn
from pbm_oust.rules.grid import hexagon, square
from pbm_oust.rules.oust import Oust
from tests.support.games import act, new_game
from tests.support.rings import examples

relaxed = examples(200)
"""For tests of whole games."""


P = TypeVar("P", bound=Position)


def course(start: P, length: int, chosen: Callable[[P], int]) -> Iterator[tuple[P, int, P]]:
    """Yield each position with the cell placed on, 0 for a pass, and the next position.

    `chosen` returns the cell, or 0. There are at most `length` steps, fewer if the game ends.
    """
    before = start
    for _ in range(length):
        if before.result:
            return
        cell = chosen(before)
        after = before.place(cell) if cell else before.pass_turn()
        yield before, cell, after
        before = after


class Taste(Enum):
    """What a random player prefers among the placements."""

    NOTHING = "nothing"
    PEACE = "placements that take nothing"
    CAPTURES = "placements that take stones"


@dataclass(frozen=True)
class Play:
    """A random game: what is preferred, the seed of all choices, and when it is left."""

    grid: Grid
    taste: Taste
    seed: int
    length: int

    def steps(self) -> Iterator[tuple[Oust, int, Oust]]:
        """Return the steps of the game as `course` yields them."""
        random = Random(self.seed)
        return course(Oust(self.grid), self.length, lambda before: self.chosen(before, random))

    def positions(self) -> Iterator[Oust]:
        """Yield the empty board and every position after it, up to the end of the game."""
        yield Oust(self.grid)
        for _, _, after in self.steps():
            yield after

    def chosen(self, position: Oust, random: Random) -> int:
        """Return a cell chosen by taste and chance, or 0 if there is no placement."""
        cells, capturing = position.placements(), position.capturing()
        if self.taste is Taste.PEACE:
            cells = cells & ~capturing or cells
        elif self.taste is Taste.CAPTURES:
            cells = capturing or cells
        return random.choice(list(position.grid.each(cells))) if cells else 0


@dataclass(frozen=True)
class ChurnPlay:
    """A random game of Churn: the seed of all choices, and when it is left."""

    grid: Grid
    seed: int
    length: int

    def steps(self) -> Iterator[tuple[Churn, int, Churn]]:
        """Return the steps of the game as `course` yields them."""
        random = Random(self.seed)
        return course(
            Churn(self.grid),
            self.length,
            lambda before: random.choice(list(self.grid.each(before.placements()))),
        )

    def last_steps(self) -> Iterator[tuple[Churn, int, Churn]]:
        """Return the last two dozen steps, or fewer if there are not so many."""
        return iter(deque(self.steps(), maxlen=24))

    def last_positions(self) -> Iterator[Churn]:
        """Yield the positions that the last two dozen steps lead to."""
        for _, _, after in self.last_steps():
            yield after


SQUARES = [(2, 2), (3, 2), (4, 2), (3, 3), (3, 4), (4, 4), (5, 5), (7, 3), (6, 6), (7, 7)]
HEXAGONS = "1,2 1,4 2,2 2,3 3,2 3,3 3,4 4,4 3,3,5 2,2,3,1,3,2"

grids = st.sampled_from(
    [square(*size) for size in SQUARES]
    + [hexagon(*map(int, sides.split(","))) for sides in HEXAGONS.split()]
)
plays = st.builds(
    Play,
    grid=grids,
    taste=st.sampled_from([Taste.NOTHING, *Taste]),
    seed=st.integers(0, 2**32),
    length=st.integers(40, 100),
)

ODD_HEXAGONS = [(1, 2), (1, 5), (6, 1), (2, 2), (2, 5), (3, 3), (3, 4), (4, 3), (4, 4), (6, 2)]

odd_grids = st.sampled_from([hexagon(*sides) for sides in ODD_HEXAGONS])
churn_plays = st.builds(
    ChurnPlay,
    grid=odd_grids,
    seed=st.integers(0, 2**32),
    length=st.sampled_from([10, 20, 30, 40, 60, 100, 150, 200, 400]),
)

terms = st.builds(
    Terms,
    swap=st.booleans(),
    rated=st.booleans(),
    nagtime=st.integers(0, 99),
    forfeittime=st.integers(0, 99),
    totaltime=st.integers(0, 99),
    maxtime=st.integers(0, 99),
)


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Draw a game at any point: swapped or not, in whole turns or in parts."""
    play = replace(draw(plays), length=draw(st.integers(0, 40)))
    game = new_game(str(play.grid), draw(terms))
    wants_swap, in_parts = draw(st.booleans()), draw(st.booleans())
    words = ""
    for before, cell, after in play.steps():
        if game.can_swap and wants_swap:
            game, wants_swap = act(game, "o swap"), False
        words += f" {play.grid.format_cell(cell)}" if cell else " pass"
        if in_parts or not after.is_mid_turn:
            game, words = act(game, f"{before.to_move.value}{words}"), ""
    if not game.result:
        game = draw(st.sampled_from([game, game, act(game, "x resign"), act(game, "o resign")]))
    return game

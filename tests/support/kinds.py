"""Random games of any kind; nothing here knows a particular game."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random

from msgspec.structs import replace

from pbm_oust.board import Game
from pbm_oust.rules import Grid, Kind, Position, Result
from pbm_oust.rules.grid import hexagon, square
from pbm_oust.rules.position import Fault, IllegalPlacement, taken
from tests.support.games import new_game, play
from tests.support.strategies import course

Step = tuple[Position, int, Position]
"""A position, the cell that was placed on or 0 for a pass, and the position after it."""

LARGEST = 25
"""The most cells of a grid for random games."""

FEWEST_TURNS = 4
"""The fewest turns of a game that is played by mail."""

LONGEST = 5_000
"""The most steps of a random game: one that has not ended by then never ends."""


@dataclass(frozen=True)
class Chance:
    """A random game from the empty board to its end."""

    kind: Kind
    grid: Grid
    seed: int

    @property
    def steps(self) -> tuple[Step, ...]:
        """The placements and passes of the game."""
        return _steps(self)

    @property
    def result(self) -> Result:
        """How the game ended."""
        result = self.steps[-1][2].result
        assert result, f"a game of {self.kind.name} on {self.grid} has not ended"
        return result

    @property
    def has_pass(self) -> bool:
        """Whether some side had no placement."""
        return any(not cell for _, cell, _ in self.steps)

    @property
    def turns(self) -> list[str]:
        """The turns of the game as commands: `x D4`, `o E5 F9`, `x pass`."""
        turns, words = list[str](), ""
        for before, cell, after in self.steps:
            words += f" {before.grid.format_cell(cell)}" if cell else " pass"
            if after.result or not after.is_mid_turn:
                turns.append(before.to_move.value + words)
                words = ""
        return turns

    def game(self, turns: int | None = None, board: int = 17) -> Game:
        """Return a board of alice and bob after all turns, or after the first few."""
        header = new_game(str(self.grid), kind=self.kind.name).header
        game = Game.start(replace(header, board=board, x="alice", o="bob"))
        return play(game, *self.turns[:turns])


def grids_of(kind: Kind, largest: int = LARGEST) -> list[Grid]:
    """Return the grids of few cells on which a game is played, the smallest first."""
    return [grid for grid in small_grids(largest) if kind.plays_on(grid)]


def small_grids(largest: int = LARGEST) -> list[Grid]:
    """Return grids of all shapes that have few cells, the smallest first."""
    squares = [square(*size) for size in product(range(2, 8), repeat=2)]
    hexagons = [hexagon(*sides) for sides in product(range(1, 5), repeat=2) if sum(sides) > 2]
    others = [hexagon(*sides) for sides in ((3, 2, 2), (2, 4, 2), (2, 3, 4, 1, 4, 3))]
    grids = (grid for grid in (*squares, *hexagons, *others) if grid.cells.bit_count() <= largest)
    return sorted(grids, key=lambda grid: grid.cells.bit_count())


@cache
def games_of(kind: Kind, seeds: int = 5) -> list[Chance]:
    """Return some games of a kind: on the two smallest grids of each shape, and the largest two."""
    grids = [
        grid
        for shape in kind.defaults
        for found in [[grid for grid in grids_of(kind) if grid.shape is shape]]
        for grid in dict.fromkeys([*found[:2], *found[-2:]])
    ]
    return [Chance(kind, grid, seed) for grid in grids for seed in range(seeds)]


def steps_of(kind: Kind, seeds: int = 5) -> Iterator[Step]:
    """Yield the steps of these games."""
    for game in games_of(kind, seeds):
        yield from game.steps


@cache
def short_games(kind: Kind) -> dict[Result, Chance]:
    """Return a short game for each result that short games of a kind have.

    It takes stones off the board if a short one does.
    """
    found: dict[Result, Chance] = {}
    for seed, grid in product(range(60), grids_of(kind, largest=9)):
        game = Chance(kind, grid, seed)
        if len(game.turns) >= FEWEST_TURNS:
            found[game.result] = min(found.get(game.result, game), game, key=_tedium)
    return found


def shortest_game(kind: Kind) -> Chance:
    """Return the shortest of these games."""
    return min(short_games(kind).values(), key=lambda game: len(game.turns))


@cache
def game_with_pass(kind: Kind) -> Chance | None:
    """Return a game in which a side has to pass; None for a kind in which nobody ever has to."""
    games = (Chance(kind, grid, seed) for seed in range(250) for grid in grids_of(kind, largest=10))
    return next((game for game in games if game.has_pass), None)


@cache
def faults_of(kind: Kind) -> dict[type[Fault], tuple[Chance, int, int]]:
    """Return for each rule that a placement can break a game, a number of turns, and a cell.

    The rules refuse a placement on that cell at the beginning of the next turn.
    """
    found: dict[type[Fault], tuple[Chance, int, int]] = {}
    for game in games_of(kind):
        turns = 0
        for before, _, _ in game.steps:
            if before.is_mid_turn:
                continue
            for cell in before.grid.each(before.grid.cells & ~before.placements()):
                fault = fault_at(before, cell)
                if before.has_placement():
                    found.setdefault(type(fault), (game, turns, cell))
            turns += 1
    return found


def fault_at(position: Position, cell: int) -> Fault:
    """Return the rule that a placement breaks."""
    try:
        position.place(cell)
    except IllegalPlacement as illegal:
        return illegal.fault
    raise AssertionError(f"{position.grid.format_cell(cell)} is no placement, and is not refused")


@cache
def _steps(game: Chance) -> tuple[Step, ...]:
    random = Random(game.seed)

    def chosen(before: Position) -> int:
        cells = list(before.grid.each(before.placements()))
        return random.choice(cells) if cells else 0

    return tuple(course(game.kind.start(game.grid), LONGEST, chosen))


def _tedium(game: Chance) -> tuple[bool, int]:
    """Return less for a game that is better to play in a test."""
    takes = any(taken(before, after) for before, _, after in game.steps)
    return not takes, len(game.turns)

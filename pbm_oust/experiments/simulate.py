"""Random games: every legal placement is equally likely."""

import multiprocessing
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from statistics import fmean, median, stdev

from msgspec import Struct

from pbm_oust.rules import KINDS, Grid, Kind, Position, Result, parse_grid

_FEW = 8
"""The most cells among which one is chosen by counting; among more, by drawing until one fits."""


class RandomGame(Struct, frozen=True):
    """The result and the length of a random game."""

    placements: int
    turns: int
    """The number of turns with a placement, without forced passes."""
    passes: int
    longest_chain: int
    """The most placements in a turn."""
    result: Result


class Figures(Struct, frozen=True):
    """The mean, the median and the standard error of the mean of some numbers."""

    mean: float
    median: float
    stderr: float

    @classmethod
    def of(cls, numbers: list[int]) -> "Figures":
        """Return the figures of one or more numbers; the error of a single one is 0."""
        error = stdev(numbers) / len(numbers) ** 0.5 if len(numbers) > 1 else 0.0
        return cls(fmean(numbers), median(numbers), error)


class Totals(Struct, frozen=True):
    """Totals of many games."""

    games: int
    placements: Figures
    turns: Figures
    results: dict[str, int]
    """The number of games won by x, won by o, and drawn."""
    passes: int
    """The number of passes in all games."""
    longest_chain: int
    total_placements: int

    @classmethod
    def of(cls, games: Iterable[RandomGame]) -> "Totals":
        """Return the totals of one or more games."""
        played = list(games)
        winners = Counter(
            game.result.winner.value if game.result.winner else "draw" for game in played
        )
        return cls(
            games=len(played),
            placements=Figures.of([game.placements for game in played]),
            turns=Figures.of([game.turns for game in played]),
            results={who: winners[who] for who in ("x", "o", "draw")},
            passes=sum(game.passes for game in played),
            longest_chain=max(game.longest_chain for game in played),
            total_placements=sum(game.placements for game in played),
        )


def simulate(kind: Kind, grid: Grid, games: int, seed: int, jobs: int = 1) -> Iterator[RandomGame]:
    """Yield random games, the same ones in the same order for any number of processes."""
    tasks = ((kind.name, str(grid), seed, number) for number in range(games))
    if jobs == 1:
        yield from map(_play_numbered, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(_play_numbered, tasks)


def play(kind: Kind, grid: Grid, rng: random.Random) -> RandomGame:
    """Return a random game."""
    choose = chooser(grid, rng)
    if kind.fast_game:
        turns, result = kind.fast_game(grid, choose)
        return RandomGame(turns, turns, 0, 1, result)
    return _play_positions(kind.start(grid), choose)


def chooser(grid: Grid, rng: random.Random) -> Callable[[int], int]:
    """Return a function that picks a cell of a non-empty set, each equally likely."""
    cells = tuple(grid.each(grid.cells))
    drawn = (cell for _ in iter(int, 1) for cell in rng.choices(cells, k=1024))
    draw, fraction = drawn.__next__, rng.random

    def choose(some: int) -> int:
        number = some.bit_count()
        if number > _FEW:
            while True:
                cell = draw()
                if cell & some:
                    return cell
        for _ in range(int(fraction() * number)):
            some &= some - 1
        return some & -some

    return choose


def _play_numbered(task: tuple[str, str, int, int]) -> RandomGame:
    kind, grid, seed, number = task
    return play(KINDS[kind], parse_grid(grid), random.Random(f"{seed} {number}"))  # games by chance # nosec B311


def _play_positions(position: Position, choose: Callable[[int], int]) -> RandomGame:
    placements = turns = passes = chain = longest_chain = 0
    while position.result is None:
        allowed = position.placements()
        if not allowed:
            position = position.pass_turn()
            passes += 1
            continue
        if position.is_mid_turn:
            chain += 1
        else:
            turns += 1
            chain = 1
        position = position.place(choose(allowed))
        placements += 1
        longest_chain = max(longest_chain, chain)
    return RandomGame(placements, turns, passes, longest_chain, position.result)

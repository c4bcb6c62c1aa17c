"""Time that passes only when somebody looks at the clock, so that thinking can be repeated."""

import random
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count, repeat, takewhile
from math import inf
from typing import TypeVar

from pbm_oust.board import Deed, Game, Place, Terms
from pbm_oust.robot.player import Decision, decide
from pbm_oust.robot.search import Searched, Searcher
from pbm_oust.rules import Grid, Kind, Position, Side
from pbm_oust.rules.churn import Churn
from pbm_oust.rules.grid import hexagon
from tests.support.games import new_game

P = TypeVar("P", bound=Position)
"""Positions of some kind of game."""


OPENING = 4
"""How many placements of a game are random."""

EVEN = 0.1
"""How far from 50 % the side to move may be after an even opening."""

WELL = 50_000
"""How many looks tell whether an opening is even."""


def times(number: int) -> Callable[[], bool]:
    """Return what lets a tree grow until it was asked so often."""
    left = repeat(True, number)
    return lambda: next(left, False)


def counting_clock() -> Callable[[], float]:
    """Return a clock that goes on by a second whenever it is read."""
    seconds = 0.0

    def clock() -> float:
        nonlocal seconds
        seconds += 1
        return seconds

    return clock


def decided(game: Game, looks: int, seed: int = 1) -> Decision:
    """Return what a house player does that reads the clock about so many times."""
    return decide(game, looks, random.Random(seed), counting_clock())


def after_chance(position: P, placements: int, rng: random.Random) -> P:
    """Return a position after so many placements by chance, or fewer where there is none."""
    for _ in range(placements):
        if cells := list(position.grid.each(position.placements())):
            position = position.place(rng.choice(cells))
    return position


def churn_by_chance(placements: int, seed: int) -> Churn:
    """Return a position of Churn on hex 3 after so many placements by chance."""
    return after_chance(Churn(hexagon(3)), placements, random.Random(seed))


def searched(searcher: Searcher, position: Position, seconds: float, most: float = inf) -> Searched:
    """Return the tree of a position after so many seconds of processor time, or looks, at most."""
    root, end = searcher.root(position), time.process_time() + seconds
    searcher.grow(root, lambda: time.process_time() < end, most)
    return root


def random_turn(game: Game, rng: random.Random) -> Place | Deed:
    """Return a turn in which every placement is equally likely."""
    if game.must_pass:
        return Deed.PASS
    position, cells = game.position, list[str]()
    while not cells or (position.is_mid_turn and not position.result):
        cell = rng.choice(list(position.grid.each(position.placements())))
        cells.append(position.grid.format_cell(cell))
        position = position.place(cell)
    return Place(tuple(cells))


def done(game: Game, wish: Place | Deed) -> Game:
    """Return the game after the side to move has done what it wishes."""
    at = game.latest + timedelta(hours=1)
    return game.act(game.to_move, wish, at, f"{game.next_number:016x}")


def openings(
    kind: Kind, grid: Grid, after: int, may_go_on: Callable[[], bool], looks: int = WELL
) -> Iterator[tuple[int, Game]]:
    """Yield even games after a few placements by chance, with their numbers, as long as it may."""
    for number in takewhile(lambda _: may_go_on(), count(after)):
        rng, game = random.Random(number), new_game(str(grid), Terms(swap=False), kind=kind.name)
        while len(game.line) < OPENING and not game.result:
            game = done(game, random_turn(game, rng))
        if not game.result and is_even(game.position, kind, looks):
            yield number, game


def is_even(position: Position, kind: Kind, looks: int) -> bool:
    """Return whether either side may win a position, as far as the house can tell."""
    searcher = Searcher(kind.name, position.grid, random.Random(1), is_proving=False)
    return abs(searched(searcher, position, inf, looks).value - 0.5) <= EVEN


def against_chance(game: Game, side: Side, looks: int, seed: int) -> Game:
    """Return the end of a game of a house player, who owns a side, against chance."""
    rng = random.Random(seed)
    player = game.owner(side)
    while not game.result:
        is_house = game.player_to_move == player
        game = done(game, decided(game, looks).wish if is_house else random_turn(game, rng))
    return game

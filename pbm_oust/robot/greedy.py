"""Greedy play, for games without a search: each placement is weighed by a short look ahead.

A player weighs each placement by what it leads to, and takes the best. How far it looks is its
insight:

1. It takes as many stones as it can, and gives away as few as it can.
2. If it can take none, it also leaves the other side the smallest capture.
3. It ends its turn and plays the other side's, both with the insight of 2, and counts the stones.
   What looks best with that insight comes first, in case that its time is short.

In a game that has a fast way to be played by chance, such as Churn, nothing of this tells the
better placement. There it plays each one to the end by chance, so many times as insight lets it.
"""

import random
from collections.abc import Callable
from math import exp, inf

from pbm_oust.experiments.simulate import chooser
from pbm_oust.robot.search import always
from pbm_oust.rules import Kind, Position, Side
from pbm_oust.rules.position import FastGame

Weigh = Callable[[Position, int], tuple[float, float]]
"""Returns the value of a placement in a position, as two numbers; more is better."""

GAMES = {1: 2, 2: 10, 3: 100}
"""The number of random games for each placement, by insight."""

LARGEST = 61
"""The most cells of a board for random games; on larger ones they take too long."""


def nothing(_position: Position) -> int:
    """Return no cells: nothing is overlooked."""
    return 0


def simple_turn(
    kind: Kind,
    position: Position,
    insight: int,
    rng: random.Random,
    may_go_on: Callable[[], bool] = always,
    overlooked: Callable[[Position], int] = nothing,
) -> list[int]:
    """Return the placements of a whole turn from a position that has one.

    For each placement at least one candidate is weighed, and others as long as `may_go_on` allows.
    Overlooked cells are candidates only if there are no others.
    """
    cells, grid = list[int](), position.grid
    while not cells or (position.is_mid_turn and not position.result):
        allowed = position.placements()
        allowed = allowed & ~overlooked(position) or allowed
        if kind.fast_game and grid.cells.bit_count() <= LARGEST:
            weigh = _by_chance(kind.fast_game, chooser(grid, rng), GAMES[insight])
            cell = _best(position, allowed, weigh, rng, may_go_on)
        elif insight == 3:
            weigh = _by_turns(rng)
            cell = _best(position, allowed, weigh, rng, may_go_on, _by_reply)
        else:
            weigh = _by_stones if insight == 1 else _by_reply
            cell = _best(position, position.capturing() & allowed or allowed, weigh, rng)
        cells.append(cell)
        position = position.place(cell)
    return cells


def outlook(position: Position) -> float:
    """Return the estimated chance of the side to move, 0..1, by the stones of both sides."""
    lead, number = _lead(position, position.to_move), position.occupied.bit_count()
    return 1 / (1 + exp(-4 * lead / (number + 4)))


def _by_stones(position: Position, cell: int) -> tuple[float, float]:
    return _lead(position.place(cell), position.to_move), 0


def _by_reply(position: Position, cell: int) -> tuple[float, float]:
    after = position.place(cell)
    lead, other = _lead(after, position.to_move), position.to_move.other
    if position.capturing():
        return lead, 0
    leads = (_lead(after.place(each), other) for each in after.grid.each(after.capturing()))
    return lead, -max(leads, default=-lead)


def greedy(position: Position, rng: random.Random) -> int:
    """Return a placement that takes most or, if none takes anything, the best by insight 2."""
    return _best(position, position.capturing() or position.placements(), _by_reply, rng)


def _by_turns(rng: random.Random) -> Weigh:
    """Return the weight of placements by the lead after the other side's turn."""

    def weigh(position: Position, cell: int) -> tuple[float, float]:
        mover, after = position.to_move, position.place(cell)
        for side in (mover, mover.other):
            while not after.result and after.to_move is side:
                has_placement = after.has_placement()
                after = after.place(greedy(after, rng)) if has_placement else after.pass_turn()
        return _lead(after, mover), 0

    return weigh


def _by_chance(fast_game: FastGame, choose: Callable[[int], int], games: int) -> Weigh:
    """Return the weight of placements by the games won among `games` random ones."""

    def weigh(position: Position, cell: int) -> tuple[float, float]:
        mover, after = position.to_move, position.place(cell)
        if after.result:
            return _lead(after, mover), 0
        own, enemy = after.stones(mover), after.stones(mover.other)
        # The fast game calls the side to move x, which is the other one.
        ends = [fast_game(after.grid, choose, enemy, own)[1].winner for _ in range(games)]
        return ends.count(Side.O), 0

    return weigh


def _lead(position: Position, side: Side) -> float:
    """Return the lead of a side in stones; infinite after a win."""
    if position.result:
        winner = position.result.winner
        return 0 if winner is None else inf if winner is side else -inf
    return position.stones(side).bit_count() - position.stones(side.other).bit_count()


def _best(
    position: Position,
    cells: int,
    weigh: Weigh,
    rng: random.Random,
    may_go_on: Callable[[], bool] = always,
    promise: Weigh | None = None,
) -> int:
    """Return the best of some cells, as far as they can be weighed; one by chance of equal ones.

    The most promising ones are weighed first, and preferred.
    """
    tried = list(position.grid.each(cells))
    rng.shuffle(tried)
    if promise:
        tried.sort(key=lambda cell: promise(position, cell), reverse=True)
    best, found = weigh(position, tried[0]), tried[0]
    for cell in tried[1:]:
        if not may_go_on():
            break
        if (merit := weigh(position, cell)) > best:
            best, found = merit, cell
    return found

"""Simple play: each placement is weighed by the stones on the board, without a search.

A player takes as many stones as it can with each placement, and loses as few. Where that leaves a
choice, it follows as many pieces of the advice on the game as its sight lets it
(`pbm_oust/experiments/advice.py`). What it overlooks, it neither places on nor fears.

In a game that has a fast way to be played by chance, such as Churn, nothing of this tells the
better placement. There it plays each one to the end by chance, the more often the more it sees.
"""

import random
from collections.abc import Callable
from math import exp

from pbm_oust.board import Game, Place
from pbm_oust.experiments.advice import ADVICE, Weigh, lead, preferred
from pbm_oust.experiments.simulate import chooser
from pbm_oust.robot.levels import Sight
from pbm_oust.robot.search import always
from pbm_oust.rules import Kind, Position, Side
from pbm_oust.rules.position import FastGame

GAMES = {0: 2, 1: 10}
"""The number of random games for each placement, by how much advice the player would follow."""

MOST_GAMES = 100
"""The number of those games for whoever would follow all advice."""

LARGEST = 61
"""The most cells of a board for random games; on larger ones they take too long."""


class Attention:
    """The cells that a weak player looks at: all near the latest placements, some of the others.

    The choice among the others is random, and new for each placement.
    """

    def __init__(self, game: Game, sight: Sight, rng: random.Random) -> None:
        """Begin with the latest two turns of a game."""
        self._sight = sight
        self._rng = rng
        self._known = game.position.occupied
        turns = [move.wish for move in game.line[-2:]]
        names = {cell for turn in turns if isinstance(turn, Place) for cell in turn.cells}
        self._latest = sum(map(game.header.grid.parse_cell, names))

    def overlooked(self, position: Position) -> int:
        """Return the ignored cells in the next position."""
        self._latest |= position.occupied & ~self._known
        self._known |= self._latest
        if not self._latest:
            return 0
        near = self._latest | position.grid.neighbours(self._latest)
        far = position.grid.cells & ~(position.occupied | near)
        overlooks = self._sight.overlooks_of(far.bit_count())
        each = position.grid.each(far) if overlooks else ()
        return sum(cell for cell in each if self._rng.random() < overlooks)


def simple_turn(
    game: Game, sight: Sight, rng: random.Random, may_go_on: Callable[[], bool] = always
) -> list[int]:
    """Return the placements of a whole turn from a position that has one.

    For each placement at least one candidate is weighed, and others as long as `may_go_on` allows.
    """
    cells, position, kind = list[int](), game.position, game.header.kind
    attention = Attention(game, sight, rng)
    while not cells or (position.is_mid_turn and not position.result):
        overlooked, weights = attention.overlooked(position), weights_of(kind, position, sight, rng)
        cells.append(preferred(position, weights, rng, overlooked, may_go_on))
        position = position.place(cells[-1])
    return cells


def weights_of(
    kind: Kind, position: Position, sight: Sight, rng: random.Random
) -> tuple[Weigh, ...]:
    """Return what a player weighs placements by, the first before the next."""
    games = GAMES.get(sight.advice, MOST_GAMES) if sight.advice is not None else MOST_GAMES
    if kind.fast_game and position.grid.cells.bit_count() <= LARGEST:
        return (_by_chance(kind.fast_game, chooser(position.grid, rng), games),)
    return lead, *[*ADVICE.get(kind.name, {}).values()][: sight.advice]


def outlook(position: Position) -> float:
    """Return the estimated chance of the side to move, 0..1, by the stones of both sides."""
    ahead, number = lead(position, position.to_move), position.occupied.bit_count()
    return 1 / (1 + exp(-4 * ahead / (number + 4)))


def _by_chance(fast_game: FastGame, choose: Callable[[int], int], games: int) -> Weigh:
    """Return the weight of placements by the games won among `games` random ones."""

    def weigh(after: Position, side: Side, _overlooked: int = 0) -> float:
        if after.result:
            return lead(after, side)
        own, enemy = after.stones(side), after.stones(side.other)
        # The fast game calls the side to move x, which is the other one.
        ends = [fast_game(after.grid, choose, enemy, own)[1].winner for _ in range(games)]
        return ends.count(Side.O)

    return weigh

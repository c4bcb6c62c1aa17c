"""What a house player does: the whole turn of the side to move, and the answer to a draw."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce
from math import inf

from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed, Place, Wish
from pbm_oust.experiments.solve import Worth
from pbm_oust.robot.draws import offers_draw
from pbm_oust.robot.pie import fairest, is_first_stone
from pbm_oust.robot.search import follow
from pbm_oust.robot.searched import Searched
from pbm_oust.robot.searchers import searcher_for
from pbm_oust.robot.solver import solver_for
from pbm_oust.robot.trees import Trees
from pbm_oust.rules.position import Position

HOPELESS = 0.02
"""A player who is less likely to win than this, in two turns of its own, resigns."""

SMALL = 30
"""On boards of up to so many cells games are short, and are played to the end."""

PONDERED = 0.9
"""The share of the time that goes to the turn; what is left tells whether to resign."""

CONTENT = 0.45
"""A player who is less likely to win than this takes a draw."""

Clock = Callable[[], float]
"""Returns the seconds of thinking that have passed since some moment."""


@dataclass(frozen=True, slots=True)
class Level:
    """A house player and how long it may think about a turn."""

    userid: str
    seconds: float


LEVELS = (Level("house1", 1), Level("house2", 10), Level("house3", 60))
"""From the weakest to the strongest. They differ in nothing but their time."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a player wishes to do, and why."""

    wish: Wish
    value: float
    """0..1: how likely the side to move was to win before it, as far as it was searched."""
    looks: int
    """How many positions were looked at."""
    offers_draw: bool = False
    """Whether it proposes a draw after that."""
    root: Searched | None = field(default=None, compare=False, repr=False)
    """The tree that it comes from, if that may be of use in later turns."""
    cells: tuple[int, ...] = ()
    """The placements of the turn."""


class Thinking:
    """One player's thoughts about one game, for as many seconds as it has."""

    def __init__(self, game: Game, seconds: float, rng: random.Random, clock: Clock) -> None:
        self._searcher = searcher_for(game.header.kind.name, game.header.grid, rng, seconds)
        self._seconds = seconds
        self._clock = clock
        self._begun = clock()
        self.looks = 0
        """How many positions were looked at."""
        self._solver = solver_for(game.header.kind.name, game.header.grid)

    def solved(self, position: Position) -> tuple[float, list[int]] | None:
        """Return what a position is worth to the side to move, and a turn that gets as much.

        Returns None if the board is too large. Small ones take little time, and may have it.
        """
        clock = self._clock
        if self._solver and (found := self._solver.turn(position, lambda: clock() < inf)):
            worth, cells = found
            return (worth - Worth.LOSS) / (Worth.WIN - Worth.LOSS), cells
        return None

    def root(self, position: Position) -> Searched:
        """Return a tree of a position that has not grown."""
        return self._searcher.root(position)

    def search(self, position: Position, share: float) -> Searched:
        """Return a tree of a position that was searched until this share of the time is spent."""
        root = self.root(position)
        self.grow(root, share)
        return root

    def grow(self, node: Searched, share: float) -> None:
        """Let a tree grow from a position until this share of the time is spent."""
        self.looks += self._searcher.grow(node, self._until(share))

    def _until(self, share: float) -> Callable[[], bool]:
        end, clock = self._begun + share * self._seconds, self._clock
        return lambda: clock() < end

    def turn(self, root: Searched, share: float) -> list[int]:
        """Return the placements of a whole turn, searched until this share of the time is spent."""
        cells: list[int] = []
        node, spent = root, 0.0
        while not cells or node.position.is_mid_turn:
            # What the first placement is worth depends on those that follow: they have half.
            spent = (spent + share) / 2
            self.grow(node, spent)
            if not node.after_best().position.is_mid_turn:
                self.grow(node, share)
            cells.append(node.best().cell)
            node = node.after_best()
            if node.position.result:
                break
        if self._searcher.is_lost(root.position):
            root.proved = 0.0
        return cells


def decide(
    game: Game, seconds: float, rng: random.Random, clock: Clock, trees: Trees | None = None
) -> Decision:
    """Return what the side to move does in a game that goes on.

    `clock` tells seconds; what it counts from does not matter. A tree is taken from `trees` if the
    board has one there.
    """
    if game.must_pass:
        return Decision(Deed.PASS, 0.5, 0)
    thinking = Thinking(game, seconds, rng, clock)
    if is_first_stone(game):
        cell, value = fairest(game.position, thinking.search)
        return Decision(_placing(game, cell), value, thinking.looks)
    if (solved := thinking.solved(game.position)) is not None:
        value, cells = solved
        if game.can_swap and value < 0.5:
            return Decision(Deed.SWAP, value, thinking.looks)
        if value:  # a lost position is searched, for whatever the other player may overlook
            return _turn(game, cells, value, thinking.looks, is_drawn=value == 0.5)
    kept = trees.take(game) if trees is not None else None
    root = kept or thinking.root(game.position)
    if game.can_swap:
        thinking.grow(root, PONDERED / 2)
        if root.value < 0.5:
            return Decision(Deed.SWAP, root.value, thinking.looks, root=root)
    cells = thinking.turn(root, PONDERED)
    if root.value < HOPELESS and _was_hopeless(game, thinking):
        return Decision(Deed.RESIGN, root.value, thinking.looks)
    decision = _turn(game, cells, root.value, thinking.looks, is_drawn=root.proved == 0.5)
    return replace(decision, root=root, cells=tuple(cells))


def takes_draw(game: Game, seconds: float, rng: random.Random, clock: Clock) -> bool:
    """Return whether the player to whom a draw is proposed takes it."""
    node = Thinking(game, seconds, rng, clock).search(game.position, 1)
    is_asked = game.offer is not None and game.offer.side is not game.to_move
    return (node.value if is_asked else 1 - node.value) < CONTENT


def _turn(game: Game, cells: list[int], value: float, looks: int, *, is_drawn: bool) -> Decision:
    """Return the decision to place stones, with an offer of a draw if the game goes on after it."""
    after = reduce(follow, cells, game.position)
    offers = not after.result and offers_draw(game, value, is_drawn=is_drawn)
    return Decision(_placing(game, *cells), value, looks, offers)


def _placing(game: Game, *cells: int) -> Place:
    return Place(tuple(map(game.header.grid.format_cell, cells)))


def _was_hopeless(game: Game, thinking: Thinking) -> bool:
    """Return whether the side to move could not hope before its latest turn either."""
    turns = (nth for nth, move in enumerate(game.line) if move.side is game.to_move)
    latest = max(turns, default=None)
    if latest is None or game.header.grid.cells.bit_count() <= SMALL:
        return False
    node = thinking.search(game.with_moves(latest).position, 1)
    return node.side is game.to_move and node.value < HOPELESS

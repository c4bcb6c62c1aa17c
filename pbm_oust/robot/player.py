"""What a house player does: the whole turn of the side to move, and the answer to a draw.

The trees that it has grown are kept from one turn to the next, by the names of their boards.
"""

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import inf

from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed, Place, Wish
from pbm_oust.experiments.counting import orbits
from pbm_oust.experiments.solve import Worth
from pbm_oust.robot.search import MOST_BYTES, Searched, follow, worth_before
from pbm_oust.robot.searchers import searcher_for
from pbm_oust.robot.solver import solver_for
from pbm_oust.rules.position import Position, Side


def is_first_stone(game: Game) -> bool:
    """Return whether the side to move places a stone that the other player may take over."""
    position = game.position
    is_empty = not position.occupied
    return game.header.terms.swap and game.to_move is Side.X and is_empty and not game.line


def fairest(position: Position, search: Callable[[Position, float], Searched]) -> tuple[int, float]:
    """Return the first stone that leaves the sides most equal, and how likely its owner is to win.

    `search` searches a position until a share of the time is spent, and returns its tree.
    """
    cells = position.placements()
    first_stones = [min(orbit) for orbit in orbits(position.grid) if min(orbit) & cells]
    found = []
    for nth, cell in enumerate(first_stones, 1):
        node = search(position.place(cell), nth / len(first_stones))
        found.append((max(node.value, 1 - node.value), cell))
    worst, cell = min(found)
    return cell, 1 - worst


LONG = 4
"""A game is long that has had so many moves for each cell."""

EVEN = 0.05
"""How far from one half the likelihood may be in a game that is even."""


def offers_draw(game: Game, value: float, *, is_drawn: bool) -> bool:
    """Return whether the side to move, which is so likely to win, offers a draw after its turn.

    It does if the game is known to be drawn with best play, or is long and even; and then not
    again for as many records as the board has cells.
    """
    cells = game.header.grid.cells.bit_count()
    is_even = len(game.line) >= LONG * cells and abs(value - 0.5) < EVEN
    lately = game.records[-cells:]
    has_offered = any(
        record.action is Deed.PROPOSE and record.side is game.to_move for record in lately
    )
    return (is_drawn or is_even) and not has_offered


FORGOTTEN = frozenset({"churn"})
"""Kinds of which no tree is kept: in Churn, what was proved is, and trees were not seen to help."""


@dataclass(frozen=True, slots=True)
class _Tree:
    """A tree that is kept."""

    root: Searched
    position: Position
    """That of the root, as the rules alone have it."""
    taken: int
    """How many bytes it takes."""


class Trees:
    """Trees of boards. Those that were not needed for longest go first if they take too much."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Let all trees together take so many bytes at most."""
        self._most_bytes = most_bytes
        self._kept: dict[str, _Tree] = {}
        """The latest last."""

    def __len__(self) -> int:
        """Return how many trees are kept."""
        return len(self._kept)

    @property
    def memory(self) -> int:
        """About how many bytes they take."""
        return sum(tree.taken for tree in self._kept.values())

    def keep(self, game: Game, root: Searched, cells: Sequence[int]) -> None:
        """Keep what is below the position that some placements lead to from the root of a tree.

        `game` stands at that root. Whoever keeps a tree does not use it any more.
        """
        if game.header.kind.name in FORGOTTEN:
            return
        node = _below(root, cells)
        if node is None or not node.branches:
            return
        try:
            taken = node.keep(self._most_bytes)
        except MemoryError:
            return
        self._kept.pop(game.name, None)
        if taken > self._most_bytes:
            return
        position = reduce(follow, cells, game.position)
        self._kept[game.name] = _Tree(node, position, taken)
        while self.memory > self._most_bytes:
            del self._kept[next(iter(self._kept))]

    def take(self, game: Game) -> Searched | None:
        """Return the tree of a game whose root is its position, and keep it no longer.

        Returns None if there is none: nothing is kept, or the game has gone another way.
        """
        tree = self._kept.pop(game.name, None)
        node = _found(tree, game) if tree else None
        if node is None or not _can_go_on(node):
            return None
        try:
            node.keep(self._most_bytes)
        except MemoryError:
            return None
        return node

    def keep_only(self, names: Collection[str]) -> None:
        """Let go of the trees of all boards but these."""
        self._kept = {name: tree for name, tree in self._kept.items() if name in names}


def _found(tree: _Tree, game: Game) -> Searched | None:
    """Return where a game stands in a tree, by replaying it; None if the tree has no such place."""
    position = game.header.first_position
    node = tree.root if position == tree.position else None
    for cell in _cells(game):
        position = follow(position, cell)
        if position == tree.position:
            node = tree.root
        elif node:
            node = _below(node, [cell])
    return node if position == game.position else None


def _cells(game: Game) -> Iterator[int]:
    """Yield the placements that have led to a position, and 0 for passes."""
    for move in game.line:
        if move.action is Deed.PASS:
            yield 0
        elif isinstance(move.action, tuple):
            for placement in move.action:
                yield game.header.grid.parse_cell(placement.cell)


def _below(root: Searched, cells: Sequence[int]) -> Searched | None:
    """Return where some placements lead to; None if the tree does not go as far."""
    node: Searched | None = root
    for cell in cells:
        ways = node.branches if node else ()
        node = next((way.node for way in ways if way.cell == cell), None)
    return node


def _can_go_on(node: Searched) -> bool:
    """Return whether a tree can be played from a position: what is proved there is known how."""
    if node.proved is None:
        return True
    if not node.branches:
        return False
    best = node.best()
    return best.node.proved is not None and worth_before(best, node) == node.proved


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

"""Trees that the compiled core grows: the same trees as in `search.py`, many times as fast.

The core is there if a C compiler was when pbm_oust was installed. It knows Oust and Churn on boards
of up to 256 cells.
"""

import random
import sys
from collections.abc import Callable
from functools import lru_cache

from pbm_oust.robot.churn import LARGEST
from pbm_oust.robot.search import MOST_BYTES, Node, Searched, follow, merit
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position, Side

try:
    from pbm_oust.robot import _core
except ImportError:
    IS_THERE = False
else:
    IS_THERE = True

ENTRIES = 2**23
"""How many proofs of a grid are kept: they take 64 megabytes."""

MANY, MORE = 4000, 16_000
"""How many positions are used for proofs after every 16 looks: with little time, and with much."""

MUCH = 30
"""So many seconds for a turn are much."""

EFFORT = 10_000
"""How much a tree grows before it asks again whether it may: a millisecond or two."""

LENGTH = 84
"""How many bytes hold any set of cells."""


def proving_in(seconds: float) -> int:
    """Return how many positions are used for proofs at a time by who has so long for a turn."""
    return MANY if seconds < MUCH else MORE


def knows(kind: str, grid: Grid) -> bool:
    """Return whether the core is there and can play a kind of game on a grid."""
    return IS_THERE and kind in ("oust", "churn") and grid.cells.bit_count() <= _core.MOST_CELLS


class CompiledBranch:
    """A placement in a position of a tree, or a pass (0), and where it leads."""

    __slots__ = ("cell", "node", "prior", "visits")

    def __init__(self, cell: int, visits: int, prior: float, node: "CompiledNode") -> None:
        self.cell = cell
        self.visits = visits
        self.prior = prior
        self.node = node


class CompiledNode:
    """A position of a tree. Values are those of the side to move in it."""

    __slots__ = ("_before", "_cell", "_position", "number", "tree")

    def __init__(
        self,
        tree: "_core.Tree",
        number: int,
        position: Position | None = None,
        before: "CompiledNode | None" = None,
        cell: int = 0,
    ) -> None:
        self.tree = tree
        self.number = number
        """Its number in the tree."""
        self._position = position
        self._before = before
        """If the position is not known: what it follows by a placement or a pass."""
        self._cell = cell

    @property
    def position(self) -> Position:
        """The position."""
        if self._position is None and self._before is not None:
            self._position = follow(self._before.position, self._cell)
        return self._position  # type: ignore[return-value] # one of the two is always known

    @property
    def side(self) -> Side:
        """The side to move."""
        return Side.O if self._known[3] else Side.X

    @property
    def visits(self) -> int:
        """How often the tree grew from here."""
        return self._known[0]

    @property
    def proved(self) -> float | None:
        """What it is worth for certain; None if that is not known."""
        halves = self._known[2]
        return None if halves < 0 else halves / 2

    @proved.setter
    def proved(self, value: float | None) -> None:
        if value is not None:
            self.tree.settle(self.number, round(2 * value))

    @property
    def value(self) -> float:
        """How likely the side to move is to win, as far as it was searched."""
        visits, total, halves, *_ = self._known
        if halves >= 0:
            return halves / 2
        return total / visits if visits else 0.5

    @property
    def branches(self) -> list[CompiledBranch]:
        """The placements that were tried."""
        found = []
        for bit, visits, prior, number in self.tree.branches(self.number):
            cell = 1 << bit if bit >= 0 else 0
            node = CompiledNode(self.tree, number, before=self, cell=cell)
            found.append(CompiledBranch(cell, visits, prior, node))
        return found

    def best(self) -> CompiledBranch:
        """Return the branch to play. Raises ValueError if nothing was tried."""
        return max(self.branches, key=lambda branch: merit(branch, self))

    def after_best(self) -> "CompiledNode":
        """Return where the branch to play leads."""
        return self.best().node

    def keep(self, most_bytes: int) -> int:
        """Make the position the root of its tree; return how many bytes the tree has then.

        All that is not below it goes. What is visited least is forgotten, until the rest takes
        about so many bytes at most. All other nodes of the tree are of no use afterwards. Raises
        MemoryError.
        """
        self._position, self._before = self.position, None
        (self.number,) = self.tree.keep([self.number], sys.maxsize)
        if self.tree.memory > most_bytes:
            self.make_room(most_bytes)
        return self.tree.memory

    def make_room(self, most_bytes: int) -> None:
        """Let the tree forget what it visits least, so that it takes about so many bytes at most.

        The position and those before it remain; all other nodes are of no use afterwards. Raises
        MemoryError.
        """
        path = [self]
        while path[-1]._before is not None:
            path.append(path[-1]._before)
        path.reverse()
        numbers = self.tree.keep([each.number for each in path], most_bytes)
        for node, number in zip(path, numbers, strict=True):
            node.number = number

    @property
    def _known(self) -> tuple[int, float, int, int, int, int]:
        return self.tree.know(self.number)


class CompiledSearcher:
    """Grows trees of one game on one grid by the core."""

    def __init__(
        self,
        kind: str,
        grid: Grid,
        rng: random.Random,
        *,
        is_plain: bool = False,
        picks_lowest: bool = False,
        proving: int = MANY,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """Let it search as a house player does, or plainly: by uniform games and nothing else.

        It may pick the lowest of several cells instead of one by chance, so that its trees can be
        compared with others. `proving` is how many positions are used for proofs at a time. A tree
        is full when it has two thirds of the memory. Then it keeps one third, which is copied
        meanwhile.
        Raises ValueError if the core does not know the game on this grid.
        """
        if not knows(kind, grid):
            raise ValueError(f"the core does not play {kind} on {grid}")
        self._grid = grid
        self._rng = rng
        self._picks_lowest = picks_lowest
        self._proving = proving
        self._most_bytes = most_bytes * 2 // 3
        if kind == "oust":
            self._eye = _core.OUST_BY_CHANCE if is_plain else _core.OUST_BY_EYE
        else:
            self._eye = _core.CHURN_BY_CHANCE
        is_small = grid.cells.bit_count() <= LARGEST
        has_proofs = kind == "churn" and is_small and not is_plain
        self._proofs = proofs_on(grid) if has_proofs else None

    def root(self, position: Position) -> Searched:
        """Return a tree that has not grown."""
        if position.result:
            return Node(position)
        tree = _core.Tree(
            *_lattice(self._grid),
            eye=self._eye,
            x=_bytes(position.stones(Side.X)),
            o=_bytes(position.stones(Side.O)),
            to_move=position.to_move is Side.O,
            is_mid_turn=position.is_mid_turn,
            seed=self._rng.getrandbits(64),
            proofs=self._proofs,
            proving=self._proving,
            most_bytes=self._most_bytes,
            picks_lowest=self._picks_lowest,
        )
        return CompiledNode(tree, 0, position)

    def grow(self, node: Searched, may_go_on: Callable[[], bool]) -> int:
        """Let a tree of this searcher grow from a position, as `Searcher` says."""
        times = 0
        if isinstance(node, CompiledNode):
            tree = node.tree
            while node.proved is None and (may_go_on() or not tree.know(node.number)[-1]):
                grown = tree.grow(node.number, times, EFFORT)
                times += grown
                if tree.is_full and not self._makes_room(node):
                    break
        return times

    def _makes_room(self, node: CompiledNode) -> bool:
        """Let a full tree forget one half; return whether that gave it room to grow."""
        try:
            node.make_room(self._most_bytes // 2)
        except MemoryError:
            return False
        return node.tree.memory < self._most_bytes * 3 // 4

    def is_lost(self, position: Position) -> bool:
        """Return whether the side to move is known to lose, though the tree still searches it."""
        if self._proofs is None or position.result:
            return False
        mover = position.to_move
        own, enemy = _bytes(position.stones(mover)), _bytes(position.stones(mover.other))
        return self._proofs.wins(own, enemy) is False


@lru_cache(maxsize=2)
def proofs_on(grid: Grid) -> "_core.Proofs":
    """Return what was proved on a grid since the process began."""
    return _core.Proofs(*_lattice(grid), entries=ENTRIES)


def _lattice(grid: Grid) -> tuple[bytes, int, int]:
    return _bytes(grid.cells), grid.stride, grid.slant


def _bytes(some: int) -> bytes:
    return some.to_bytes(LENGTH, "little")

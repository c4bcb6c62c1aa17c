"""Trees of positions: the compiled core grows them, and they are kept from one turn to the next.

The core (`core/`) is there if a C compiler was when pbm_oust was installed. It knows Oust and Churn
on boards of up to 256 cells. Where it cannot search, the house plays the simple way (`greedy.py`).
"""

import os
import random
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import NamedTuple

from pbm_oust.board import Deed, Game
from pbm_oust.rules import Grid, Position, Result, Side

try:
    from pbm_oust.robot import _core
except ImportError:
    IS_THERE = False
else:
    IS_THERE = True

VARIABLE = "PBM_OUST_HOUSE"
"""If this variable of the environment is `python`, the compiled core is left alone."""

MOST_BYTES = min(256 * 2**20, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 16)
"""How much memory a tree takes at most: a sixteenth of the machine's, but not more than 256 MB."""

ENTRIES = 2**21
"""How many proofs of a game on a grid are kept: they take 64 megabytes."""


class Proving(NamedTuple):
    """How much of the search for the best turn goes to proofs."""

    largest: int
    """The most cells of a board on which proofs are sought."""
    looks: int
    """After how many looks they are sought."""
    many: int
    """How many positions are searched for them then, with little time."""
    more: int
    """The same, with much."""


PROVING = {"oust": Proving(49, 16_384, 1000, 1000), "churn": Proving(19, 16, 4000, 16_000)}
"""That of each kind of game: Oust up to 7x7, and Churn up to hex 3."""

MUCH = 30
"""So many seconds for a turn are much."""

EFFORT = 10_000
"""How much a tree grows before it asks again whether it may: a millisecond or two."""

CURIOSITY = {"oust": 0.7, "churn": 1.0}
"""How much the promise of a placement counts against what came of it, by the kind of game."""

LENGTH = 84
"""How many bytes hold any set of cells."""


def always() -> bool:
    """Return that whoever searches may go on."""
    return True


def has_core() -> bool:
    """Return whether the compiled core is there, and is not to be left alone."""
    return IS_THERE and os.environ.get(VARIABLE) != "python"


def lack() -> str | None:
    """Return why the core searches nothing here, and what to do about it; None if it does."""
    if has_core():
        return None
    if IS_THERE:
        return f"{VARIABLE} is python in the environment; remove it from there"
    return (
        "the compiled core is not installed; install a C compiler and the headers of Python "
        "(Debian: gcc, python3-dev), and then pbm_oust again"
    )


def can_search(kind: str, grid: Grid) -> bool:
    """Return whether the compiled core can search a kind of game on a grid."""
    is_known = kind in ("oust", "churn")
    return has_core() and is_known and grid.cells.bit_count() <= _core.MOST_CELLS


def follow(position: Position, cell: int) -> Position:
    """Return the position after a placement, or after a pass (0)."""
    return position.place(cell) if cell else position.pass_turn()


def worth(result: Result, side: Side) -> float:
    """Return what a result is worth to a side: 1 for a win, 0 for a loss."""
    if result.winner is None:
        return 0.5
    return float(result.winner is side)


NETS = Path(__file__).with_name("nets")


@lru_cache
def net_on(grid: Grid) -> bytes:
    """Return the net that values positions of Oust on a grid: one serves all of its shape."""
    return (NETS / f"oust-{grid.shape.value}.net").read_bytes()


class Branch(NamedTuple):
    """A placement in a position of a tree, or a pass (0), and where it leads."""

    cell: int
    visits: int
    """How often it was tried."""
    prior: float
    """How promising it looked at a glance."""
    node: "Searched"


class Searched:
    """A position of a tree. Values are those of the side to move in it."""

    __slots__ = ("_before", "_cell", "_position", "number", "tree")

    def __init__(
        self,
        tree: "_core.Tree",
        number: int,
        position: Position | None = None,
        before: "Searched | None" = None,
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

    @property
    def value(self) -> float:
        """How likely the side to move is to win, as far as it was searched."""
        visits, total, halves, *_ = self._known
        if halves >= 0:
            return halves / 2
        return total / visits if visits else 0.5

    @property
    def branches(self) -> list[Branch]:
        """The placements that were tried."""
        found = []
        for bit, visits, prior, number in self.tree.branches(self.number):
            cell = 1 << bit if bit >= 0 else 0
            node = Searched(self.tree, number, before=self, cell=cell)
            found.append(Branch(cell, visits, prior, node))
        return found

    def value_of(self, branch: Branch) -> float:
        """Return what a branch is worth to the side to move, as far as it was searched."""
        value = branch.node.value
        return value if branch.node.side is self.side else 1 - value

    def best(self) -> Branch:
        """Return the branch to play: a proved win, else what was tried most, else a loss.

        Raises ValueError if nothing was tried.
        """

        def merit(branch: Branch) -> tuple[float, float]:
            value = self.value_of(branch)
            if branch.node.proved is None or 0.0 < value < 1.0:
                return float(branch.visits), value
            return (inf, 1.0) if value else (-1.0, branch.prior)

        return max(self.branches, key=merit)

    def settle(self, value: float) -> None:
        """Take the position as proved to be worth so much."""
        self.tree.settle(self.number, round(2 * value))

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


class Searcher:
    """Grows trees of one game on one grid by the compiled core."""

    def __init__(
        self,
        kind: str,
        grid: Grid,
        rng: random.Random,
        *,
        seconds: float = 0.0,
        is_plain: bool = False,
        picks_lowest: bool = False,
        most_bytes: int = MOST_BYTES,
        is_proving: bool = True,
        net: bytes | None = None,
    ) -> None:
        """Let it search as a house player with so many seconds for a turn does.

        It may also search plainly: by uniform games and nothing else. It may pick the lowest of
        several cells instead of one by chance, so that what it does can be compared. A tree is full
        when it has two thirds of the memory. Then it keeps one third, which is copied meanwhile.
        Raises ValueError if the core does not know the game on this grid.
        """
        if not can_search(kind, grid):
            raise ValueError(f"the core does not play {kind} on {grid}")
        self._grid = grid
        self._rng = rng
        self._picks_lowest = picks_lowest
        proving = PROVING[kind]
        self._proving = proving.many if seconds < MUCH else proving.more
        self._resting = proving.looks
        self._most_bytes = most_bytes * 2 // 3
        if kind == "oust":
            self._eye = _core.OUST_BY_CHANCE if is_plain else _core.OUST_BY_EYE
        else:
            self._eye = _core.CHURN_BY_CHANCE
        is_small = grid.cells.bit_count() <= proving.largest
        has_proofs = is_small and is_proving and not is_plain
        self._net = net or net_on(grid)
        self._curiosity = CURIOSITY[kind]
        self._proofs = proofs_on(kind, grid) if has_proofs else None

    def root(self, position: Position, overlooked: int = 0) -> Searched:
        """Return a tree that has not grown.

        The side to move does not think of placing on cells that it overlooks, if it can elsewhere.
        """
        tree = _core.Tree(
            *lattice_of(self._grid),
            eye=self._eye,
            net=self._net,
            curiosity=self._curiosity,
            x=bytes_of(position.stones(Side.X)),
            o=bytes_of(position.stones(Side.O)),
            to_move=position.to_move is Side.O,
            is_mid_turn=position.is_mid_turn,
            overlooked=bytes_of(overlooked),
            seed=self._rng.getrandbits(64),
            proofs=self._proofs,
            proving=self._proving,
            resting=self._resting,
            most_bytes=self._most_bytes,
            picks_lowest=self._picks_lowest,
        )
        root = Searched(tree, 0, position)
        if position.result:
            root.settle(worth(position.result, position.to_move))
        return root

    def grow(
        self, node: Searched, may_go_on: Callable[[], bool] = always, most: float = inf
    ) -> int:
        """Let a tree of this searcher grow from a position as long and as often as it may.

        It stops when that position is proved. If it is not, it has a branch afterwards. Returns how
        often it grew.
        """
        tree, times = node.tree, 0
        while node.proved is None:
            if (times >= most or not may_go_on()) and tree.know(node.number)[-1]:
                break
            times += tree.grow(node.number, times, EFFORT, int(min(EFFORT, max(1, most - times))))
            if tree.is_full and not self._makes_room(node):
                break
        return times

    def _makes_room(self, node: Searched) -> bool:
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
        return self._proofs.reaches(*stones_of(position), _core.NO_LOSS) is False


@lru_cache(maxsize=2)
def proofs_on(kind: str, grid: Grid) -> "_core.Proofs":
    """Return what was proved of a kind of game on a grid since the process began."""
    return _core.Proofs(*lattice_of(grid), is_churn=kind == "churn", entries=ENTRIES, symmetries=[])


def stones_of(position: Position) -> tuple[bytes, bytes]:
    """Return the stones of the side to move and of the other, as the core reads them."""
    mover = position.to_move
    return bytes_of(position.stones(mover)), bytes_of(position.stones(mover.other))


def lattice_of(grid: Grid) -> tuple[bytes, int, int]:
    """Return a grid as the core reads it: its cells, its stride and its slant."""
    return bytes_of(grid.cells), grid.stride, grid.slant


def bytes_of(some: int) -> bytes:
    """Return a set of cells as the core reads it."""
    return some.to_bytes(LENGTH, "little")


FORGOTTEN = frozenset({"churn"})
"""Kinds of which no tree is kept: in Churn, what was proved is, and trees were not seen to help."""


class Trees:
    """Trees of boards. Those that were not needed for longest go first if they take too much."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Let all trees together take so many bytes at most."""
        self._most_bytes = most_bytes
        self._kept: dict[str, Searched] = {}
        """Their roots by the names of their boards, the latest last."""

    def __len__(self) -> int:
        """Return how many trees are kept."""
        return len(self._kept)

    @property
    def memory(self) -> int:
        """About how many bytes they take."""
        return sum(root.tree.memory for root in self._kept.values())

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
        self._kept[game.name] = node
        while self.memory > self._most_bytes:
            del self._kept[next(iter(self._kept))]

    def take(self, game: Game) -> Searched | None:
        """Return the tree of a game whose root is its position, and keep it no longer.

        Returns None if there is none: nothing is kept, or the game has gone another way.
        """
        root = self._kept.pop(game.name, None)
        node = _found(root, game) if root else None
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


def _found(root: Searched, game: Game) -> Searched | None:
    """Return where a game stands in a tree, by replaying it; None if the tree has no such place."""
    position = game.header.first_position
    node = root if position == root.position else None
    for cell in _cells(game):
        position = follow(position, cell)
        if position == root.position:
            node = root
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
    return best.node.proved is not None and node.value_of(best) == node.proved

"""Search trees of positions: grown by the compiled core, and kept between turns.

The core (`core/`) is there if a C compiler was when pbm_oust was installed. It knows Oust and Churn
on boards of up to 256 cells. Where it cannot search, the house plays the simple way (`greedy.py`).
"""

import os
import random
import sys
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import NamedTuple

from pbm_oust.board import Game
from pbm_oust.experiments.counting import symmetries
from pbm_oust.rules import Grid, Position, Result, Side

try:
    from pbm_oust.robot import _core
except ImportError:
    IS_THERE = False
else:
    IS_THERE = True

VARIABLE = "PBM_OUST_HOUSE"
"""The environment variable that disables the compiled core if it is `python`."""

MOST_BYTES = min(256 * 2**20, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 16)
"""The memory of a tree: a sixteenth of the machine's, at most 256 MB."""

ENTRIES = 2**21
"""The number of proofs kept for a game on a grid: 64 megabytes, in which a ledger of hex 3 fits."""


class Proving(NamedTuple):
    """The share of the search that goes to proofs."""

    largest: int
    """The most cells of a board with proofs."""
    looks: int
    """The number of looks before a proof is tried."""
    many: int
    """The number of positions for a proof if time is short."""
    more: int
    """The number of positions if there is much time."""


PROVING = {"oust": Proving(49, 16_384, 1000, 1000), "churn": Proving(19, 16, 4000, 16_000)}
"""The proofs of each game: Oust up to 7x7, and Churn up to hex 3."""

MUCH = 30
"""The seconds for a turn that count as much time."""

EFFORT = 10_000
"""The growth of a tree between two looks at the clock: a millisecond or two."""

CURIOSITY = {"oust": (0.7, 0.7), "churn": (0.4, 1.0)}
"""The weight of a placement's prior against its results, by game: with its eye, and by chance."""

LENGTH = 84
"""The bytes for any set of cells."""


def always() -> bool:
    """Return True, for a search without a limit."""
    return True


def has_core() -> bool:
    """Return whether the compiled core is there and enabled."""
    return IS_THERE and os.environ.get(VARIABLE) != "python"


def lack() -> str | None:
    """Return why the core cannot search, and the remedy; None if it can."""
    if has_core():
        return None
    if IS_THERE:
        return f"{VARIABLE} is python in the environment; remove it from there"
    return (
        "the compiled core is not installed; install a C compiler and the headers of Python "
        "(Debian: gcc, python3-dev), and then pbm_oust again"
    )


def can_search(kind: str, grid: Grid, most_cells: float = inf) -> bool:
    """Return whether the compiled core can search a game on a grid of at most so many cells."""
    is_known, cells = kind in ("oust", "churn"), grid.cells.bit_count()
    return has_core() and is_known and cells <= min(most_cells, _core.MOST_CELLS)


def after_cell(position: Position, cell: int) -> Position:
    """Return the position after a placement, or after a pass (0)."""
    return position.place(cell) if cell else position.pass_turn()


def worth(result: Result, side: Side) -> float:
    """Return the worth of a result to a side: 1 for a win, 0 for a loss."""
    if result.winner is None:
        return 0.5
    return float(result.winner is side)


NETS = Path(__file__).with_name("nets")


@lru_cache
def net_on(kind: str, grid: Grid) -> bytes:
    """Return the net for positions of a game on a grid; it is empty if there is none.

    In Oust, all grids of a shape have the same. In Churn, some grids have one of their own.
    """
    if kind == "oust":
        return (NETS / f"oust-{grid.shape.value}.net").read_bytes()
    path = NETS / f"{kind}-{grid}.net".replace(" ", "-")
    return path.read_bytes() if path.exists() else b""


class Branch(NamedTuple):
    """A placement in a position of a tree, or a pass (0), and its results."""

    cell: int
    visits: int
    """The number of times it was tried."""
    prior: float
    """The promise at first sight."""
    node: "Searched"


class Searched:
    """A position of a search tree. Values are those of the side to move in it."""

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
            self._position = after_cell(self._before.position, self._cell)
        return self._position  # type: ignore[return-value] # one of the two is always known

    @property
    def side(self) -> Side:
        """The side to move."""
        return Side.O if self._known[3] else Side.X

    @property
    def visits(self) -> int:
        """The number of times the tree grew from here."""
        return self._known[0]

    @property
    def proved(self) -> float | None:
        """The proved value, or None."""
        halves = self._known[2]
        return None if halves < 0 else halves / 2

    @property
    def value(self) -> float:
        """The chance of the side to move, as far as it was searched."""
        visits, total, halves, *_ = self._known
        if halves >= 0:
            return halves / 2
        return total / visits if visits else 0.5

    @property
    def branches(self) -> list[Branch]:
        """The tried placements."""
        found = []
        for bit, visits, prior, number in self.tree.branches(self.number):
            cell = 1 << bit if bit >= 0 else 0
            node = Searched(self.tree, number, before=self, cell=cell)
            found.append(Branch(cell, visits, prior, node))
        return found

    def value_of(self, branch: Branch) -> float:
        """Return the value of a branch to the side to move, as far as it was searched."""
        value = branch.node.value
        return value if branch.node.side is self.side else 1 - value

    def best(self) -> Branch:
        """Return the branch to play: a proved win, else the most visited one, else a loss.

        Raises ValueError if nothing was tried.
        """

        def merit(branch: Branch) -> tuple[float, float]:
            value = self.value_of(branch)
            if branch.node.proved is None or 0.0 < value < 1.0:
                return float(branch.visits), value
            return (inf, 1.0) if value else (-1.0, branch.prior)

        return max(self.branches, key=merit)

    def settle(self, value: float) -> None:
        """Mark the position as proved with this value."""
        self.tree.settle(self.number, round(2 * value))

    def keep(self, most_bytes: int) -> int:
        """Make the position the root, and return the bytes of the remaining tree.

        Everything outside its subtree goes. The least visited positions are removed until the rest
        takes about `most_bytes`. All other nodes of the tree become invalid. Raises MemoryError.
        """
        self._position, self._before = self.position, None
        (self.number,) = self.tree.keep([self.number], sys.maxsize)
        if self.tree.memory > most_bytes:
            self.make_room(most_bytes)
        return self.tree.memory

    def make_room(self, most_bytes: int) -> None:
        """Remove the least visited positions, until the tree takes about `most_bytes`.

        The position and those before it remain; all other nodes become invalid. Raises MemoryError.
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
        """Search as a house player with so many seconds for a turn does.

        `is_plain` searches by uniform games and nothing else. `picks_lowest` picks the lowest of
        several cells instead of one by chance, for comparisons. A tree is full when it has two
        thirds of the memory; then one third is kept, and copied meanwhile. Raises ValueError if the
        core does not know the game on this grid.
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
        self._net = net or net_on(kind, grid)
        is_blind = is_plain or not self._net
        self._curiosity = CURIOSITY[kind][is_blind]
        if kind == "oust":
            self._eye = _core.OUST_BY_CHANCE if is_blind else _core.OUST_BY_EYE
        else:
            self._eye = _core.CHURN_BY_CHANCE if is_blind else _core.CHURN_BY_EYE
        is_small = grid.cells.bit_count() <= proving.largest
        has_proofs = is_small and is_proving and not is_plain
        self._proofs = proofs_on(kind, grid) if has_proofs else None

    def root(self, position: Position) -> Searched:
        """Return a new tree of a position."""
        tree = _core.Tree(
            *lattice_of(self._grid),
            eye=self._eye,
            net=self._net,
            curiosity=self._curiosity,
            x=bytes_of(position.stones(Side.X)),
            o=bytes_of(position.stones(Side.O)),
            to_move=position.to_move is Side.O,
            is_mid_turn=position.is_mid_turn,
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
        """Grow a tree of this searcher from a position, and return the number of times it grew.

        It stops when `may_go_on` returns False, after `most` times, or when the position is proved.
        An unproved position then has a branch.
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
        """Remove half of a full tree, and return whether it has room to grow again."""
        try:
            node.make_room(self._most_bytes // 2)
        except MemoryError:
            return False
        return node.tree.memory < self._most_bytes * 3 // 4

    def is_lost(self, position: Position) -> bool:
        """Return whether the proofs say that the side to move loses."""
        if self._proofs is None or position.result:
            return False
        return self._proofs.reaches(*stones_of(position), _core.NO_LOSS) is False


@lru_cache(maxsize=2)
def proofs_on(kind: str, grid: Grid) -> "_core.Proofs":
    """Return the proofs of a game on a grid since the process began."""
    is_churn = kind == "churn"
    images = images_of(grid) if is_churn else []  # in Oust, few positions look alike
    return _core.Proofs(*lattice_of(grid), is_churn=is_churn, entries=ENTRIES, symmetries=images)


def stones_of(position: Position) -> tuple[bytes, bytes]:
    """Return the stones of the side to move and of the other, in the core's format."""
    mover = position.to_move
    return bytes_of(position.stones(mover)), bytes_of(position.stones(mover.other))


def lattice_of(grid: Grid) -> tuple[bytes, int, int]:
    """Return a grid in the core's format: its cells, its stride and its slant."""
    return bytes_of(grid.cells), grid.stride, grid.slant


def images_of(grid: Grid) -> list[bytes]:
    """Return the symmetries of a grid in the core's format: for each cell, its image's number."""
    numbers = {cell: nth for nth, cell in enumerate(grid.each(grid.cells))}
    return [bytes(numbers[each[cell]] for cell in numbers) for each in symmetries(grid)]


def bytes_of(some: int) -> bytes:
    """Return a set of cells in the core's format."""
    return some.to_bytes(LENGTH, "little")


FORGOTTEN = frozenset({"churn"})
"""Games without kept trees: in Churn proofs are kept, and trees did not help."""


class Trees:
    """Search trees by board. Those unused for longest go first if they take too much memory."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Limit the memory of all trees together."""
        self._most_bytes = most_bytes
        self._kept: dict[str, Searched] = {}
        """Their roots by the names of their boards, the latest last."""

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self._kept)

    @property
    def memory(self) -> int:
        """The approximate memory of all trees in bytes."""
        return sum(root.tree.memory for root in self._kept.values())

    def keep(self, game: Game, root: Searched, cells: Sequence[int]) -> None:
        """Keep the subtree after some placements from the root of a tree.

        `game` stands at that root. The caller must not use the tree afterwards.
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
        """Remove and return the tree of a game, with the game's position as its root.

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
        """Remove the trees of all other boards."""
        self._kept = {name: tree for name, tree in self._kept.items() if name in names}


def _found(root: Searched, game: Game) -> Searched | None:
    """Return the node for a game in a tree, by replaying the game; None if there is none."""
    position = game.header.first_position
    node = root if position == root.position else None
    for cell in game.placed_cells:
        position = after_cell(position, cell)
        if position == root.position:
            node = root
        elif node:
            node = _below(node, [cell])
    return node if position == game.position else None


def _below(root: Searched, cells: Sequence[int]) -> Searched | None:
    """Return the node after some placements; None if the tree does not go as far."""
    node: Searched | None = root
    for cell in cells:
        ways = node.branches if node else ()
        node = next((way.node for way in ways if way.cell == cell), None)
    return node


def _can_go_on(node: Searched) -> bool:
    """Return whether a node has branches to play, as some proved ones have not."""
    if node.proved is None:
        return True
    if not node.branches:
        return False
    best = node.best()
    return best.node.proved is not None and node.value_of(best) == node.proved

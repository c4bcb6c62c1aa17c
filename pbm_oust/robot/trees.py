"""Trees that are kept from one turn of the house to the next, by the names of their boards."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed
from pbm_oust.robot.search import follow
from pbm_oust.robot.searched import MOST_BYTES, Searched, worth_before
from pbm_oust.rules.position import Position

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

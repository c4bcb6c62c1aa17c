"""Trees that are kept from one turn of the house to the next, by the names of their boards."""

from collections.abc import Iterator, Sequence

from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed
from pbm_oust.robot.compiled import MOST_BYTES
from pbm_oust.robot.search import follow
from pbm_oust.robot.searched import Searched, worth_before
from pbm_oust.rules.position import Position, Side

FORGOTTEN = frozenset({"churn"})
"""Kinds of which no tree is kept: in Churn, what was proved is, and trees were not seen to help."""


class Trees:
    """Trees of boards. Those that were not needed for longest go first if they take too much."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Let all trees together take so many bytes at most."""
        self._most_bytes = most_bytes
        self._kept: dict[str, tuple[Searched, int]] = {}
        """The trees and how many bytes they take, the latest last."""

    def __len__(self) -> int:
        """Return how many trees are kept."""
        return len(self._kept)

    @property
    def memory(self) -> int:
        """About how many bytes they take."""
        return sum(taken for _, taken in self._kept.values())

    def keep(self, game: Game, root: Searched, cells: Sequence[int]) -> None:
        """Keep what is below the position that some placements lead to from the root of a tree.

        Whoever keeps a tree does not use it any more.
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
        self._kept[game.name] = node, taken
        while self.memory > self._most_bytes:
            del self._kept[next(iter(self._kept))]

    def take(self, game: Game) -> Searched | None:
        """Return the tree of a game whose root is its position, and keep it no longer.

        Returns None if there is none: nothing is kept, or the game has gone another way.
        """
        kept, _ = self._kept.pop(game.name, (None, 0))
        node = _found(kept, game) if kept else None
        if node is None or not _can_go_on(node):
            return None
        try:
            node.keep(self._most_bytes)
        except MemoryError:
            return None
        return node


def _found(kept: Searched, game: Game) -> Searched | None:
    """Return where a game stands in a tree, by replaying it; None if the tree has no such place."""
    header, known = game.header, kept.position
    position: Position = header.kind.start(header.grid)
    node = kept if _is_same(position, known) else None
    for cell in _cells(game):
        position = follow(position, cell)
        if _is_same(position, known):
            node = kept
        elif node:
            node = _below(node, [cell])
    return node if _is_same(position, game.position) else None


def _is_same(one: Position, other: Position) -> bool:
    """Return whether two positions of a game are the same, whatever they carry along."""
    return (one.to_move, one.is_mid_turn) == (other.to_move, other.is_mid_turn) and all(
        one.stones(side) == other.stones(side) for side in Side
    )


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

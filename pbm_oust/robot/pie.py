"""The first stone under the pie rule, which gives it to the player who wants it."""

from collections.abc import Callable

from pbm_oust.board.game import Game
from pbm_oust.experiments.symmetry import orbits
from pbm_oust.robot.searched import Searched
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

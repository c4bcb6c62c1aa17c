"""Counting the positions of a small board that play can reach."""

from pbm_oust.experiments.symmetry import canonical_form
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Kind, Position


def count_positions(kind: Kind, grid: Grid) -> int:
    """Return the number of positions that play can reach; won ones do not count.

    Positions that differ only by a symmetry of the grid or an exchange of the sides count as one.
    Whose turn it is belongs to the position.
    """
    canonical = canonical_form(grid)
    start = kind.start(grid)
    waiting: list[Position] = [start]
    boards: set[tuple[int, int]] = set()
    met: set[tuple[int, int, bool]] = set()
    while waiting:
        position = waiting.pop()
        if position.result and position.result.winner:
            continue
        mover = position.to_move
        board = canonical(position.stones(mover), position.stones(mover.other))
        if (*board, position.is_mid_turn) in met:
            continue
        met.add((*board, position.is_mid_turn))
        boards.add(board)
        if not position.result:
            placements = position.placements()
            waiting += [position.place(cell) for cell in grid.each(placements)]
            if not placements:
                waiting.append(position.pass_turn())
    return len(boards)

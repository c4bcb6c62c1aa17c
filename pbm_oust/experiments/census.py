"""Counting the positions of a small board that play can reach."""

from pbm_oust.experiments.room import Room
from pbm_oust.experiments.symmetry import numbering
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Kind, Position


def count_positions(kind: Kind, grid: Grid, room: Room) -> int:
    """Return the number of positions that play can reach; won ones do not count.

    Positions that differ only by a symmetry of the grid or an exchange of the sides count as one.
    So do those that differ only by whether the turn has begun. Whose turn it is belongs to the
    position. Raises OutOfRoom.
    """
    number_of = numbering(grid)
    waiting: list[Position] = [kind.start(grid)]
    met: dict[int, None] = {}  # a set would take more while it grows
    boards = 0
    while waiting:
        position = waiting.pop()
        if position.result and position.result.winner:
            continue
        number = number_of(position)
        if number in met:
            continue
        room.take()
        met[number] = None
        boards += number ^ 1 not in met
        if not position.result:
            placements = position.placements()
            waiting += [position.place(cell) for cell in grid.each(placements)]
            if not placements:
                waiting.append(position.pass_turn())
    return boards

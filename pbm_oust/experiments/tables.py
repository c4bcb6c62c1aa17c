"""Tables of small boards: what every position of the first placements is worth with best play.

The positions at the beginning take long to solve, and there are few of them.
"""

import struct
import zlib
from collections.abc import Mapping

from pbm_oust.experiments.room import Room
from pbm_oust.experiments.solve import Search, Worth
from pbm_oust.experiments.symmetry import numbering
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Kind, Position

Table = Mapping[int, Worth]
"""What positions are worth to the side to move, by their numbers (`symmetry.numbering`)."""

_WORTHS = len(Worth)


def opening_table(kind: Kind, grid: Grid, placements: int, room: Room) -> Table:
    """Return what all positions are worth that up to so many placements lead to.

    Raises OutOfRoom.
    """
    number, search = numbering(grid), Search(grid, room)
    worths: dict[int, Worth] = {}
    layer: list[Position] = [kind.start(grid)]
    for _ in range(placements + 1):
        following: dict[int, Position] = {}
        for position in layer:
            worths[number(position)] = search.worth(position)
            cells = grid.each(position.placements())
            after = [position.place(cell) for cell in cells] or [position.pass_turn()]
            following |= {number(each): each for each in after if not each.result}
        layer = [each for key, each in following.items() if key not in worths]
    return worths


def pack(table: Table) -> bytes:
    """Return a table as a file has it: numbers with their worths, in order, compressed."""
    packed = sorted(number * _WORTHS + worth - Worth.LOSS for number, worth in table.items())
    return zlib.compress(struct.pack(f"<{len(packed)}Q", *packed), 9)


def unpack(data: bytes) -> Table:
    """Return the table that a file has."""
    packed = (number for (number,) in struct.iter_unpack("<Q", zlib.decompress(data)))
    return {each // _WORTHS: Worth(each % _WORTHS + Worth.LOSS) for each in packed}

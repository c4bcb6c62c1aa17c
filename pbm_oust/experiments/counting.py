"""Counts of a game's positions and sequences of placements.

Positions that differ only by a symmetry of the grid or an exchange of the sides count as one. Those
that are kept meanwhile take memory, for which there is only so much room.
"""

import tracemalloc
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

from pbm_oust.rules import Grid, Kind, Position, Shape

_OFTEN = 100
"""The number of positions between two reports."""

_SAMPLE = 10_923
"""The number of entries at which a dictionary has just grown and takes the most memory for each."""


class OutOfRoom(Exception):
    """A search needs more memory for positions than it has."""


class RoomForPositions:
    """Room for the positions of one search. `watch` is told their number from time to time."""

    def __init__(self, positions: int, watch: Callable[[int], None] = lambda _: None) -> None:
        self.kept = 0
        """How many positions are kept."""
        self._positions = positions
        self._watch = watch

    def take(self) -> None:
        """Take room for one more position. Raises OutOfRoom if there is none."""
        if self.kept >= self._positions:
            raise OutOfRoom
        self.kept += 1
        if self.kept % _OFTEN == 0:
            self._watch(self.kept)


@cache
def bytes_each(grid: Grid) -> int:
    """Measure the memory of a position of this grid."""
    first = 1 << 2 * grid.cells.bit_length()
    was_tracing = tracemalloc.is_tracing()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    kept = {first + number: None for number in range(_SAMPLE)}
    _, most = tracemalloc.get_traced_memory()
    if not was_tracing:
        tracemalloc.stop()
    return -(-(most - before) // len(kept))


_BYTE = 8
_Matrix = tuple[int, int, int, int]
_Table = tuple[tuple[int, ...], ...]


def symmetries(grid: Grid) -> Iterator[dict[int, int]]:
    """Yield the rotations and reflections of a grid, as dictionaries from each cell to its image.

    They are the linear maps that keep neighbours neighbours and, moved back into place, map the
    grid to itself: 8 for a square, 4 for a rectangle, 12 for a hexagon with equal sides, 6 if two
    lengths alternate, and 4, 2 or 1 for others.
    """
    places = {grid.place_of(cell): cell for cell in grid.each(grid.cells)}
    for matrix in _neighbourly_maps(grid.shape):
        images = {place: _apply(matrix, place) for place in places}
        left = min(column for column, _ in images.values()) - 1
        low = min(row for _, row in images.values()) - 1
        moved = {place: (image[0] - left, image[1] - low) for place, image in images.items()}
        if set(moved.values()) == set(places):
            yield {places[place]: places[image] for place, image in moved.items()}


def orbits(grid: Grid) -> list[set[int]]:
    """Return the cells of a grid in sets that differ only by a symmetry, in order."""
    maps = list(symmetries(grid))
    found: list[set[int]] = []
    for cell in grid.each(grid.cells):
        if not any(cell in orbit for orbit in found):
            found.append({images[cell] for images in maps})
    return found


def canonical_form(grid: Grid) -> Callable[[int, int], tuple[int, int]]:
    """Return a function from two sets of stones to the form shared by all their images."""
    tables = [_table(grid, images) for images in symmetries(grid)]

    def canonical(own: int, enemy: int) -> tuple[int, int]:
        return min((_image(table, own), _image(table, enemy)) for table in tables)

    return canonical


def numbering(grid: Grid) -> Callable[[Position], int]:
    """Return a function from positions of a grid to numbers.

    Positions that differ only by a symmetry of the grid or an exchange of the sides have the same
    number. A position in the middle of a turn has an odd one, which is larger by 1 than the number
    of the same stones at the start of a turn.
    """
    canonical = canonical_form(grid)
    width = grid.cells.bit_length()

    def number(position: Position) -> int:
        mover = position.to_move
        own, enemy = canonical(position.stones(mover), position.stones(mover.other))
        return (own << width | enemy) << 1 | position.is_mid_turn

    return number


def _neighbourly_maps(shape: Shape) -> Iterator[_Matrix]:
    steps = {(1, 0), (-1, 0), (0, 1), (0, -1)}
    if shape is Shape.HEX:
        steps |= {(1, 1), (-1, -1)}
    entries = (-1, 0, 1)
    for matrix in product(entries, entries, entries, entries):
        if {_apply(matrix, step) for step in steps} == steps:
            yield matrix


def _apply(matrix: _Matrix, place: tuple[int, int]) -> tuple[int, int]:
    a, b, c, d = matrix
    column, row = place
    return a * column + b * row, c * column + d * row


def _table(grid: Grid, images: dict[int, int]) -> _Table:
    """Return, for each byte of a set and each of its values, the images of the cells in it."""
    return tuple(
        tuple(
            sum(images.get(1 << (start + bit), 0) for bit in range(_BYTE) if value >> bit & 1)
            for value in range(1 << _BYTE)
        )
        for start in range(0, grid.cells.bit_length(), _BYTE)
    )


def _image(table: _Table, some: int) -> int:
    image = 0
    for values in table:
        image |= values[some & 0xFF]
        some >>= _BYTE
    return image


def count_sequences(position: Position, depth: int) -> int:
    """Return the number of sequences of `depth` placements from a position.

    Every placement of a turn counts. A forced pass is made in between and does not count. A game
    that is over has no further placements.
    """
    if depth == 0:
        return 1
    position = past_forced_pass(position)
    placements = position.placements()
    if depth == 1:
        return placements.bit_count()
    return sum(
        count_sequences(position.place(cell), depth - 1) for cell in position.grid.each(placements)
    )


def divide(position: Position, depth: int) -> Iterator[tuple[int, int]]:
    """Yield each first placement with the number of sequences of `depth` that begin with it."""
    position = past_forced_pass(position)
    for cell in position.grid.each(position.placements()):
        yield cell, count_sequences(position.place(cell), depth - 1)


def past_forced_pass(position: Position) -> Position:
    """Return the position, or the one after the pass if the side to move must pass."""
    if position.result or position.has_placement():
        return position
    return position.pass_turn()


def count_positions(kind: Kind, grid: Grid, room: RoomForPositions) -> int:
    """Return the number of positions that play can reach, without won ones.

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

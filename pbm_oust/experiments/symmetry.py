"""The symmetries of a grid, and one form for all positions that differ only by them."""

from collections.abc import Callable, Iterator
from itertools import product

from pbm_oust.rules.grid import Grid, Shape
from pbm_oust.rules.position import Position

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
    """Return the cells of a grid in sets of those that differ only by a symmetry, in order."""
    maps = list(symmetries(grid))
    found: list[set[int]] = []
    for cell in grid.each(grid.cells):
        if not any(cell in orbit for orbit in found):
            found.append({images[cell] for images in maps})
    return found


def canonical_form(grid: Grid) -> Callable[[int, int], tuple[int, int]]:
    """Return a function that maps two sets of stones to the form that all their images share."""
    tables = [_table(grid, images) for images in symmetries(grid)]

    def canonical(own: int, enemy: int) -> tuple[int, int]:
        return min((_image(table, own), _image(table, enemy)) for table in tables)

    return canonical


def numbering(grid: Grid) -> Callable[[Position], int]:
    """Return a function that gives positions of a grid numbers.

    Those that differ only by a symmetry of the grid or an exchange of the sides have the same
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

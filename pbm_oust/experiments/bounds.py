"""How many positions a board may have, and on which boards they are few enough."""

import math
from collections.abc import Callable, Iterator

from pbm_oust.experiments.symmetry import symmetries
from pbm_oust.rules.grid import LONGEST, BadGrid, Grid, Shape, hexagon, square
from pbm_oust.rules.position import Kind

_MARKS = 3
"""What there may be on a cell: a stone of x, one of o, or nothing."""

_LUCK = 3
"""On no board that was solved did a search keep fewer than a third of the square root."""


def most_positions(kind: Kind, grid: Grid) -> int:
    """Return how many positions a board may have, whether play can reach them or not.

    Those that differ only by a symmetry of the grid count as one. Whose turn it is belongs to the
    position and, in games where a turn can have several placements, whether the turn has begun.
    """
    images = list(symmetries(grid))
    # Burnside's lemma: an image leaves those boards alone that are the same along its cycles.
    boards: int = sum(_MARKS ** _cycles(image) for image in images) // len(images)
    return boards * 2 * (2 if kind.has_chains else 1)


def fewest_kept(kind: Kind, grid: Grid) -> int:
    """Return about how many positions a search keeps at least, however well it goes.

    This is a rule of thumb. A search that always tries the best placement first looks at about the
    square root of all there is.
    """
    return math.isqrt(most_positions(kind, grid)) // _LUCK


def largest_grid(kind: Kind, shape: Shape, fits: Callable[[Grid], bool]) -> Grid | None:
    """Return the largest grid of a shape that fits, if those of fewer cells all fit, too.

    Of several with as many cells, it is the one whose sides differ least. Hexagons with more than
    two lengths are left out.
    """
    largest = None
    for _, first, second in sorted(_sizes(shape)):
        try:
            grid = square(second, first) if shape is Shape.SQUARE else hexagon(first, second)
        except BadGrid:
            continue
        if not kind.plays_on(grid):
            continue
        if not fits(grid):
            break
        largest = grid
    return largest


def _sizes(shape: Shape) -> Iterator[tuple[tuple[int, int], int, int]]:
    """Yield the lengths of grids behind what they are ordered by: cells, and how equal they are.

    No grid is made for that, as there may be little memory left.
    """
    for first in range(1, LONGEST + 1):
        for second in range(first, LONGEST + 1):
            cells = first * second
            if shape is Shape.HEX:
                corners = (first * (first - 1) + second * (second - 1)) // 2
                cells = (first + second - 1) ** 2 - corners
            yield (cells, first - second), first, second


def _cycles(image: dict[int, int]) -> int:
    left, number = set(image), 0
    while left:
        cell = left.pop()
        while (cell := image[cell]) in left:
            left.remove(cell)
        number += 1
    return number

"""Boards seen in a mirror."""

from pbm_oust.rules.grid import Grid, Shape, hexagon


def mirrored(grid: Grid) -> Grid:
    """Return the grid seen in a mirror: its columns reversed, or for a hexagon its two sides."""
    return grid if grid.shape is Shape.SQUARE else hexagon(*reversed(grid.size))


def in_mirror(grid: Grid, cells: int) -> int:
    """Return the mirror images of cells."""
    other = mirrored(grid)
    places = [grid.place_of(cell) for cell in grid.each(cells)]
    if grid.shape is Shape.SQUARE:
        return sum(other.cell_at(grid.size[0] + 1 - column, row) for column, row in places)
    return sum(other.cell_at(row, column) for column, row in places)

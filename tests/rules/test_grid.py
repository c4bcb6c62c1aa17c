import pytest

from pbm_oust.rules.grid import Grid, hexagon, square
from tests.support.boards import X, board, names
from tests.support.naive import Point, points_of, steps_of

SOME_GRIDS = [
    *(square(columns, rows) for columns in (2, 3, 8, 25) for rows in (2, 5, 24, 25)),
    *(hexagon(side) for side in (2, 3, 4, 7, 12, 13)),
    *(hexagon(a, b) for a, b in [(1, 2), (2, 1), (1, 25), (25, 1), (3, 4), (4, 3), (5, 20)]),
    *(hexagon(*sides) for sides in [(3, 3, 5), (4, 4, 6), (13, 1, 13), (2, 3, 4, 1, 4, 3)]),
]

some_grids = pytest.mark.parametrize("grid", SOME_GRIDS, ids=str)


def places(grid: Grid, cells: int) -> set[Point]:
    return {grid.place_of(cell) for cell in grid.each(cells)}


def neighbours(grid: Grid, name: str) -> str:
    return names(grid, grid.neighbours(grid.parse_cell(name)))


def test_a_cell_of_a_square_grid_touches_the_four_beside_it() -> None:
    assert neighbours(square(5), "C3") == "B3 C2 C4 D3"


def test_a_corner_of_a_square_grid_touches_two_cells() -> None:
    assert neighbours(square(5, 4), "A1") == "A2 B1"
    assert neighbours(square(5, 4), "E4") == "D4 E3"
    assert neighbours(square(5, 4), "A4") == "A3 B4"
    assert neighbours(square(5, 4), "E1") == "D1 E2"


def test_a_cell_of_a_hexagonal_grid_touches_the_six_around_it() -> None:
    assert neighbours(hexagon(3), "C3") == "B2 B3 C2 C4 D3 D4"


def test_a_corner_of_a_hexagon_touches_three_cells() -> None:
    assert neighbours(hexagon(3), "A1") == "A2 B1 B2"
    assert neighbours(hexagon(3), "E3") == "D2 D3 E4"


def test_the_corners_of_a_triangle_touch_two_cells() -> None:
    assert neighbours(hexagon(1, 3), "A1") == "A2 B2"
    assert names(hexagon(1, 3), hexagon(1, 3).cells) == "A1 A2 A3 B2 B3 C3"


def test_a_hexagon_with_sides_3_and_4_has_27_cells() -> None:
    grid = hexagon(3, 4)

    assert grid.cells.bit_count() == 27
    assert [names(grid, sum(row)) for row in reversed(grid.rows)] == [
        "C6 D6 E6 F6",
        "B5 C5 D5 E5 F5",
        "A4 B4 C4 D4 E4 F4",
        "A3 B3 C3 D3 E3",
        "A2 B2 C2 D2",
        "A1 B1 C1",
    ]


def test_a_hexagon_with_sides_3_3_and_5_has_29_cells() -> None:
    grid = hexagon(3, 3, 5)

    assert grid.cells.bit_count() == 29
    assert [names(grid, sum(row)) for row in reversed(grid.rows)] == [
        "C7 D7 E7",
        "B6 C6 D6 E6",
        "A5 B5 C5 D5 E5",
        "A4 B4 C4 D4 E4",
        "A3 B3 C3 D3 E3",
        "A2 B2 C2 D2",
        "A1 B1 C1",
    ]


@pytest.mark.parametrize("side", range(2, 14))
def test_a_hexagon_with_equal_sides_has_3n_n_minus_1_plus_1_cells(side: int) -> None:
    assert hexagon(side).cells.bit_count() == 3 * side * (side - 1) + 1


@some_grids
def test_a_grid_has_exactly_the_cells_that_arithmetic_says(grid: Grid) -> None:
    assert places(grid, grid.cells) == points_of(str(grid))


@some_grids
def test_neighbours_never_wrap_around_an_edge(grid: Grid) -> None:
    points = points_of(str(grid))
    for cell in grid.each(grid.cells):
        column, row = grid.place_of(cell)
        around = {(column + right, row + up) for right, up in steps_of(str(grid))}
        assert places(grid, grid.neighbours(cell)) == around & points


@some_grids
def test_all_cells_together_touch_nothing_outside_the_grid(grid: Grid) -> None:
    assert grid.neighbours(grid.cells) == grid.cells
    assert grid.flood(grid.rows[0][0], grid.cells) == grid.cells


@some_grids
def test_each_yields_every_cell_once_by_row_then_by_column(grid: Grid) -> None:
    cells = list(grid.each(grid.cells))

    assert cells == [cell for row in grid.rows for cell in row]
    assert all(cell.bit_count() == 1 for cell in cells)


def test_neighbours_of_two_touching_cells_include_the_two() -> None:
    grid = square(3)

    assert names(grid, grid.neighbours(grid.parse_cell("B2") | grid.parse_cell("B1"))) == (
        "A1 A2 B1 B2 B3 C1 C2"
    )


def test_a_flood_reaches_what_is_connected_and_stays_within() -> None:
    position = board(
        """
        x x . x
        . x . x
        x . x x
        """
    )
    grid = position.grid

    assert names(grid, grid.flood(grid.parse_cell("C1"), position.x)) == "C1 D1 D2 D3"


def test_a_flood_from_outside_reaches_nothing() -> None:
    position = board("x . / . x")

    assert position.grid.flood(position.grid.parse_cell("B2"), position.x) == 0


def test_a_flood_from_several_seeds_reaches_each_of_their_parts() -> None:
    position = board(
        """
        x x . x
        . . . .
        x . x x
        """
    )
    grid = position.grid
    seeds = grid.parse_cell("A3") | grid.parse_cell("D1")

    assert names(grid, grid.flood(seeds, position.x)) == "A3 B3 C1 D1"


def test_groups_are_the_connected_parts_each_once() -> None:
    position = board(
        """
        x x . x
        . x . x
        x . x x
        """
    )
    groups = [names(position.grid, group) for group in position.grid.groups(position.stones(X))]

    assert groups == ["A1", "C1 D1 D2 D3", "A3 B2 B3"]


def test_stones_on_the_long_diagonal_of_a_hexagon_are_one_group() -> None:
    position = board(
        """
          . . x
         . . . .
        . . x . .
         . . . .
          x . .
        """,
        "hex 3",
    )

    assert [names(position.grid, one) for one in position.grid.groups(position.x)] == [
        "A1",
        "C3",
        "E5",
    ]
    joined = position.x | position.grid.parse_cell("B2") | position.grid.parse_cell("D4")
    assert list(position.grid.groups(joined)) == [joined]

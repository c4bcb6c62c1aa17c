from itertools import combinations, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pbm_oust.rules import KINDS, Grid, Shape, parse_grid
from pbm_oust.rules.grid import COLUMNS, BadGrid, NoSuchCell, hexagon, parse_size, square
from tests.support import tables
from tests.support.boards import X, board, names
from tests.support.naive import Point, points_of, rim_of, steps_of

tabled = tables.tabled(__file__)

SOME_GRIDS = [
    *(square(columns, rows) for columns in (2, 3, 8, 25) for rows in (2, 5, 24, 25)),
    *(hexagon(side) for side in (2, 3, 4, 7, 12, 13)),
    *(hexagon(a, b) for a, b in [(1, 2), (2, 1), (1, 25), (25, 1), (3, 4), (4, 3), (5, 20)]),
    *(hexagon(*sides) for sides in [(3, 3, 5), (4, 4, 6), (13, 1, 13), (2, 3, 4, 1, 4, 3)]),
]

some_grids = pytest.mark.parametrize("grid", SOME_GRIDS, ids=str)


def places(grid: Grid, cells: int) -> set[Point]:
    return {grid.place_of(cell) for cell in grid.each(cells)}


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
def test_each_yields_every_cell_once_by_row_then_by_column(grid: Grid) -> None:
    cells = list(grid.each(grid.cells))

    assert cells == [cell for row in grid.rows for cell in row]
    assert all(cell.bit_count() == 1 for cell in cells)


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


SQUARES = [square(columns, rows) for columns in range(2, 26) for rows in range(2, 26)]
HEXAGONS = [
    hexagon(side, other)
    for side in range(1, 26)
    for other in range(1, 26)
    if 2 <= side + other - 1 <= 25
]
HEXAGONS += [
    hexagon(*sides)
    for sides in product((1, 2, 3, 7, 24), repeat=3)
    if len({*sides}) > 1 and all(3 <= sum(two) <= 26 for two in combinations(sides, 2))
]
EVERY_GRID = SQUARES + HEXAGONS


@st.composite
def six_sides(draw: st.DrawFn) -> tuple[int, ...]:
    """Return six lengths that go around a hexagon: a triangle without its three corners."""
    edge = draw(st.integers(3, 40))
    cut = [draw(st.integers(0, edge - 2)) for _ in range(3)]
    lengths = [
        length
        for nth, corner in enumerate(cut)
        for length in (corner + 1, edge - corner - cut[(nth + 1) % 3])
    ]
    sums = map(sum, zip(lengths, lengths[1:] + lengths[:1], strict=True))
    assume(min(lengths) >= 1 and all(3 <= total <= 26 for total in sums))
    return tuple(lengths)


def test_columns_are_the_letters_without_i() -> None:
    grid = square(25, 2)

    assert grid.names(sum(grid.rows[0]))[7:10] == ["H1", "J1", "K1"]
    assert grid.names(sum(grid.rows[0]))[-1] == "Z1"
    assert "I" not in COLUMNS


def test_names_are_sorted_by_column_then_by_row() -> None:
    grid = square(2, 11)

    assert names(grid, grid.cells).split()[:4] == ["A1", "A2", "A3", "A4"]
    assert names(grid, grid.cells).split()[9:12] == ["A10", "A11", "B1"]


@pytest.mark.parametrize("shape", Shape)
def test_the_name_of_every_grid_reads_back_to_it(shape: Shape) -> None:
    for grid in EVERY_GRID:
        if grid.shape is shape:
            assert parse_grid(str(grid)) == grid


@pytest.mark.parametrize("grid", [square(25), square(2, 25), hexagon(13), hexagon(3, 4)], ids=str)
def test_the_name_of_every_cell_reads_back_to_it(grid: Grid) -> None:
    for cell in grid.each(grid.cells):
        assert grid.parse_cell(grid.format_cell(cell)) == cell
        assert grid.parse_cell(grid.format_cell(cell).lower()) == cell
        assert grid.cell_at(*grid.place_of(cell)) == cell


@pytest.mark.parametrize("name", ["", "A", "1", "A0", "A01", "I1", "D1", "A4", "A1 ", "AA1", "Ä1"])
def test_what_names_no_cell_of_a_3x3_grid_is_refused(name: str) -> None:
    with pytest.raises(NoSuchCell):
        square(3).parse_cell(name)


@pytest.mark.parametrize("name", ["A4", "B5", "D1", "E2", "F3"])
def test_a_cell_beyond_the_slanting_edge_of_a_hexagon_is_refused(name: str) -> None:
    with pytest.raises(NoSuchCell):
        hexagon(3).parse_cell(name)


@pytest.mark.parametrize("place", [(0, 1), (1, 0), (4, 1), (1, 4), (-1, 2), (99, 99)])
def test_there_is_no_cell_outside_the_grid(place: Point) -> None:
    assert square(3).cell_at(*place) == 0


@tabled("shape", "text", "name")
def test_a_size_names_a_grid(shape: str, text: str, name: str) -> None:
    assert str(parse_size(Shape(shape), text)) == name


@tabled("text")
def test_what_is_no_size_of_a_square_grid_is_refused(text: str) -> None:
    with pytest.raises(BadGrid):
        parse_size(Shape.SQUARE, text)


@tabled("text")
def test_what_is_no_size_of_a_hexagon_is_refused(text: str) -> None:
    with pytest.raises(BadGrid):
        parse_size(Shape.HEX, text)


@tabled("text")
def test_a_history_names_a_grid_in_one_way_only(text: str) -> None:
    with pytest.raises(BadGrid):
        parse_grid(text)


def test_a_refused_size_says_what_the_bounds_are() -> None:
    with pytest.raises(BadGrid):
        hexagon(0, 4)
    with pytest.raises(BadGrid, match="2 to 25 columns and rows, not 13x1"):
        parse_size(Shape.SQUARE, "13x1")
    with pytest.raises(BadGrid, match="add up to 3 to 26, not 27"):
        parse_size(Shape.HEX, "13,14")
    with pytest.raises(BadGrid, match="1, 2, 3 or 6 lengths, not 4"):
        parse_size(Shape.HEX, "3,4,5,6")
    with pytest.raises(BadGrid, match="as the two across from them"):
        parse_size(Shape.HEX, "3,3,5,3,3,4")


@given(six_sides())
def test_a_hexagon_whose_sides_meet_is_what_a_walk_along_them_encloses(
    lengths: tuple[int, ...],
) -> None:
    grid = parse_size(Shape.HEX, ",".join(map(str, lengths)))
    rim = list(rim_of([*lengths]))
    places = {grid.place_of(cell) for cell in grid.each(grid.cells)}
    assert rim[0] == rim[-1]
    assert places == points_of(f"hex {','.join(map(str, lengths))}")
    assert parse_grid(str(grid)) == grid
    assert hexagon(*grid.size) == grid


@given(st.lists(st.integers(1, 25), min_size=6, max_size=6))
def test_six_lengths_that_do_not_lead_back_to_where_they_began_are_refused(
    lengths: list[int],
) -> None:
    rim = list(rim_of(lengths))
    if rim[0] != rim[-1]:
        with pytest.raises(BadGrid):
            hexagon(*lengths)


def test_the_grids_to_choose_from_are_those_of_the_games_own_shape_first_and_small_ones_first() -> (
    None
):
    squares = ["square 7x7", "square 9x9", "square 11x11", "square 13x13"]
    assert [str(each) for each in KINDS["oust"].grids] == [*squares, "hex 5", "hex 7"]

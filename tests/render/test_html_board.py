"""Boards as HTML: tables with the cells of the board of plain text, and links."""

import re
from itertools import pairwise

import pytest

from pbm_oust.render.html import (
    CELL,
    COLOURS,
    INK,
    STONES,
    USUAL,
    WOOD,
    Marks,
    Taps,
    board_html,
    letter_size,
)
from pbm_oust.render.text import board_text
from pbm_oust.rules import KINDS, Grid, Position, Side, parse_grid
from tests.support.contrast import contrast
from tests.support.drawn import GRIDS, played
from tests.support.pages import Page, rows_of_text, stones_in

ADDRESS = "mailto:x?"
PHONE = 360
"""The pixels of a narrow phone; mail programs leave a margin of 8 at both sides."""


@pytest.mark.parametrize("is_slim", [False, True])
@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_every_stone_stands_where_the_board_of_plain_text_has_it(
    kind: str, grid: str, is_slim: bool
) -> None:
    for seed in range(10):
        position, latest = played(kind, grid, seed)
        taps = Taps(ADDRESS, position.capturing(), is_slim)
        page = Page(board_html(position, Marks(latest), taps))
        text = rows_of_text(board_text(position, latest), position.grid)
        assert stones_in(page.board) == stones_in(text)
        assert stones_in(Page(board_html(position, Marks(latest), is_bare=True)).board) == (
            stones_in(text)
        )


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_every_placement_has_a_link_that_ends_with_its_own_name(kind: str, grid: str) -> None:
    for seed in range(10):
        position, latest = played(kind, grid, seed)
        cells, placements = position.grid, position.placements()
        rows = board_html(position, Marks(latest), Taps(ADDRESS, position.capturing()))
        from_top = [cell for row in reversed(cells.rows) for cell in row if cell & placements]
        expected = [f"mailto:x?{cells.format_cell(cell)}" for cell in from_top]
        assert Page(rows).hrefs == expected


def cell_of(html: str, number: int, place: int) -> str:
    """Return the HTML of a cell by its row and its place in it."""
    row = next(each for each in html.split("<tr")[1:] if f"<th>{number}</th>" in each)
    return [f"<td{each}" for each in row.split("<td")[1:]][place]


def three_by_three() -> tuple[Grid, Position]:
    """Return a board on which x can take C1, but not B2 nor A2."""
    grid = parse_grid("square 3x3")
    position: Position = KINDS["oust"].start(grid)
    for name in ("A1", "C1"):
        position = position.place(grid.parse_cell(name))
    return grid, position


def test_the_latest_stones_keep_the_colour_of_their_side_and_get_a_capital_and_a_ring() -> None:
    grid, position = three_by_three()
    html = board_html(position, Marks(grid.parse_cell("C1")))
    for place, side in ((0, Side.X), (2, Side.O)):
        assert f"background-color:{STONES[side][0]}" in cell_of(html, 1, place)
    old, new = cell_of(html, 1, 0), cell_of(html, 1, 2)
    assert ">x<" in old
    assert ">O</strong>" in new
    assert "<strong" not in old
    assert "border:.12em solid" in new


def test_points_look_different_without_colours_by_what_can_be_done_there() -> None:
    grid, position = three_by_three()
    html = board_html(position, Marks(), Taps(ADDRESS, position.capturing()))
    assert grid.names(position.capturing()) == ["B1"]
    assert Page(html).board == {
        3: ["\u2022", "\u2022", "\u2022"],
        2: ["\u00b7", "\u2022", "\u2022"],
        1: ["x", "*", "o"],
    }
    assert "solid" in cell_of(html, 1, 1)
    assert "solid" not in cell_of(html, 2, 1)


def test_points_from_which_stones_were_taken_are_marked_whether_they_can_be_tapped_or_not() -> None:
    grid, position = three_by_three()
    taken = sum(map(grid.parse_cell, ("A2", "B1", "B2")))
    html = board_html(position, Marks(taken=taken), Taps(ADDRESS, position.capturing()))
    assert ">-</div>" in cell_of(html, 2, 0)
    assert all("dashed" in cell_of(html, *at) for at in ((2, 0), (2, 1), (1, 1)))
    assert ">*</a>" in cell_of(html, 1, 1)
    assert html.count("dashed") == 3


def test_a_stone_on_a_point_from_which_one_was_taken_is_a_stone() -> None:
    grid, position = three_by_three()
    assert "dashed" not in board_html(position, Marks(taken=grid.parse_cell("A1")))


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_coordinates_are_on_all_sides(kind: str, grid: str) -> None:
    position = KINDS[kind].start(parse_grid(grid))
    rows = [[each for each in row if each] for row in Page(board_html(position)).letters]
    size = len(position.grid.rows)
    numbers = [each for row in rows for each in row if each.isdigit()]
    assert numbers == [str(number) for number in range(size, 0, -1) for _ in range(2)]
    columns = {name[0] for name in position.grid.names_of.values()}
    assert sorted(each for row in rows for each in row if each.isalpha()) == sorted(2 * [*columns])


@pytest.mark.parametrize(
    "size", [f"hex {each}" for each in ("2", "5", "7", "3,4", "1,4", "3,3,5", "2,3,4,1,4,3")]
)
def test_rows_of_a_hexagonal_board_are_half_a_cell_out_of_line(size: str) -> None:
    grid = parse_grid(size)
    html = board_html(KINDS["oust"].start(grid))
    starts = dict[int, int]()
    for row in html.split("<tr")[1:]:
        number, *cells = re.findall(r"<t[hd](?: colspan=\"(\d+)\")?[^>]*>([^<]*)", row)
        spans, place = [(int(span or 1), shown) for span, shown in cells], 0
        for span, shown in spans:
            if shown in ("\u00b7", "&#183;"):
                starts.setdefault(int(number[1]), place)
                assert span == 2
            place += span
    for lower, upper in pairwise(sorted(starts)):
        (left, _), (right, _) = (grid.place_of(grid.rows[each - 1][0]) for each in (lower, upper))
        moved = starts[upper] - starts[lower]
        assert moved == 2 * (right - left) - 1
        assert moved % 2


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_all_rows_of_a_table_have_the_same_number_of_columns(kind: str, grid: str) -> None:
    position, latest = played(kind, grid, 1)
    html = board_html(position, Marks(latest), Taps(ADDRESS, position.capturing()))
    counts = set()
    for row in html.split("<tr")[1:]:
        spans = re.findall(r"<t[hd](?: colspan=\"(\d+)\")?", row)
        counts.add(sum(int(span or 1) for span in spans))
    assert len(counts) == 1


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_a_board_is_ascii_in_lines_that_mail_may_hold(kind: str, grid: str) -> None:
    for position, latest in ((KINDS[kind].start(parse_grid(grid)), 0), played(kind, grid, 2)):
        for taps in (None, Taps(f"mailto:{'x' * 500}", position.capturing())):
            html = board_html(position, Marks(latest), taps)
            assert html.isascii()
            assert max(map(len, html.split("\n"))) < 900
            assert not any(line.endswith(" ") for line in html.split("\n"))


@pytest.mark.parametrize("grid", ["square 7x7", "square 11x11", "square 13x13", "hex 5", "hex 7"])
def test_what_can_be_tapped_is_at_least_24_pixels_wide_on_boards_up_to_13x13(grid: str) -> None:
    assert CELL * letter_size(parse_grid(grid)) >= 24


@pytest.mark.parametrize(
    "grid", ["square 7x7", "square 13x13", "square 19x19", "square 25x25", "hex 7", "hex 13"]
)
def test_a_board_fits_on_a_narrow_phone_and_could_hardly_be_larger(grid: str) -> None:
    html = board_html(KINDS["oust"].start(parse_grid(grid)))
    (width,) = map(float, re.findall(r"width:([\d.]+)em;border-radius", html))
    (size,) = map(float, re.findall(r"font-size:([\d.]+)em", html))
    pixels = width * size * USUAL
    assert size * USUAL == letter_size(parse_grid(grid))
    assert pixels <= PHONE - 16
    assert pixels > PHONE - 16 - width or grid == "square 7x7"


def test_letters_of_a_small_board_are_large_and_those_of_a_large_one_can_be_read() -> None:
    sizes = [letter_size(parse_grid(f"square {n}x{n}")) for n in (5, 13, 25)]
    assert sizes == [20.0, 13.5, 7.0]


def test_only_cells_have_lines_around_them_and_only_they_are_data_of_the_table() -> None:
    for grid in ("square 5x5", "hex 3"):
        html = board_html(KINDS["oust"].start(parse_grid(grid)))
        assert html.count("<td") == parse_grid(grid).cells.bit_count()


def test_letters_can_be_read_and_stones_told_from_the_board_and_from_each_other() -> None:
    for side, (ground, letter, outline) in STONES.items():
        assert contrast(letter, ground) >= 4.5
        assert max(contrast(ground, WOOD), contrast(outline, WOOD)) >= 3
        assert contrast(COLOURS[side], WOOD) >= 3
    assert contrast(INK, WOOD) >= 4.5
    grounds = [ground for ground, _, _ in STONES.values()]
    assert contrast(*grounds) >= 4.5, "by their lightness alone, for who sees no colours"


def test_a_letter_on_a_stone_can_be_read_in_programs_that_force_dark_mode() -> None:
    """Chromium darkens grounds whose brightness is over 205, and lightens letters under 150."""

    def brightness(colour: str) -> float:
        full = colour[1:] if len(colour) == 7 else "".join(2 * each for each in colour[1:])
        red, green, blue = (int(full[nth : nth + 2], 16) for nth in (0, 2, 4))
        return (299 * red + 587 * green + 114 * blue) / 1000

    for ground, letter, outline in STONES.values():
        assert (brightness(ground) > 205) is (brightness(letter) < 150)
        assert brightness(outline) < 205, "it stays as it is"
    assert brightness(WOOD) > 205
    assert brightness(INK) < 150

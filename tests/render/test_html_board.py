"""Boards as HTML: the columns of the board of plain text, and links where a placement may go."""

from html import unescape
from random import Random

import pytest

from pbm_oust.render.html import board_html, font_size
from pbm_oust.render.text import board_text
from pbm_oust.rules.grid import parse_grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Position
from tests.support.pages import Page

GRIDS = [
    *(("oust", f"square {size}") for size in ("2x2", "7x7", "9x5", "11x11", "3x19", "25x25")),
    *(("oust", f"hex {size}") for size in ("2", "5", "7", "3,4", "13", "1,4")),
    ("churn", "hex 3"),
    ("churn", "hex 3,4"),
]


def played(kind: str, grid: str, seed: int) -> tuple[Position, int]:
    """Return a position by chance, and the stone placed last."""
    chance = Random(seed)
    position, cell = KINDS[kind].start(parse_grid(grid)), 0
    for _ in range(chance.randrange(1, 60)):
        placements = list(position.grid.each(position.placements()))
        if not placements:
            break
        cell = chance.choice(placements)
        position = position.place(cell)
    return position, cell


def shown(html: str) -> str:
    """Return what a program shows of the inside of a `<pre>`."""
    return Page(f"<pre>{html}</pre>").board


@pytest.mark.parametrize("is_slim", [False, True])
@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_every_sign_stands_where_the_board_of_plain_text_has_it(
    kind: str, grid: str, is_slim: bool
) -> None:
    for seed in range(10):
        position, latest = played(kind, grid, seed)
        text = shown(board_html(position, latest, "mailto:x?", is_slim=is_slim))
        plain = text.replace("\u2022", ".").replace("\u00b7", ".").replace("+", ",")
        assert plain == board_text(position, latest)


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_every_placement_has_a_link_that_ends_with_its_own_name(kind: str, grid: str) -> None:
    for seed in range(10):
        position, latest = played(kind, grid, seed)
        cells, placements = position.grid, position.placements()
        rows = board_html(position, latest, "mailto:x?")
        from_top = [cell for row in reversed(cells.rows) for cell in row if cell & placements]
        expected = [f"mailto:x?{cells.format_cell(cell)}" for cell in from_top]
        assert Page(f"<pre>{rows}</pre>").hrefs == expected


def test_the_stones_of_the_latest_record_are_capitals_on_a_ground_of_their_own() -> None:
    grid = parse_grid("square 3x3")
    position = KINDS["oust"].start(grid)
    for name in ("A1", "C3", "C1"):
        position = position.place(grid.parse_cell(name))
    html = board_html(position, grid.parse_cell("C1"))
    old, new = (html[html.index(f">{letter}<") - 24 :][:24] for letter in "xX")
    assert old != new
    assert shown(html).split("\n")[3] == "1 x \u00b7 X 1"


def test_points_where_a_placement_may_go_look_different_without_colours_too() -> None:
    grid = parse_grid("square 3x3")
    position = KINDS["oust"].start(grid).place(grid.parse_cell("A1")).place(grid.parse_cell("C3"))
    assert shown(board_html(position, 0, "mailto:x?")).split("\n")[1:4] == [
        "3 \u2022 \u2022 o 3",
        "2 \u00b7 \u2022 \u2022 2",
        "1 x \u00b7 \u2022 1",
    ]


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_a_board_is_ascii_in_lines_that_mail_may_hold(kind: str, grid: str) -> None:
    position = KINDS[kind].start(parse_grid(grid))
    html = board_html(position, 0, f"mailto:{'x' * 500}")
    assert html.isascii()
    assert max(map(len, html.split("\n"))) < 900
    assert not any(line.endswith(" ") for line in html.split("\n"))


def test_signs_beyond_ascii_are_such_as_every_font_of_one_width_has() -> None:
    """Fonts of phones lack round stones; these two signs are in each of the charset WGL4."""
    position, latest = played("oust", "square 19x19", 1)
    html = board_html(position, latest, "mailto:x?")
    beyond = {sign for sign in unescape(html) if sign > "~"}
    assert beyond == {"\u2022", "\u00b7"}


@pytest.mark.parametrize(
    ("grid", "columns"), [("square 7x7", 17), ("square 13x13", 31), ("square 19x19", 43)]
)
def test_a_board_of_up_to_19_columns_fits_on_a_narrow_phone(grid: str, columns: int) -> None:
    size = font_size(KINDS["oust"].start(parse_grid(grid)))
    assert columns * 0.602 * size <= 328
    assert size >= 12


def test_letters_of_a_small_board_are_large_and_those_of_a_large_one_can_be_read() -> None:
    sizes = [font_size(KINDS["oust"].start(parse_grid(f"square {n}x{n}"))) for n in (5, 13, 25)]
    assert sizes == [22.0, 17.5, 12.0]

"""Boards as PNG show what the SVG shows, on machines without any font."""

import zlib
from dataclasses import dataclass

import pytest
import resvg_py

from pbm_oust.languages import ENGLISH
from pbm_oust.letters.translator import Translator
from pbm_oust.render.html import INK, UNMARKED, WOOD
from pbm_oust.render.svg import Layout, board_svg, layout_of
from pbm_oust.rules import Position, Side
from pbm_oust.web.boards import png_of
from tests.support.boards import board, churn_board
from tests.support.contrast import contrast

WORDS = "oust 17", Translator(ENGLISH).gettext
SQUARE = board(". . x . / o . . . / x . o .")
HEX = churn_board(". x . / . . o . / x . . o . / . . . . / . o .")


@dataclass(frozen=True)
class Picture:
    """A PNG with four bytes for each point, taken apart (PNG, sections 5 and 9)."""

    width: int
    height: int
    rows: list[bytes]

    def colour(self, x: int, y: int) -> str:
        """Return the colour of a point, which lets nothing shine through."""
        red, green, blue, alpha = self.rows[y][4 * x : 4 * x + 4]
        assert alpha == 255
        return f"#{red:02x}{green:02x}{blue:02x}"


def read_png(content: bytes) -> Picture:
    """Return a picture as its points."""
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(content):
        length, kind = int.from_bytes(content[at : at + 4]), content[at + 4 : at + 8]
        chunks[kind] = chunks.get(kind, b"") + content[at + 8 : at + 8 + length]
        at += 12 + length
    width, height = (int.from_bytes(chunks[b"IHDR"][nth : nth + 4]) for nth in (0, 4))
    assert chunks[b"IHDR"][8:] == bytes([8, 6, 0, 0, 0])
    data, size = zlib.decompress(chunks[b"IDAT"]), 4 * width + 1
    rows, above = [], bytes(4 * width)
    for nth in range(height):
        above = unfiltered(data[nth * size], data[nth * size + 1 : nth * size + size], above)
        rows.append(above)
    return Picture(width, height, rows)


def unfiltered(how: int, line: bytes, above: bytes) -> bytes:
    """Return a row of points from the differences to what is left of them and above."""
    row = bytearray(line)
    for nth, up in enumerate(above):
        left, corner = (row[nth - 4], above[nth - 4]) if nth >= 4 else (0, 0)
        near = min((left, up, corner), key=lambda each: abs(left + up - corner - each))
        row[nth] = (row[nth] + (0, left, up, (left + up) // 2, near)[how]) % 256
    return bytes(row)


def in_picture(layout: Layout, point: tuple[float, float]) -> tuple[float, float]:
    """Return where a point of a board is in its picture."""
    left, top, scale = layout.inset
    return left + scale * point[0], top + scale * point[1]


@pytest.mark.parametrize("position", [SQUARE, HEX])
def test_a_picture_shows_each_cell_where_it_is_with_its_stone(position: Position) -> None:
    grid, layout = position.grid, layout_of(position.grid)
    picture = read_png(png_of(board_svg(position, UNMARKED, *WORDS), layout.width))
    assert (picture.width, picture.height) == (layout.width, layout.height)
    assert picture.colour(0, 0) == WOOD
    for cell, place in layout.places.items():
        # Where light falls on a stone, beside the lines of a square board.
        x, y = (round(at) - 6 for at in in_picture(layout, place))
        from_white = contrast(picture.colour(x, y), "#ffffff")
        shown = "x" if from_white > 4.5 else "o" if from_white < 1.1 else ""
        stones = [side.value for side in Side if cell & position.stones(side)]
        assert shown == "".join(stones), grid.format_cell(cell)


def test_coordinates_are_drawn_without_any_font() -> None:
    layout = layout_of(SQUARE.grid)
    picture = read_png(png_of(board_svg(SQUARE, UNMARKED, *WORDS), 4 * layout.width))
    x, y = layout.places[SQUARE.grid.parse_cell("D1")]
    stem, inside = (
        (round(4 * at) for at in in_picture(layout, (x + shift, y + 30))) for shift in (-3.75, 0)
    )
    assert picture.colour(*stem) == INK, "the upright stroke of the D below its column"
    assert picture.colour(*inside) == WOOD


def test_a_process_beside_draws_the_same() -> None:
    svg = board_svg(HEX, UNMARKED, "Échecs \N{EM DASH} <&>", WORDS[1])
    here = resvg_py.svg_to_bytes(svg_string=svg, width=120, skip_system_fonts=True)
    assert png_of(svg, 120) == here


@pytest.mark.parametrize("width", [60, 600])
def test_a_picture_is_as_wide_as_asked(width: int) -> None:
    content = png_of(board_svg(HEX, UNMARKED, *WORDS), width)
    assert int.from_bytes(content[16:20]) == width

"""Boards as HTML: the plain text of a board, with stones as tiles and free points as links. Pure.

In every monospaced font, letters keep the columns straight. Round signs do not, because the fonts
of phones lack them. So a stone is the letter of its side, in bold on a coloured ground. All grounds
are dark and their letters white, because a program that forces a mail into dark mode lightens dark
letters and leaves the grounds alone. There are no other colours; the rest follows the program.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pbm_oust.render.lines import Line, board_lines, star_points, widest
from pbm_oust.render.text import REMEMBERED
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position, Side

_GROUNDS = {Side.X: "#1a4f9c", Side.O: "#757575"}
_LATEST = "#c2410c"
_PLACEMENT, _OTHER, _STAR = "&#8226;", "&#183;", "+"
_UNLINED = ' style="text-decoration:none"'

_SCREEN = 328
"""The pixels that a narrow phone leaves for the text of a mail."""
_WIDTH = 0.602
"""The width of a character relative to its size, in the fonts that letters ask for."""
_SMALLEST, _LARGEST = 12.0, 22.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A cell of a drawn board with the text up to the next one, or text alone."""

    cell: int
    """0 for text alone."""
    unlinked: str
    linked: str
    """The cell where a placement may go."""
    behind: str


def board_html(
    position: Position,
    latest: int = 0,
    links: Mapping[int, str] | None = None,
    *,
    is_slim: bool = False,
) -> str:
    """Return the inside of a `<pre>`: the lines of the board, top row first.

    `latest` are the stones to highlight, as capitals. `links` has an address for each cell that can
    be tapped; no address may need escaping. A slim board takes fewer characters: its links look as
    programs show links, and cover a single character. All characters are ASCII.
    """
    x, o = map(position.stones, Side)
    lines = draw_html(position.grid, x, o, latest)
    return "\n".join(
        "".join(_marked(mark, links or {}, is_slim) for mark in line) for line in lines
    )


def font_size(position: Position) -> float:
    """Return the font size, in pixels, with which a board fits on a phone, if it can.

    It is a multiple of half a pixel.
    """
    fitting = int(2 * _SCREEN / (_WIDTH * widest(position.grid))) / 2
    return max(_SMALLEST, min(_LARGEST, fitting))


@lru_cache(maxsize=REMEMBERED)
def draw_html(grid: Grid, x: int, o: int, latest: int) -> tuple[tuple[Mark, ...], ...]:
    """Return a board with these stones of the two sides; the latest drawings are remembered."""
    stars = star_points(grid)

    def drawn(cell: int) -> str:
        side = Side.X if cell & x else Side.O
        letter, ground = side.value, _GROUNDS[side]
        if cell & latest:
            letter, ground = letter.upper(), _LATEST
        return f'<b style="background:{ground};color:#fff">{letter}</b>'

    def mark(cell: int, behind: str) -> Mark:
        if cell & (x | o):
            return Mark(cell, drawn(cell), drawn(cell), behind)
        if cell & stars:
            return Mark(cell, _STAR, _STAR, behind)
        return Mark(cell, _OTHER, _PLACEMENT, behind)

    def marks(line: Line) -> Iterator[Mark]:
        if isinstance(line[0], str):
            yield Mark(0, "", "", line[0])
        for part, behind in pairwise((*line, "")):
            if isinstance(part, int):
                yield mark(part, behind if isinstance(behind, str) else "")

    return tuple(tuple(marks(line)) for line in board_lines(grid))


def _marked(mark: Mark, links: Mapping[int, str], is_slim: bool) -> str:
    """Return a mark as HTML, linked if its cell has a link."""
    address = links.get(mark.cell)
    if not address:
        return mark.unlinked + mark.behind
    reach, style = (0, "") if is_slim else (1, _UNLINED)
    shown = mark.linked + mark.behind[:reach]
    # The line breaks within the tag: no line of a mail may have more than 998 characters.
    return f'<a\nhref="{address}"{style}>{shown}</a>{mark.behind[reach:]}'

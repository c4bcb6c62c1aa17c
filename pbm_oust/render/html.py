"""Boards as HTML: the plain text of a board, with stones as tiles and free points as links. Pure.

In every monospaced font, letters keep the columns straight. Round signs do not, because the fonts
of phones lack them. So a stone is the letter of its side, in bold on a coloured ground. All grounds
are dark and their letters white, because a program that forces a mail into dark mode lightens dark
letters and leaves the grounds alone. There are no other colours; the rest follows the program.
"""

from functools import cache, lru_cache

from pbm_oust.render.lines import GRIDS_REMEMBERED, Point, board_points, widest
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


_ADDRESS = "\0"
"""Stands for what all links of a board begin with."""


def board_html(
    position: Position, latest: int = 0, link: str = "", *, is_slim: bool = False
) -> str:
    """Return the inside of a `<pre>`: the lines of the board, top row first.

    `latest` are the stones to highlight, as capitals. With `link`, each placement can be tapped:
    its address is the link followed by the name of its cell, and may not need escaping. A slim
    board takes fewer characters: its links look as programs show links, and cover a single
    character. All characters are ASCII.
    """
    x, o = map(position.stones, Side)
    drawn = draw_html(position.grid, x, o, latest)
    if not link:
        return "".join(drawn)
    placements = position.placements()
    _, points = board_points(position.grid)
    pieces = [
        linked if point.cell & placements else unlinked
        for point, linked, unlinked in zip(
            points, _links(position.grid, is_slim), drawn[1:], strict=True
        )
    ]
    return f"{drawn[0]}{''.join(pieces)}".replace(_ADDRESS, link)


def font_size(position: Position) -> float:
    """Return the font size, in pixels, with which a board fits on a phone, if it can.

    It is a multiple of half a pixel.
    """
    fitting = int(2 * _SCREEN / (_WIDTH * widest(position.grid))) / 2
    return max(_SMALLEST, min(_LARGEST, fitting))


@lru_cache(maxsize=REMEMBERED)
def draw_html(grid: Grid, x: int, o: int, latest: int) -> tuple[str, ...]:
    """Return a board with these stones of the two sides; the latest drawings are remembered.

    The first piece is what stands before the first cell, and each other one is a cell with the
    text up to the next.
    """
    lead, points = board_points(grid)
    stones = x | o
    return (
        lead,
        *(
            _stone(bool(point.cell & x), bool(point.cell & latest)) + point.behind
            if point.cell & stones
            else (_STAR if point.is_star else _OTHER) + point.behind
            for point in points
        ),
    )


@cache
def _stone(is_x: bool, is_latest: bool) -> str:
    side = Side.X if is_x else Side.O
    letter, ground = side.value, _GROUNDS[side]
    if is_latest:
        letter, ground = letter.upper(), _LATEST
    return f'<b style="background:{ground};color:#fff">{letter}</b>'


@lru_cache(maxsize=GRIDS_REMEMBERED)
def _links(grid: Grid, is_slim: bool) -> tuple[str, ...]:
    """Return each cell of a board as a link, with the text up to the next."""
    reach, style = (0, "") if is_slim else (1, _UNLINED)

    def link(point: Point) -> str:
        within = point.behind[:reach].rstrip("\n")
        shown = f"{_STAR if point.is_star else _PLACEMENT}{within}"
        address = f"{_ADDRESS}{grid.format_cell(point.cell)}"
        # The line breaks within the tag: no line of a mail may have more than 998 characters.
        return f'<a\nhref="{address}"{style}>{shown}</a>{point.behind[len(within) :]}'

    return tuple(map(link, board_points(grid)[1]))

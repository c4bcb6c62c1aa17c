"""Boards as HTML: the plain text of a board, with stones as tiles and free points as links. Pure.

In every monospaced font, letters keep the columns straight. Round signs do not, because the fonts
of phones lack them. So a stone is the letter of its side, in bold on a coloured ground. All grounds
are dark and their letters white: a program that forces a mail into dark mode lightens dark letters
and leaves the grounds alone. There are no other colours; everything else follows the program.
"""

import re
from collections.abc import Iterator, Mapping

from pbm_oust.render.text import board_text, star_points
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
    reach, style = (1, "") if is_slim else (2, _UNLINED)
    lines = []
    for line, row in _rows(position, latest):
        begin, cells = line[: len(line) - len(line.lstrip(" 0123456789"))], iter(row)
        done = len(begin) if row else 0
        marks = [line[:done]]
        while done < len(line):
            cell = 0 if line[done] == " " else next(cells, 0)
            address = (links or {}).get(cell)
            taken = line[done : done + (reach if address else 1)]
            drawn = _drawn(position, cell, latest, bool(address)) if cell else taken[0]
            drawn += taken[1:]
            # The line breaks within the tag: no line of a mail may have more than 998 characters.
            marks.append(f'<a\nhref="{address}"{style}>{drawn}</a>' if address else drawn)
            done += len(taken)
        lines.append("".join(marks))
    return "\n".join(lines)


def font_size(position: Position) -> float:
    """Return the font size, in pixels, with which a board fits on a phone, if it can.

    It is a multiple of half a pixel.
    """
    columns = max(map(len, board_text(position).split("\n")))
    fitting = int(2 * _SCREEN / (_WIDTH * columns)) / 2
    return max(_SMALLEST, min(_LARGEST, fitting))


def _rows(position: Position, latest: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each line of the board as text, with its cells from left to right."""
    rows = position.grid.rows
    for line in board_text(position, latest).split("\n"):
        number = re.match(r" *(\d+) ", line)
        yield line, rows[int(number[1]) - 1] if number else ()


def _drawn(position: Position, cell: int, latest: int, is_linked: bool) -> str:
    for side in Side:
        if cell & position.stones(side):
            letter, ground = side.value, _GROUNDS[side]
            if cell & latest:
                letter, ground = letter.upper(), _LATEST
            return f'<b style="background:{ground};color:#fff">{letter}</b>'
    if cell & star_points(position.grid):
        return _STAR
    return _PLACEMENT if is_linked else _OTHER

"""The boards in the help: positions that show one thing each, drawn as all boards are.

Those of Oust are the positions in the figures of the game's help page at Gamerz.net.
"""

from functools import cache

from dataclasses import dataclass
from pbm_oust.render.text import LETTERS, Letters, draw_text
from pbm_oust.rules.grid import parse_grid


@dataclass(frozen=True, slots=True)
class Picture:
    """A position, top row first, and the cells in it that are pointed out.

    The stones that were placed last are capitals.
    """

    grid: str
    rows: str
    marks: tuple[str, ...] = ()


PICTURES = {
    "placements": Picture(
        "square 5x5",
        "x..o. .x..o x.... ..o.. .o..x",
        ("A1", "B2", "C1", "C3", "C5", "D2", "D3", "D4", "E3", "E5"),
    ),
    "singletons": Picture("square 5x5", "...oo .o... x.o.. .o... .....", ("B3",)),
    "joining": Picture("square 5x5", ".o.o. ox.x. .xx.x o...x xx.ox", ("D3",)),
    "group": Picture("square 5x5", "ooooo o.... x..x. o..xx ..xxx", ("D4",)),
    "pass": Picture("square 5x5", "ooooo oooo. .o..x x.xxx xxx.x"),
    "win": Picture("square 5x5", "o...o ooxoo o...o o.x.. .xxxo", ("C3",)),
    "game": Picture(
        "square 13x13",
        "o...o..o..o.. oooo.oo.ooooo .o.o...o..o.o ..ooo..oo...o x..ooooo.o..o ....o.o...ooo"
        " xxx..o..x..o. ..x..X.x.x... xxxxx..xx.x.x x.x..x..xxxxx ..x.x..xx.x.. ..xxxxxxxxxxx"
        " xxx.....x....",
    ),
    "churn": Picture("hex 3", "x.o o.x. x.o.x o.xo xo.", ("B3",)),
    "hexagon": Picture("hex 3", "ox. .x.. ..o.. .... ..."),
}
"""All of them by their names."""

_MARKING = Letters(x=("x", "?"))


@cache
def picture(name: str) -> str:
    """Return a board of the help as text, in which ? stands on the cells that are pointed out."""
    drawn = PICTURES[name]
    grid = parse_grid(drawn.grid)
    stones = dict.fromkeys("xoXO.", 0)
    cells = (cell for row in reversed(grid.rows) for cell in row)
    for cell, stone in zip(cells, drawn.rows.replace(" ", ""), strict=True):
        stones[stone] |= cell
    latest, marks = stones["X"] | stones["O"], sum(map(grid.parse_cell, drawn.marks))
    x, o = stones["x"] | stones["X"] | marks, stones["o"] | stones["O"]
    return draw_text(grid, x, o, latest | marks, _MARKING if marks else LETTERS)

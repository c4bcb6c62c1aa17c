"""Boards as SVG, for web pages and for files that stand alone. Pure.

A picture needs no font, no style sheet and no script: its colours are attributes, and a page may
set others for the classes of its parts. x is dark and o is light, so no colour is needed to tell
them apart.

The classes below `board`: `ground`, `edge`, `lines`, `stars` and `names` are the board; `stones`,
`latest` (rings) and `taps` each go with `x` or `o`; `taken` are the points where stones were taken.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import pairwise

from pbm_oust.render.html import COLOURS, INK, WOOD, Marks
from pbm_oust.render.text import GRIDS_REMEMBERED, REMEMBERED, star_points
from pbm_oust.render.visible import visible_line
from pbm_oust.rules.grid import COLUMNS, Grid, Shape
from pbm_oust.rules.position import Position, Side

CURVE_WIDTH, CURVE_HEIGHT = 320, 96
_EDGE = 8
_LEAST = 1.0
"""What the highest and the lowest number are taken to be apart at least."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers at the lower and the upper edge of a curve, with a line halfway."""

    low: float
    high: float


def curve_svg(
    numbers: Sequence[float],
    scale: Scale | None = None,
    *,
    place: int = -1,
    rings: Collection[int] = (),
) -> str:
    """Return numbers as an SVG element: a line from left to right, with a dot and rings on places.

    Without a scale, the line fills the picture. The dot is on the last number unless another place
    is named. It is an ornament to a table that has the numbers, so programs that read aloud pass
    it over.
    """
    low, high = (scale.low, scale.high) if scale else _edges(numbers)
    step = (CURVE_WIDTH - 2 * _EDGE) / max(len(numbers) - 1, 1)
    places = [
        (
            _EDGE + nth * step,
            _EDGE + (CURVE_HEIGHT - 2 * _EDGE) * (high - number) / (high - low),
        )
        for nth, number in enumerate(numbers)
    ]
    points, (x, y) = " ".join(f"{x:.1f},{y:.1f}" for x, y in places), places[place]
    halfway = (
        f'<path d="M{_EDGE} {CURVE_HEIGHT / 2:g}H{CURVE_WIDTH - _EDGE}" '
        'stroke-width="1" opacity="0.4"/>'
        if scale
        else ""
    )
    ringed = "".join(
        f'<circle cx="{places[each][0]:.1f}" cy="{places[each][1]:.1f}" r="6"/>' for each in rings
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {CURVE_WIDTH} {CURVE_HEIGHT}" '
        'class="curve" '
        'aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" '
        f'stroke-linejoin="round">{halfway}<polyline points="{points}"/>{ringed}'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="currentColor"/></svg>'
    )


def _edges(numbers: Sequence[float]) -> tuple[float, float]:
    high = max(numbers)
    return min(min(numbers), high - _LEAST), high


STROKE_HEIGHT = 14
"""How high each of them is, in the units of the picture."""

_WIDTH, _ADVANCE = 10, 13
"""How wide one is, and how far its left edge is from the left edge of the next."""

_ELLIPSE = "m0 7a5 7 0 0 0 10 0 5 7 0 0 0-10 0"
_P = "m0 14v-14h6a4 4 0 0 1 0 8h-6"

STROKES = {
    "A": "m0 14l5-14 5 14m-8.2-5h6.4",
    "B": "v14h6a4 4 0 0 0 0-8h-6h5a3 3 0 0 0 0-6h-5",
    "C": "m9.2 3.2a5 7 0 1 0 0 7.6",
    "D": "v14h3a7 7 0 0 0 0-14z",
    "E": "m9 0h-9v14h9m-9-7.3h7.5",
    "F": "m9 0h-9v14m0-7.3h7.5",
    "G": "m9.2 3.2a5 7 0 1 0 .8 3.8h-4",
    "H": "v14m10-14v14m-10-7.2h10",
    "J": "m8 0v9.5a4 4.5 0 0 1-8 0",
    "K": "v14m9.5-14l-9.5 9m3.6-3.4l6.4 8.4",
    "L": "m1 0v14h8.5",
    "M": "m-.5 14v-14l5.5 9 5.5-9v14",
    "N": "m0 14v-14l10 14v-14",
    "O": _ELLIPSE,
    "P": _P,
    "Q": f"{_ELLIPSE}m6 3l4 4",
    "R": f"{_P}m5 0l5 6",
    "S": "m9 2.6c-1-1.8-2.4-2.6-4.2-2.6-2.6 0-4.3 1.4-4.3 3.5 0 4.9 9 2.2 9 6.9 0 2.2-1.9 3.6-4.6"
    " 3.6-2.1 0-3.8-.9-4.9-2.8",
    "T": "h10m-5 0v14",
    "U": "v9a5 5 0 0 0 10 0v-9",
    "V": "l5 14 5-14",
    "W": "m-1 0l3 14 3-11 3 11 3-14",
    "X": "l10 14m0-14l-10 14",
    "Y": "l5 7.5 5-7.5m-5 7.5v6.5",
    "Z": "h10l-10 14h10",
    "0": "m.8 7a4.2 7 0 0 0 8.4 0 4.2 7 0 0 0-8.4 0",
    "1": "m2 3l4-3v14",
    "2": "m1 3.8a4 3.8 0 0 1 8 0c0 3.4-3.5 5-8 10.2h8.3",
    "3": "m1.2 2.4c.8-1.6 2-2.4 3.8-2.4a3.3 3.3 0 0 1 0 6.6h-1.4h1.4a3.7 3.7 0 0 1 0 7.4c-2 0-3.5"
    "-.9-4.2-2.8",
    "4": "m7 14v-14l-7 9.8h10",
    "5": "m8.6 0h-6.8l-.7 6.2c1-.8 2.2-1.2 3.6-1.2a4.5 4.5 0 0 1 0 9c-2 0-3.6-.9-4.4-2.6",
    "6": "m8.4 1.8c-.9-1.2-2-1.8-3.4-1.8-2.8 0-4.2 2.6-4.2 7v2.6a4.2 4.4 0 0 0 8.4 0 4.2 4.4 0 0 0"
    "-8.4 0",
    "7": "m.6 0h8.8l-5.6 14",
    "8": "m1.6 3.4a3.4 3.4 0 0 0 6.8 0 3.4 3.4 0 0 0-6.8 0m-.8 7a4.2 3.6 0 0 0 8.4 0 4.2 3.6 0 0 0"
    "-8.4 0",
    "9": "m1.6 12.2c.9 1.2 2 1.8 3.4 1.8 2.8 0 4.2-2.6 4.2-7v-2.6a4.2 4.4 0 0 0-8.4 0 4.2 4.4 0 0 0"
    " 8.4 0",
}
"""The commands of an SVG path that draw each of them from its upper left corner."""


def strokes_around(x: int, y: int, text: str) -> str:
    """Return the commands of an SVG path that write a text around a point."""
    left, top = x - (_ADVANCE * len(text) - _ADVANCE + _WIDTH) / 2, y - STROKE_HEIGHT // 2
    return "".join(
        f"M{left + _ADVANCE * nth:g} {top}{STROKES[letter]}" for nth, letter in enumerate(text)
    )


HALF = 20
"""Half the distance of two neighbouring cells of a row."""

_MARGIN = 56
"""From the outermost lines of a square board to its edges."""
_NAME = 20
"""From the edges of a square board to the middle of its coordinates."""

_SIDE, _SLOPE = 22, 12
"""How high the upright sides of a hexagonal cell are, and its slanting ones."""
_TIP = _SIDE // 2 + _SLOPE
"""From the middle of a hexagonal cell to its upper corner."""
_PAD = 16
"""From the corners of a hexagonal board to its edges."""

Place = tuple[int, int]
"""A point, from the left and from the top."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """A board without stones."""

    width: int
    height: int
    places: Mapping[int, Place]
    """The middle of each cell, top row first."""
    cell: str
    """The path around a cell whose middle is at 0 0."""
    lines: str
    """The path of the lines between the cells, or through them."""
    edge: str
    """The path around all cells of a hexagonal board; nothing on a square one."""
    stars: str
    """The path of the star points, as dots; it may be nothing."""
    names: str
    """The path of the coordinates."""


@lru_cache(maxsize=GRIDS_REMEMBERED)
def ruling_of(grid: Grid) -> Ruling:
    """Return the lines of a grid and the places of its cells."""
    return _square(grid) if grid.shape is Shape.SQUARE else _hexagonal(grid)


def _square(grid: Grid) -> Ruling:
    columns, rows = grid.size
    right, bottom = (_MARGIN + 2 * HALF * (length - 1) for length in grid.size)
    width, height = right + _MARGIN, bottom + _MARGIN
    across = [(column, _MARGIN + 2 * HALF * (column - 1)) for column in range(1, columns + 1)]
    down = [(row, bottom - 2 * HALF * (row - 1)) for row in range(rows, 0, -1)]
    places = {grid.cell_at(column, row): (x, y) for row, y in down for column, x in across}
    lines = [f"M{_MARGIN} {y}H{right}" for _, y in down]
    lines += [f"M{x} {_MARGIN}V{bottom}" for _, x in across]
    letters = [
        strokes_around(x, y, COLUMNS[column - 1])
        for column, x in across
        for y in (_NAME, height - _NAME)
    ]
    numbers = [strokes_around(x, y, str(row)) for row, y in down for x in (_NAME, width - _NAME)]
    return Ruling(
        width,
        height,
        places,
        cell=f"M{-HALF} {-HALF}h{2 * HALF}v{2 * HALF}h{-2 * HALF}z",
        lines="".join(lines),
        edge="",
        stars="".join("M{} {}h0".format(*places[star]) for star in grid.each(star_points(grid))),
        names="".join(letters + numbers),
    )


def _hexagonal(grid: Grid) -> Ruling:
    lengths = [2 * column - row for column, row in map(grid.place_of, grid.names_of)]
    height = len(grid.rows)
    left = _PAD + 3 * HALF - HALF * min(lengths)
    top = _PAD + _TIP

    def place(column: int, row: int) -> Place:
        return left + HALF * (2 * column - row), top + (_SIDE + _SLOPE) * (height - row)

    places = {cell: place(*grid.place_of(cell)) for row in reversed(grid.rows) for cell in row}
    rows = [[places[cell] for cell in row] for row in reversed(grid.rows)]
    letters = [
        strokes_around(*place(column, row - 1), COLUMNS[column - 1])
        for column, row in map(grid.place_of, grid.names_of)
        if not grid.cell_at(column, row - 1)
    ]
    numbers = [
        strokes_around(row[0][0] - 2 * HALF, row[0][1], str(height - nth))
        for nth, row in enumerate(rows)
    ]
    around = f"l{HALF} {_SLOPE}v{_SIDE}l{-HALF} {_SLOPE} {-HALF} {-_SLOPE}v{-_SIDE}z"
    return Ruling(
        left + HALF * max(lengths) + 3 * HALF + _PAD,
        top + (_SIDE + _SLOPE) * height + _PAD,
        places,
        cell=f"M0 {-_TIP}{around}",
        lines="".join(_inner_lines(rows)),
        edge=_edge(rows),
        stars="",
        names="".join(letters + numbers),
    )


def _inner_lines(rows: list[list[Place]]) -> Iterator[str]:
    """Yield the sides that two cells share: upright ones in rows, zigzags between rows."""
    for row in rows:
        if len(row) > 1:
            x, y = row[0]
            between = f"m{2 * HALF} {-_SIDE}v{_SIDE}" * (len(row) - 2)
            yield f"M{x + HALF} {y - _SIDE // 2}v{_SIDE}{between}"
    for upper, lower in pairwise(rows):
        first = max(upper[0][0], lower[0][0]) - HALF
        last = min(upper[-1][0], lower[-1][0]) + HALF
        # Below the middle of a cell of the upper row, the zigzag has a corner that points down.
        is_low = (first - upper[0][0]) % (2 * HALF) == 0
        corner = upper[0][1] + (_TIP if is_low else _SIDE // 2)
        yield f"M{first} {corner}{_zigzag((last - first) // HALF, HALF, is_low)}"


def _edge(rows: list[list[Place]]) -> str:
    """Return the path around all cells, clockwise from the upper left one."""
    upper, lower = rows[0], rows[-1]
    path = f"M{upper[0][0] - HALF} {upper[0][1] - _SIDE // 2}{_zigzag(2 * len(upper), HALF, True)}"
    for row, below in pairwise(rows):
        path += f"v{_SIDE}l{below[-1][0] - row[-1][0]} {_SLOPE}"
    path += f"v{_SIDE}{_zigzag(2 * len(lower), -HALF, False)}"
    for row, above in pairwise(reversed(rows)):
        path += f"v{-_SIDE}l{above[0][0] - row[0][0]} {-_SLOPE}"
    return f"{path}z"


def _zigzag(count: int, step: int, is_up: bool) -> str:
    """Return so many slanting sides, one after the other, the first of them up or down."""
    slopes = (-_SLOPE, _SLOPE) if is_up else (_SLOPE, -_SLOPE)
    return "".join(f"l{step} {slopes[nth % 2]}" for nth in range(count))


_STONE, _RING, _TAKEN = HALF - 2, 9, HALF - 5
"""The radii of a stone, of the ring in it, and of the mark where one was taken."""
_DOT, _CAPTURE = 4, (12, 9)
"""The radii of the signs that are tapped: of a dot, and of the ring around it, out and in."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What a picture says to who does not see it."""

    title: str
    description: str
    capturing: str = ""
    """Follows the name of each cell where a placement takes stones."""


@dataclass(frozen=True, slots=True)
class _Look:
    """The colours of a side."""

    light: str
    """Where light falls on the stone."""
    dark: str
    outline: str
    ring: str


_LOOKS = {
    Side.X: _Look("#4b6db3", COLOURS[Side.X], "#0a1d45", "#fff"),
    Side.O: _Look("#fff", "#f8d9bb", COLOURS[Side.O], COLOURS[Side.O]),
}


def board_svg(
    position: Position,
    marks: Marks,
    labels: Labels,
    *,
    taps: Callable[[str], str] | None = None,
    prefix: str = "b",
) -> str:
    """Return a board as an SVG element, on one line.

    With taps, each placement is a link to the address that taps returns for the name of its cell.
    All ids begin with the prefix, a word: boards on one page need different ones.
    """
    x, o = map(position.stones, Side)
    ruling = ruling_of(position.grid)
    links = "".join(_links(position, taps, labels, prefix)) if taps else ""
    # Programs take an image for one thing, and do not read out links in it.
    role = "group" if links else "img"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {ruling.width} {ruling.height}" '
        f'class="board" role="{role}"><title>{_safe(labels.title)}</title>'
        f"<desc>{_safe(labels.description)}</desc><defs>{_gradients(prefix)}</defs>"
        f"{_ground(position.grid)}{_stones(position.grid, x, o, marks, prefix)}{links}</svg>"
    )


@lru_cache(maxsize=REMEMBERED)
def _gradients(prefix: str) -> str:
    return "".join(
        f'<radialGradient id="{prefix}-{side.value}" cx=".36" cy=".3" r=".8">'
        f'<stop stop-color="{look.light}"/><stop offset="1" stop-color="{look.dark}"/>'
        "</radialGradient>"
        for side, look in _LOOKS.items()
    )


@lru_cache(maxsize=GRIDS_REMEMBERED)
def _ground(grid: Grid) -> str:
    """Return a board without stones; the latest are remembered."""
    ruling = ruling_of(grid)
    edge = f'<path class="edge" fill="#f4e2bd" stroke-width="3" d="{ruling.edge}"/>'
    stars = f'<path class="stars" stroke-width="8" d="{ruling.stars}"/>'
    return (
        f'<rect class="ground" width="{ruling.width}" height="{ruling.height}" '
        f'fill="{WOOD}"/><g fill="none" stroke="{INK}" stroke-linecap="round" '
        f'stroke-linejoin="round">{edge if ruling.edge else ""}<path class="lines" '
        f'stroke-opacity=".6" stroke-width="1.5" d="{ruling.lines}"/>'
        f'{stars if ruling.stars else ""}<path class="names" stroke-width="2" '
        f'd="{ruling.names}"/></g>'
    )


@lru_cache(maxsize=REMEMBERED)
def _stones(grid: Grid, x: int, o: int, marks: Marks, prefix: str) -> str:
    """Return the stones of both sides with their marks; the latest drawings are remembered."""
    drawn = ""
    for side, stones in zip(Side, (x, o), strict=True):
        word, look = side.value, _LOOKS[side]
        stone = f'fill="url(#{prefix}-{word})" stroke="{look.outline}" stroke-width="1.5"'
        ring = f'fill="none" stroke="{look.ring}" stroke-width="3.5"'
        drawn += _circles(grid, stones, _STONE, f'class="stones {word}" {stone}')
        drawn += _circles(grid, stones & marks.latest, _RING, f'class="latest {word}" {ring}')
    dashed = f'fill="none" stroke="{INK}" stroke-width="2.5" stroke-dasharray="5.5 4"'
    return drawn + _circles(grid, marks.taken & ~(x | o), _TAKEN, f'class="taken" {dashed}')


def _circles(grid: Grid, cells: int, radius: int, look: str) -> str:
    """Return circles of one look around the middle of some cells."""
    if not cells:
        return ""
    places = map(ruling_of(grid).places.__getitem__, grid.each(cells))
    circles = (f'<circle cx="{x}" cy="{y}" r="{radius}"/>' for x, y in places)
    return f"<g {look}>{''.join(circles)}</g>"


def _links(
    position: Position, taps: Callable[[str], str], labels: Labels, prefix: str
) -> Iterator[str]:
    """Yield the links, top row first; the two signs for them stand before. Nothing if none."""
    grid, side = position.grid, position.to_move
    placements, capturing = position.placements(), position.capturing()
    if not placements:
        return
    yield f"<defs>{_signs(grid, prefix)}</defs>"
    colour = f'fill="{COLOURS[side]}" stroke-width="2.5"'
    yield f'<g class="taps {side.value}" {colour}>'
    for cell, (x, y) in ruling_of(grid).places.items():
        if cell & placements:
            name = grid.format_cell(cell)
            said, sign = (f"{name}{labels.capturing}", "c") if cell & capturing else (name, "p")
            yield (
                f'<a href="{_safe(taps(name))}" aria-label="{_safe(said)}">'
                f'<use href="#{prefix}-{sign}" x="{x}" y="{y}"/></a>'
            )
    yield "</g>"


def _signs(grid: Grid, prefix: str) -> str:
    """Return what is tapped: a dot, which has a ring where stones are taken, in a whole cell.

    They have the fill of the links. A stroke of a link is an outline of its cell.
    """
    cell = f'<path fill-opacity="0" d="{ruling_of(grid).cell}"/>'
    plain = f'{cell}<circle stroke="none" r="{_DOT}"/>'
    rings = "".join(f"M{-r} 0a{r} {r} 0 0 0 {2 * r} 0 {r} {r} 0 0 0 {-2 * r} 0" for r in _CAPTURE)
    ring = f'<path stroke="none" fill-rule="evenodd" d="{rings}"/>'
    return f'<g id="{prefix}-p">{plain}</g><g id="{prefix}-c">{plain}{ring}</g>'


def _safe(text: str) -> str:
    """Return a text as it is written in XML."""
    return escape(visible_line(text))

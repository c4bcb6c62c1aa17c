"""Pictures as SVG elements on one line: boards, and curves of numbers. Pure.

A picture needs no font, no style sheet and no script: letters and digits are strokes, and colours
are attributes. A page may set other colours for the classes.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache, reduce
from html import escape
from itertools import groupby, pairwise
from operator import or_
from pkgutil import get_data

from msgspec import Struct

from pbm_oust.board.record import Placement
from pbm_oust.render.html import COLOURS, INK, WOOD, Marks
from pbm_oust.render.text import GRIDS_REMEMBERED, cells_text, star_points
from pbm_oust.render.visible import visible_line
from pbm_oust.rules import Grid, Position, Shape, Side, taken
from pbm_oust.rules.grid import COLUMNS

STROKE_HEIGHT = 14
"""How high each letter or digit is, in the units of the picture."""
_WIDTH, _ADVANCE = 10, 13
"""How wide one is, and how far its left edge is from the left edge of the next."""
STROKES: dict[str, str] = tomllib.loads((get_data(__package__, "strokes.toml") or b"").decode())
"""The commands of an SVG path that draw each of them from its upper left corner."""


def strokes_around(x: float, y: float, text: str) -> str:
    """Return the commands of an SVG path that write a text around a point, in whole units."""
    left = round(x - (_ADVANCE * len(text) - _ADVANCE + _WIDTH) / 2)
    top = round(y - STROKE_HEIGHT / 2)
    return "".join(
        f"M{left + _ADVANCE * nth} {top}{STROKES[letter]}" for nth, letter in enumerate(text)
    )


HALF = 20
"""Half the distance of two neighbouring cells of a row."""

_MARGIN = 22
"""From the outermost lines of a square board to its edges."""
_STRIP = 18
"""The width of the room for coordinates, on the left of a board and below it."""
_NAME = 30
"""From the outermost lines of a square board to the middle of its coordinates."""
NAME_SCALE = 0.75
"""The scale of coordinates."""

_SIDE, _SLOPE = 22, 12
"""How high the upright sides of a hexagonal cell are, and its slanting ones."""
_TIP = _SIDE // 2 + _SLOPE
"""From the middle of a hexagonal cell to its upper corner."""
_PAD = 4
"""From the corners of a hexagonal board to its edges."""
_BEFORE = 32
"""The distance from the number of a row to the middle of its first cell."""
_BEHIND, _BELOW = 17, 28
"""How far the letter of a column is behind the middle of its lowest cell, and below it."""

Point = tuple[int, int]
"""A point, from the left and from the top."""


class Layout(Struct, frozen=True):
    """A board without stones. Its coordinates are outside, on the left and below."""

    width: int
    height: int
    places: Mapping[int, Point]
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
    """The path of the coordinates, which `NAME_SCALE` makes smaller."""

    @property
    def inset(self) -> tuple[float, float, float]:
        """Where a smaller board starts that has its coordinates in the same room; its scale."""
        scale = min(length / (length + _STRIP) for length in (self.width, self.height))
        left = (self.width - scale * (self.width - _STRIP)) / 2
        return left, (self.height - scale * (self.height + _STRIP)) / 2, scale


@lru_cache(maxsize=GRIDS_REMEMBERED)
def layout_of(grid: Grid) -> Layout:
    """Return the lines of a grid and the places of its cells."""
    return _square(grid) if grid.shape is Shape.SQUARE else _hexagonal(grid)


def without_names(grid: Grid) -> str:
    """Return the fragment of an address that shows the picture of a board without coordinates.

    Source: SVG 1.1, section 17.3.2 (SVG fragment identifiers).
    """
    layout = layout_of(grid)
    left, top, scale = layout.inset
    box = left, top, scale * layout.width, scale * layout.height
    return f"svgView(viewBox({','.join(f'{each:.4g}' for each in box)}))"


def _square(grid: Grid) -> Layout:
    columns, rows = grid.size
    right, bottom = (_MARGIN + 2 * HALF * (length - 1) for length in grid.size)
    width, height = right + _MARGIN, bottom + _MARGIN
    across = [(column, _MARGIN + 2 * HALF * (column - 1)) for column in range(1, columns + 1)]
    down = [(row, bottom - 2 * HALF * (row - 1)) for row in range(rows, 0, -1)]
    places = {grid.cell_at(column, row): (x, y) for row, y in down for column, x in across}
    lines = [f"M{_MARGIN} {y}H{right}" for _, y in down]
    lines += [f"M{x} {_MARGIN}V{bottom}" for _, x in across]
    names = [_name(x, bottom + _NAME, COLUMNS[column - 1]) for column, x in across]
    names += [_name(_MARGIN - _NAME, y, str(row)) for row, y in down]
    return Layout(
        width,
        height,
        places,
        cell=f"M{-HALF} {-HALF}h{2 * HALF}v{2 * HALF}h{-2 * HALF}z",
        lines="".join(lines),
        edge="",
        stars="".join("M{} {}h0".format(*places[star]) for star in grid.each(star_points(grid))),
        names="".join(names),
    )


def _name(x: float, y: float, text: str) -> str:
    """Return the path of a coordinate around a point of the board."""
    return strokes_around(x / NAME_SCALE, y / NAME_SCALE, text)


def _hexagonal(grid: Grid) -> Layout:
    lengths = [2 * column - row for column, row in map(grid.place_of, grid.names_of)]
    height = len(grid.rows)
    left = _PAD + HALF - HALF * min(lengths)
    top = _PAD + _TIP

    def place(column: int, row: int) -> Point:
        return left + HALF * (2 * column - row), top + (_SIDE + _SLOPE) * (height - row)

    places = {cell: place(*grid.place_of(cell)) for row in reversed(grid.rows) for cell in row}
    rows = [[places[cell] for cell in row] for row in reversed(grid.rows)]
    names = [
        _name(places[cell][0] + _BEHIND, places[cell][1] + _BELOW, COLUMNS[column - 1])
        for cell in grid.names_of
        for column, row in [grid.place_of(cell)]
        if not grid.cell_at(column, row - 1)
    ]
    names += [
        _name(row[0][0] - _BEFORE, row[0][1], str(height - nth)) for nth, row in enumerate(rows)
    ]
    around = f"l{HALF} {_SLOPE}v{_SIDE}l{-HALF} {_SLOPE} {-HALF} {-_SLOPE}v{-_SIDE}z"
    return Layout(
        left + HALF * max(lengths) + HALF + _PAD,
        top + (_SIDE + _SLOPE) * (height - 1) + _TIP + _PAD,
        places,
        cell=f"M0 {-_TIP}{around}",
        lines="".join(_inner_lines(rows)),
        edge=_edge(rows),
        stars="",
        names="".join(names),
    )


def _inner_lines(rows: list[list[Point]]) -> Iterator[str]:
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


def _edge(rows: list[list[Point]]) -> str:
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


_SIDES = {
    Side.X: ("#4b6db3", COLOURS[Side.X], "#0a1d45", "#fff"),
    Side.O: ("#fff", "#f7ebdc", COLOURS[Side.O], COLOURS[Side.O]),
}
"""The light and the dark of the stones of each side, their outlines, and the rings on the latest.
"""


def colour_of(side: Side, gettext: Callable[..., str]) -> str:
    """Return what the colour of the stones of a side is called. `gettext` translates it."""
    return gettext("blue") if side is Side.X else gettext("white")


_GRADIENT = (
    '<radialGradient id="{}-{}" cx=".36" cy=".3" r=".8"><stop stop-color="{}"/>'
    '<stop offset="1" stop-color="{}"/></radialGradient>'
)
_DASHED = f'fill="none" stroke="{INK}" stroke-width="2.5" stroke-dasharray="5.5 4"'
_TARGET = '<path fill-opacity="0" d="{}"/><circle stroke="none" r="18"/>'
"""The target of a tap: a stone in a whole cell, which a page shows under a pointer. A stroke of its
link is an outline of the cell."""
_RING = (
    '<path stroke="none" fill-opacity="1" fill-rule="evenodd" d="'
    "M-12 0a12 12 0 0 0 24 0 12 12 0 0 0 -24 0"
    'M-9 0a9 9 0 0 0 18 0 9 9 0 0 0 -18 0"/>'
)
"""The ring where stones are taken."""


class Free(Enum):
    """The free cells of a board that are links."""

    LEGAL = "legal"
    """Those with legal placements; a ring shows where stones are taken."""
    ALL = "all"
    """All, with the same rings: whoever taps on another one is told why it is not legal."""
    ALIKE = "alike"
    """All, and nothing tells them apart: it is a task where to place."""


def board_svg(
    position: Position,
    marks: Marks,
    title: str,
    gettext: Callable[..., str],
    *,
    taps: Callable[[str], str] | None = None,
    prefix: str = "b",
    free: Free = Free.LEGAL,
    moves: Iterable[tuple[Side, Placement]] = (),
) -> str:
    """Draw a position, and say in words what the picture shows. `gettext` translates them.

    x is dark and o is light, so no colour is needed to tell them apart. The board is inset to make
    room for its coordinates: a page that hides them undoes that. With `taps`, the cells that
    `free` says are links to the addresses that `taps` returns for their names. All ids begin with
    `prefix`, a word: boards on one page need different ones. A script can show how the position
    came about from `moves`, the latest placements, each with its side.
    """
    links = _links(position, gettext, taps, prefix, free) if taps else ""
    circles = _circles([(position, marks)], prefix)
    return _board(position, marks, title, gettext, prefix, circles, links, moves)


def film_svg(
    frames: Sequence[tuple[Position, Marks]], title: str, gettext: Callable[..., str], prefix: str
) -> str:
    """Draw positions of one game over another, of which the last is seen.

    Each circle says in which of them it belongs, from 0 on: `data-seen="3-17"`.
    """
    return _board(*frames[-1], title, gettext, prefix, _circles(frames, prefix), "")


def _board(
    position: Position,
    marks: Marks,
    title: str,
    gettext: Callable[..., str],
    prefix: str,
    circles: str,
    links: str,
    moves: Iterable[tuple[Side, Placement]] = (),
) -> str:
    """Draw a board with these circles, and say in words what its position shows."""
    layout = layout_of(position.grid)
    left, top, scale = layout.inset
    moved = f"translate({left:.4g} {top:.4g})"
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width} {layout.height}"',
        f' class="board" role="{"group" if links else "img"}"{_came_about(position.grid, moves)}>',
        f"<title>{_xml(title)}</title>",
        f"<desc>{_xml(_description(position, marks, gettext))}</desc><defs>",
        *(_GRADIENT.format(prefix, side.value, *look[:2]) for side, look in _SIDES.items()),
        f'</defs><rect class="ground" width="{layout.width}" height="{layout.height}"',
        f' fill="{WOOD}"/><g class="inset" transform="{moved} scale({scale:.4g})">',
        f'<g fill="none" stroke="{INK}" stroke-linecap="round" stroke-linejoin="round">',
        f'<path class="edge" fill="#f4e2bd" stroke-width="3" d="{layout.edge}"/>'
        if layout.edge
        else "",
        f'<path class="lines" stroke-opacity=".6" stroke-width="1.5" d="{layout.lines}"/>',
        f'<path class="stars" stroke-width="8" d="{layout.stars}"/>' if layout.stars else "",
        f'<path class="names" transform="scale({NAME_SCALE})" stroke-width="2"',
        f' d="{layout.names}"/></g>',
    ]
    return "".join([*pieces, circles, links, "</g></svg>"])


def _circles(frames: Sequence[tuple[Position, Marks]], prefix: str) -> str:
    """Draw the stones and the marks of a position, or of several of one game."""
    grid = frames[0][0].grid
    places, last, drawn = layout_of(grid).places, len(frames) - 1, list[str]()
    for layers in zip(*(_layers(*each, prefix) for each in frames), strict=True):
        (words, look, radius, _), cells = layers[0], reduce(or_, (cells for *_, cells in layers))
        circles = list[str]()
        for cell in grid.each(cells):
            circle = '<circle cx="{}" cy="{}" r="{}"'.format(*places[cell], radius)
            if not last:
                circles.append(f"{circle}/>")
                continue
            seen = [bool(there & cell) for *_, there in layers]
            for is_there, run in groupby(range(last + 1), seen.__getitem__):
                first, *more = run
                end = more[-1] if more else first
                hidden = "" if end == last else ' visibility="hidden"'
                circles += [f'{circle} data-seen="{first}-{end}"{hidden}/>'] if is_there else []
        if cells or "stones" in words:
            drawn.append(f'<g class="{words}" {look}>{"".join(circles)}</g>')
    return "".join(drawn)


def _layers(position: Position, marks: Marks, prefix: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield the class, the look, the radius and the cells of each layer of circles of a board."""
    for side, (_, _, outline, ring) in _SIDES.items():
        stones = position.stones(side)
        filled = f'fill="url(#{prefix}-{side.value})" stroke="{outline}" stroke-width="1.5"'
        yield f"stones {side.value}", filled, 18, stones
        ringed = f'fill="none" stroke="{ring}" stroke-width="3.5"'
        yield f"latest {side.value}", ringed, 9, stones & marks.latest
    yield "taken", _DASHED, 15, marks.taken & ~position.occupied | marks.pointed


def _came_about(grid: Grid, moves: Iterable[tuple[Side, Placement]]) -> str:
    """Return placements as an attribute, a word for each stone that comes (+) or goes (-).

    `+x40,80 -o40,120` is a stone of x at the point 40 80, which takes one of o.
    """
    places, said = layout_of(grid).places, list[str]()
    for side, done in moves:
        for sign, owner, cells in (
            ("+", side, grid.parse_cell(done.cell)),
            ("-", side, done.lost),
            ("-", side.other, done.taken & ~done.lost),
        ):
            said += [
                f"{sign}{owner.value}{x},{y}" for x, y in map(places.__getitem__, grid.each(cells))
            ]
    return f' data-moves="{" ".join(said)}"' if said else ""


def _description(position: Position, marks: Marks, gettext: Callable[..., str]) -> str:
    """Say where stones are, and what is marked."""
    grid = position.grid
    said = [
        gettext(
            "%(colour)s: %(cells)s",
            colour=colour_of(side, gettext).capitalize(),
            cells=cells_text(grid, position.stones(side)) or gettext("no stones"),
        )
        for side in Side
    ]
    if marks.latest:
        said.append(gettext("Latest, ringed: %(cells)s", cells=cells_text(grid, marks.latest)))
    if marks.taken:
        cells = cells_text(grid, marks.taken)
        said.append(gettext("Off the board in this turn, dashed: %(cells)s", cells=cells))
    if marks.pointed:
        said.append(gettext("Pointed out: %(cells)s", cells=cells_text(grid, marks.pointed)))
    return ". ".join(said)


def _links(
    position: Position,
    gettext: Callable[..., str],
    taps: Callable[[str], str],
    prefix: str,
    free: Free,
) -> str:
    """Draw cells as links; nothing if no placement is legal."""
    grid, layout = position.grid, layout_of(position.grid)
    placements, empty = position.placements(), grid.cells & ~position.occupied
    capturing = 0 if free is Free.ALIKE else position.capturing()
    joining = placements & grid.neighbours(position.stones(position.to_move))
    linked = placements if free is Free.LEGAL else empty

    def link(cell: int, x: int, y: int) -> str:
        name = label = grid.format_cell(cell)
        if free is not Free.ALIKE and cell & joining:
            label += effect(position, cell, gettext)
        elif free is Free.ALL and not cell & placements:
            label += gettext(", not legal now")
        target = f'<use href="#{prefix}-{"c" if cell & capturing else "p"}" x="{x}" y="{y}"/>'
        return f'<a href="{_xml(taps(name))}" aria-label="{_xml(label)}">{target}</a>'

    if not placements:
        return ""
    barred = 0 if free is Free.ALIKE else empty & ~placements
    dims = "".join(
        "M{} {}".format(*layout.places[cell]) + layout.cell.replace("M", "m")
        for cell in grid.each(barred if 3 * barred.bit_count() <= empty.bit_count() else 0)
    )
    links = [link(cell, *place) for cell, place in layout.places.items() if cell & linked]
    target, side = _TARGET.format(layout.cell), position.to_move
    return (
        (f'<path class="barred" fill="{INK}" fill-opacity=".15" d="{dims}"/>' if dims else "")
        + f'<defs><g id="{prefix}-p">{target}</g><g id="{prefix}-c">{target}{_RING}</g></defs>'
        + f'<g class="taps {side.value}" fill="{COLOURS[side]}" fill-opacity="0"'
        + f' stroke-width="2.5">{"".join(links)}</g>'
    )


def effect(position: Position, cell: int, gettext: Callable[..., str]) -> str:
    """Say behind the name of a cell what a placement on it does that touches own stones."""
    grid, own = position.grid, position.stones(position.to_move)
    after = position.place(cell)
    gone, group = taken(position, after), grid.flood(cell, after.stones(position.to_move))
    facts = {"number": gone.bit_count(), "group": group.bit_count()}
    if gone & ~own:
        return gettext(" takes %(number)s, in a group of %(group)s", **facts)
    if gone and grid.flood(gone & -gone, gone) == gone:
        return gettext(" makes a group of %(group)s; your group of %(number)s goes", **facts)
    if gone:
        return gettext(
            " makes a group of %(group)s; your smaller groups go, %(number)s stones", **facts
        )
    return gettext(" makes a group of %(group)s", **facts)


def _xml(text: str) -> str:
    return escape(visible_line(text))


CURVE_WIDTH, CURVE_HEIGHT = 320, 96
_EDGE = 8
_MOST_LINKED = 80
"""How many places of a curve are links: more would be narrower than the tip of a pointer."""
_LEAST = 1.0
"""How far apart the highest and the lowest number are taken to be at least."""


def curve_svg(
    numbers: Sequence[float],
    scale: tuple[float, float] | None = None,
    *,
    place: int = -1,
    rings: Iterable[int] = (),
    leads: Callable[[int], str] | None = None,
) -> str:
    """Draw numbers as a line from left to right, with a dot and rings on places.

    A scale has the numbers at the lower and the upper edge, with a line halfway; without one, the
    line fills the picture. The dot is on the last number unless another place is named. `leads`
    returns the address to which a place leads; where there are many places, some lead to one
    nearby. Programs that read aloud pass it over: it is an ornament to a table with the numbers.
    """
    high = max(numbers)
    low, high = scale or (min(*numbers, high - _LEAST), high)
    step = (CURVE_WIDTH - 2 * _EDGE) / max(len(numbers) - 1, 1)
    every = -(-len(numbers) // _MOST_LINKED)
    reach = every * step
    across = [f"{_EDGE + nth * step:.1f}" for nth in range(len(numbers))]
    down = [
        f"{_EDGE + (CURVE_HEIGHT - 2 * _EDGE) * (high - number) / (high - low):.1f}"
        for number in numbers
    ]
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {CURVE_WIDTH} {CURVE_HEIGHT}"',
        ' class="curve" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2"',
        ' stroke-linejoin="round">',
    ]
    if scale:
        halfway = f"M{_EDGE} {CURVE_HEIGHT / 2:g}H{CURVE_WIDTH - _EDGE}"
        pieces.append(f'<path d="{halfway}" stroke-width="1" opacity="0.4"/>')
    pieces.append(f'<polyline points="{" ".join(map(",".join, zip(across, down, strict=True)))}"/>')
    if leads:
        pieces.append(f'<path d="M{across[place]} 0V{CURVE_HEIGHT}" stroke-width="1"/>')
    pieces += [f'<circle cx="{across[each]}" cy="{down[each]}" r="6"/>' for each in rings]
    pieces.append(f'<circle cx="{across[place]}" cy="{down[place]}" r="3" fill="currentColor"/>')
    if leads:
        pieces.append('<g fill="#000" fill-opacity="0" stroke="none">')
        for nth in range(0, len(numbers), every):
            left = f"{_EDGE + nth * step - reach / 2:.1f}"
            size = f'x="{left}" width="{reach:.1f}" height="{CURVE_HEIGHT}"'
            pieces.append(f'<a href="{_xml(leads(nth))}" tabindex="-1"><rect {size}/></a>')
        pieces.append("</g>")
    return "".join([*pieces, "</svg>"])

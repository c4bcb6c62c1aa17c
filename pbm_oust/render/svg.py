"""Boards as SVG, for web pages and for files that stand alone. Pure.

A picture needs no font, no style sheet and no script: its colours are attributes, and a page may
set others for the classes of its parts. x is dark and o is light, so no colour is needed to tell
them apart.

The classes below `board`: `ground`, `edge`, `lines`, `stars` and `names` are the board; `stones`,
`latest` (rings) and `taps` each go with `x` or `o`; `taken` are the points where stones were taken.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from html import escape

from dataclasses import dataclass
from pbm_oust.render.html import COLOURS, Marks
from pbm_oust.render.lines import GRIDS_REMEMBERED
from pbm_oust.render.ruling import HALF, ruling_of
from pbm_oust.render.table import INK, WOOD
from pbm_oust.render.text import REMEMBERED
from pbm_oust.render.visible import visible_line
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position, Side

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

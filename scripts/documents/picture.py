"""The picture of the rooms: a box for each, on floors, and an arrow for each import that counts.

Boxes are laid out by Sugiyama's method: an arrow over several floors passes each of them at a place
of its own, and places are ordered and moved so that arrows are short and rarely cross.
"""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from textwrap import wrap

from scripts.documents.rooms import Graph, Room, floors, reduced

BOX, HEIGHT = 204, 54
"""The size of a room."""
BESIDE, BETWEEN = 22, 40
"""The least space between places on a floor, and between floors."""
LANE = 14
"""The width of the place where an arrow passes a floor."""
MARGIN = 24
SWEEPS = 40
"""How often to try to improve the order of the places."""
MOVES = 600
"""How often to move the places nearer to those that they are joined to."""
CLOSE = 3
"""How much more a room on the next floor counts than an arrow from further away."""

Place = str | tuple[str, str, int]
"""A room, or the point where the arrow between two rooms passes a floor."""

STYLE = """
  text { font-family: system-ui, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif; }
  .name { font-weight: 600; font-size: 15px; fill: #1b2733; }
  .about { font-size: 11px; fill: #44525f; }
  .key { font-size: 12px; fill: #44525f; }
  .pure { fill: #e3f2e6; stroke: #5b9a68; }
  .other { fill: #e6eef8; stroke: #5f87b3; }
  .arrow { fill: none; stroke: #7a8793; stroke-width: 1.5; }
"""


def picture(rooms: Mapping[str, Room], graph: Graph) -> str:
    """Return the picture of the rooms as SVG."""
    arrows = reduced(graph)
    rows = _rows(arrows)
    ways = _ways(rows, arrows)
    rows = _ordered(rows, ways)
    at = _places(rows, ways)
    left = min(x - _width(place) / 2 for place, x in at.items())
    at = {place: x - left + MARGIN for place, x in at.items()}
    wide = max(x + _width(place) / 2 for place, x in at.items()) + MARGIN
    step = HEIGHT + BETWEEN
    top = {place: MARGIN + nth * step for nth, row in enumerate(rows) for place in row}
    high = MARGIN + len(rows) * step + 12
    lines = [_arrow(way, at, top) for way in ways]
    lines += [_box(rooms[name], at[name], top[name]) for name in sorted(rooms)]
    lines += _key(high - 22)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" '
            f'width="{wide:.0f}" height="{high:.0f}" role="img">',
            "<title>The rooms of pbm_oust; arrows point to what a room imports</title>",
            f"<style>{STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
            'markerHeight="8" orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z" fill="#7a8793"/>'
            "</marker></defs>",
            f'<rect width="{wide:.0f}" height="{high:.0f}" rx="10" fill="#ffffff"/>',
            *lines,
            "</svg>",
            "",
        ]
    )


def _rows(arrows: Graph) -> list[list[Place]]:
    """Return the floors from the top down, with the places where arrows pass them."""
    floor = floors(arrows)
    top = max(floor.values())
    rows: list[list[Place]] = [[] for _ in range(top + 1)]
    for name in sorted(arrows):
        rows[top - floor[name]].append(name)
    for name in sorted(arrows):
        for target in sorted(arrows[name]):
            for each in range(floor[target] + 1, floor[name]):
                rows[top - each].append((name, target, each))
    return rows


def _ways(rows: Sequence[Sequence[Place]], arrows: Graph) -> list[list[Place]]:
    """Return each arrow as the places that it leads through, from the top down."""
    ways = []
    for name in sorted(arrows):
        for target in sorted(arrows[name]):
            through = [each for row in rows for each in row if each[:2] == (name, target)]
            ways.append([name, *through, target])
    return ways


def _ordered(rows: list[list[Place]], ways: list[list[Place]]) -> list[list[Place]]:
    """Return the floors with their places in the order in which the fewest arrows cross."""
    best, fewest = rows, _crossings(rows, ways)
    for sweep in range(SWEEPS):
        rows = [list(row) for row in rows]
        goes_down = sweep % 2 == 0
        near = _neighbours(ways, above=goes_down)
        for nth in range(1, len(rows)) if goes_down else range(len(rows) - 2, -1, -1):
            beside = rows[nth - 1] if goes_down else rows[nth + 1]
            index = {place: where for where, place in enumerate(beside)}
            own = {place: where for where, place in enumerate(rows[nth])}
            rows[nth].sort(key=lambda place: _mean(near.get(place, []), index, own[place]))
        crossings = _crossings(rows, ways)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _crossings(rows: Sequence[Sequence[Place]], ways: list[list[Place]]) -> int:
    """Return how many arrows cross."""
    index = {place: where for row in rows for where, place in enumerate(row)}
    floor = {place: nth for nth, row in enumerate(rows) for place in row}
    steps = [(floor[a], index[a], index[b]) for way in ways for a, b in pairwise(way)]
    return sum(
        one[0] == other[0] and (one[1] - other[1]) * (one[2] - other[2]) < 0
        for nth, one in enumerate(steps)
        for other in steps[nth + 1 :]
    )


def _places(rows: Sequence[Sequence[Place]], ways: list[list[Place]]) -> dict[Place, float]:
    """Return the middle of each place from the left: near those that it is joined to."""
    at: dict[Place, float] = {}
    for row in rows:
        x = 0.0
        for place in row:
            at[place] = x + _width(place) / 2
            x += _width(place) + BESIDE
        for place in row:
            at[place] -= x / 2
    near = _joined(ways)
    for _ in range(MOVES):
        for row in rows:
            wanted = [_mean(near[place], at, at[place]) for place in row]
            for place, x in zip(row, _apart(row, wanted), strict=True):
                at[place] = x
    return at


def _joined(ways: list[list[Place]]) -> dict[Place, list[Place]]:
    """Return what each place is drawn to: to the whole arrow that passes there, or to rooms.

    Rooms that follow each other directly draw each other more than an arrow that only passes.
    """
    near: dict[Place, list[Place]] = {}
    for way in ways:
        first, *through, last = way
        for place in through:
            near[place] = list(way)
        for room, beside in ((first, way[1]), (last, way[-2])):
            near.setdefault(room, []).extend([beside] if through else [beside] * CLOSE)
    return near


def _apart(row: Sequence[Place], wanted: Sequence[float]) -> list[float]:
    """Return places as near as possible to where they are wanted, without overlaps.

    Places that would overlap are joined into a block, at the average of where its parts want to
    be.
    """
    blocks: list[tuple[list[float], list[float]]] = []
    offset = 0.0
    for nth, place in enumerate(row):
        if nth:
            offset += (_width(row[nth - 1]) + _width(place)) / 2 + BESIDE
        blocks.append(([wanted[nth] - offset], [offset]))
        while len(blocks) > 1 and _middle(blocks[-2]) >= _middle(blocks[-1]):
            wishes, offsets = blocks.pop()
            blocks[-1] = (blocks[-1][0] + wishes, blocks[-1][1] + offsets)
    return [_middle(block) + each for block in blocks for each in block[1]]


def _middle(block: tuple[list[float], list[float]]) -> float:
    return sum(block[0]) / len(block[0])


def _neighbours(ways: list[list[Place]], *, above: bool) -> dict[Place, list[Place]]:
    found: dict[Place, list[Place]] = {}
    for way in ways:
        for upper, lower in pairwise(way):
            here, there = (lower, upper) if above else (upper, lower)
            found.setdefault(here, []).append(there)
    return found


def _mean(near: Sequence[Place], at: Mapping[Place, float], otherwise: float) -> float:
    return sum(at[place] for place in near) / len(near) if near else otherwise


def _width(place: Place) -> float:
    return BOX if isinstance(place, str) else LANE


def _arrow(way: Sequence[Place], at: Mapping[Place, float], top: Mapping[Place, float]) -> str:
    first, *through, last = way
    path = f"M{at[first]:.1f},{top[first] + HEIGHT:.1f}"
    x, y = at[first], top[first] + HEIGHT
    for place in through:
        path += _bend(x, y, at[place], top[place]) + f" L{at[place]:.1f},{top[place] + HEIGHT:.1f}"
        x, y = at[place], top[place] + HEIGHT
    path += _bend(x, y, at[last], top[last] - 1)
    return f'<path class="arrow" d="{path}" marker-end="url(#tip)"/>'


def _bend(x: float, y: float, to_x: float, to_y: float) -> str:
    half = (to_y - y) / 2
    return f" C{x:.1f},{y + half:.1f} {to_x:.1f},{to_y - half:.1f} {to_x:.1f},{to_y:.1f}"


def _box(room: Room, x: float, y: float) -> str:
    kind = "pure" if room.is_pure else "other"
    lines = wrap(room.about, 32)[:2]
    first = y + (22 if len(lines) < 2 else 18)
    parts = [
        f'<rect class="{kind}" x="{x - BOX / 2:.1f}" y="{y:.1f}" width="{BOX}" '
        f'height="{HEIGHT}" rx="7"/>',
        f'<text class="name" x="{x:.1f}" y="{first:.1f}" text-anchor="middle">{room.name}</text>',
    ]
    for nth, line in enumerate(lines):
        parts.append(
            f'<text class="about" x="{x:.1f}" y="{first + 16 + 13 * nth:.1f}" '
            f'text-anchor="middle">{escape(line)}</text>'
        )
    return "\n".join(parts)


def _key(y: float) -> list[str]:
    shown = (("pure", "pure: no clock, no disk, no network"), ("other", "everything else"))
    parts, x = [], MARGIN
    for kind, text in shown:
        parts.append(
            f'<rect class="{kind}" x="{x}" y="{y - 11:.1f}" width="18" height="13" rx="3"/>'
        )
        parts.append(f'<text class="key" x="{x + 25}" y="{y:.1f}">{text}</text>')
        x += 45 + 7 * len(text)
    return parts

"""Boards as HTML: tables with round stones, and free points that are links. Pure.

A stone is a cell of the table with a ground of its own and round corners; where a program does not
know these, it is a square. It holds the letter of its side, for text and for who does not see its
colour. All grounds of stones are dark and their letters white, because a program that forces a mail
into dark mode darkens the board and leaves these alone.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from pbm_oust.board import Game
from pbm_oust.render.text import GRIDS_REMEMBERED, REMEMBERED, Line, behind_cells
from pbm_oust.rules import Grid, Position, Shape, Side, choices, taken
from pbm_oust.rules.grid import COLUMNS

WOOD, INK = "#ecd2a0", "#5a3d12"
"""The colours of the board, and of what is written on it."""

CELL = 1.8
_NUMBERS = 1.0
"""The width of the row numbers."""

_SCREEN = 344
"""The pixels that a narrow phone leaves for a mail."""
_SMALLEST, _LARGEST = 7.0, 20.0
USUAL = 16
"""The size of letters around a board, in pixels."""

_Row = tuple[str, dict[int, str | int]]
"""The number of a row, or nothing, and at each place a cell or the letter of a column."""


COLOURS = {Side.X: "#102f6b", Side.O: "#c24e0c"}
"""Tell the sides apart: of the points where one may place, and of what is marked for it."""
STONES = {Side.X: ("#102f6b", "#fff", "#4b6db3"), Side.O: ("#f8d9bb", "#1d1b18", COLOURS[Side.O])}
"""The grounds of stones, the letters on them and their outlines."""
LOOKS = {
    side: f"background-color:{ground};color:{letter};border:.1em solid {outline}"
    for side, (ground, letter, outline) in STONES.items()
}
"""The same as styles."""

_PLACEMENT, _CAPTURE, _OTHER, _TAKEN, _POINTED = "&bull;", "*", "&#183;", "-", "?"
_ROUND = "border-radius:50%"
_DASHED = f"border:.13em dashed #9c6628;{_ROUND};line-height:1.49em"

_ADDRESS = "\0"
"""Stands for what all links of a board begin with."""


class Marks(Struct, frozen=True):
    """The cells of a board that are marked: those of the latest turn, and those of a text."""

    latest: int = 0
    """Its stones, if nothing was done since: capitals with a ring."""
    taken: int = 0
    """The points from which the turn has taken stones."""
    pointed: int = 0
    """The points that a text is about."""


UNMARKED = Marks()


def marks_of(game: Game) -> Marks:
    """Return the stones and points of a game as it is that are marked."""
    return Marks(game.latest_stones(is_of_turn=True), game.taken_in_turn())


def frames_of(game: Game) -> Iterator[tuple[Position, Marks]]:
    """Yield the position after each placement of a game, with what its turn did up to then."""
    for before, after in pairwise(game.each_after(0)):
        position, latest, removed = before.position, 0, 0
        action = after.records[-1].action
        for placement in action if isinstance(action, tuple) else ():
            cell = position.grid.parse_cell(placement.cell)
            placed = position.place(cell)
            latest, removed = latest | cell, removed | taken(position, placed)
            position = placed
            yield position, Marks(latest, removed)


class Taps(Struct, frozen=True):
    """The links behind the points of a board that can be tapped."""

    link: str
    """The beginning of each address. The name of the cell follows; neither may need escaping."""
    capturing: int = 0
    """The placements that are marked because they take stones."""
    is_slim: bool = False
    """Whether it takes fewer characters: links look as programs show them and cover a character."""


def board_html(
    position: Position, marks: Marks = UNMARKED, taps: Taps | None = None, *, is_bare: bool = False
) -> str:
    """Return a board as a table, in lines; each placement can be tapped in one of these ways.

    On a bare board, stones are letters alone, which takes fewest characters. All are ASCII.
    """
    grid, side = position.grid, position.to_move
    x, o = position.stones(Side.X), position.stones(Side.O)
    drawn = draw_html(grid, x, o, marks.latest, marks.taken, is_bare)
    if not taps:
        return "".join(drawn)
    places, (placements, _) = _bare(grid).places, choices(position)
    capturing, taken = taps.capturing, marks.taken & placements
    pieces = list(drawn)
    for some, is_capturing, is_taken in (
        (placements & ~(capturing | taken), False, False),
        (capturing & ~taken, True, False),
        (taken & ~capturing, False, True),
        (taken & capturing, True, True),
    ):
        if some:
            links = _links(grid, side, taps.is_slim, is_capturing, is_taken)
            for nth in map(places.__getitem__, grid.each(some)):
                pieces[nth] = links[nth]
    return "".join(pieces).replace(_ADDRESS, taps.link)


@lru_cache(maxsize=REMEMBERED)
def draw_html(
    grid: Grid, x: int, o: int, latest: int, taken: int, is_bare: bool = False, pointed: int = 0
) -> tuple[str, ...]:
    """Return a board with these stones of the two sides; the latest drawings are remembered.

    Of the free points, some have lost a stone, and a text is about those that are `pointed` out.

    The first piece is what stands before the first cell, and each other one is a cell with the
    HTML up to the next.
    """
    bare, looks = _bare(grid), _LETTERS if is_bare else _STONES
    places, behind, pieces = bare.places, bare.behind, list(bare.pieces)
    for some, look in (
        (x & ~latest, looks.stones[0]),
        (o & ~latest, looks.stones[1]),
        (x & latest, looks.latest[0]),
        (o & latest, looks.latest[1]),
        (taken & ~(x | o), looks.taken),
        (pointed & ~(x | o), looks.pointed),
    ):
        for nth in map(places.__getitem__, grid.each(some)):
            pieces[nth] = look + behind[nth]
    return tuple(pieces)


class _Bare(Struct, frozen=True):
    """A board without stones."""

    pieces: tuple[str, ...]
    """The HTML before the first cell, and each cell with the HTML up to the next."""
    places: dict[int, int]
    """The index of each cell among the pieces, the top row first."""
    behind: tuple[str, ...]
    """The HTML between each cell and the next; before the first one, that is all of the piece."""


@lru_cache(maxsize=GRIDS_REMEMBERED)
def _bare(grid: Grid) -> _Bare:
    behind = behind_cells(tuple(_lines(grid)))
    return _Bare(
        tuple(f">{_OTHER}{text}" if cell else text for cell, text in behind.items()),
        {cell: nth for nth, cell in enumerate(behind) if cell},
        tuple(behind.values()),
    )


def _stone(side: Side, is_latest: bool) -> str:
    shown, ring = side.value, STONES[side][1 if side is Side.X else 2]
    if is_latest:
        ringed = f"display:block;margin:.06em;border:.12em solid {ring};{_ROUND};line-height:1.11em"
        shown = f'<strong style="{ringed}">{shown.upper()}</strong>'
    return f'><div\nstyle="{LOOKS[side]};{_ROUND};margin:.04em;line-height:1.47em">{shown}</div>'


class _Looks(Struct, frozen=True):
    """The looks of cells, without the names of their tags."""

    stones: tuple[str, ...]
    """A stone of each side."""
    latest: tuple[str, ...]
    taken: str
    """A point from which a stone was taken."""
    pointed: str
    """A point that a text is about."""


_STONES = _Looks(
    stones=tuple(_stone(side, False) for side in Side),
    latest=tuple(_stone(side, True) for side in Side),
    taken=f'><div\nstyle="{_DASHED}">{_TAKEN}</div>',
    pointed=f'><div\nstyle="{_DASHED}">{_POINTED}</div>',
)
_LETTERS = _Looks(
    stones=tuple(f">{side.value}" for side in Side),
    latest=tuple(f">{side.value.upper()}" for side in Side),
    taken=f">{_TAKEN}",
    pointed=f">{_POINTED}",
)


@lru_cache(maxsize=4 * GRIDS_REMEMBERED)
def _links(
    grid: Grid, side: Side, is_slim: bool, is_capturing: bool, is_taken: bool
) -> tuple[str, ...]:
    """Return each cell of a board as a link of a side, with the HTML up to the next.

    The links have the places of the cells of a board without stones.
    """
    ring = f";border:.1em solid;{_ROUND};line-height:1.55em" if is_capturing else ""
    ring = f";{_DASHED}" if is_taken else ring
    look = f' style="display:block;color:{COLOURS[side]};text-decoration:none{ring}"'
    bare = _bare(grid)
    links = [""]
    for cell, nth in bare.places.items():
        name = grid.format_cell(cell)
        sign = _CAPTURE if is_capturing else _PLACEMENT
        label = "" if is_slim else f' aria-label="{name}{_CAPTURE * is_capturing}"{look}'
        # The line breaks within the tag: no line of a mail may have more than 998 characters.
        links.append(f'><a\nhref="{_ADDRESS}{name}"{label}>{sign}</a>{bare.behind[nth]}')
    return tuple(links)


def letter_size(grid: Grid) -> float:
    """Return the size of letters, in pixels and halves, with which a board fits on a phone."""
    fitting = int(2 * _SCREEN / _width(grid)) / 2
    return max(_SMALLEST, min(_LARGEST, fitting))


def _width(grid: Grid) -> float:
    return _places(grid) * CELL / _span(grid) + 2 * _NUMBERS


def _lines(grid: Grid) -> Iterator[Line]:
    """Yield the lines of the table. Each row is a line, because lines of mail may not be long."""
    size, width = letter_size(grid), _width(grid)
    yield (
        f'<table width="{width * size:.0f}" cellpadding="0" cellspacing="0" style="'
        f"table-layout:fixed;border-collapse:collapse;width:{width:g}em;border-radius:.4em;"
        f"background-color:{WOOD};color:{INK};font-family:Arial,sans-serif;font-weight:bold;"
        f'font-size:{size / USUAL:g}em;line-height:{CELL:g}em">',
    )
    # In whole pixels, which are shares of the table: the style of each would take much room.
    numbers = f'<th width="{int(_NUMBERS * size)}">'
    place = f'<th width="{int(CELL * size / _span(grid))}"></th>'
    yield (f"<tr>{numbers}</th>",)
    yield from ((place,) for _ in range(_places(grid)))
    yield (f"{numbers}</th></tr>",)
    for number, marks in _rows(grid):
        yield (
            f'<tr align="center" height="{CELL * size:.0f}"><th>{number}</th>',
            *_in_places(grid, marks),
            f"<th>{number}</th></tr>",
        )
    yield ("</table>",)


def _in_places(grid: Grid, marks: dict[int, str | int]) -> Iterator[str | int]:
    """Yield the parts of a row with each mark at its place."""
    done, last = 0, _places(grid)
    for place, mark in sorted(marks.items()):
        first, behind = max(0, place), min(last, place + _span(grid))
        if first > done:
            yield f"<th{_spanning(first - done)}></th>"
        span, done = _spanning(behind - first), behind
        if isinstance(mark, str):
            yield f"<th{span}>{mark}</th>"
        else:
            yield f"<td{span}"
            yield mark
            yield "</td>"
    if done < last:
        yield f"<th{_spanning(last - done)}></th>"


def _spanning(places: int) -> str:
    return f' colspan="{places}"' if places > 1 else ""


def _span(grid: Grid) -> int:
    """Return the number of places that a cell spans."""
    return 1 if grid.shape is Shape.SQUARE else 2


def _places(grid: Grid) -> int:
    """Return the number of places in a row."""
    if grid.shape is Shape.SQUARE:
        return grid.size[0]
    first, last = _ends(grid)
    return last - first + 2


def _ends(grid: Grid) -> tuple[int, int]:
    """Return the places of the leftmost and the rightmost cell of a hexagonal board."""
    ends = [2 * column - row for column, row in map(grid.place_of, grid.names_of)]
    return min(ends), max(ends)


def _rows(grid: Grid) -> list[_Row]:
    """Return the rows of the table, top row first."""
    return _square_rows(grid) if grid.shape is Shape.SQUARE else _hex_rows(grid)


def _square_rows(grid: Grid) -> list[_Row]:
    letters: _Row = "", dict(enumerate(COLUMNS[: grid.size[0]]))
    rows: list[_Row] = [(str(nth), dict(enumerate(row))) for nth, row in enumerate(grid.rows, 1)]
    return [letters, *reversed(rows), letters]


def _hex_rows(grid: Grid) -> list[_Row]:
    """Return the rows of a hexagonal board. Letters are at both ends of their columns."""
    height, (shift, _) = len(grid.rows), _ends(grid)
    marks: list[dict[int, str | int]] = [{} for _ in range(height + 2)]
    for cell in grid.names_of:
        column, row = grid.place_of(cell)
        place = 2 * column - row - shift
        marks[row][place] = cell
        for end in (-1, 1):
            if not grid.cell_at(column, row + end):
                marks[row + end][place - end] = COLUMNS[column - 1]
    numbers = ["", *map(str, range(1, height + 1)), ""]
    return list(reversed(list(zip(numbers, marks, strict=True))))

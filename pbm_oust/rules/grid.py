"""Square and hexagonal grids as bit lattices.

A set of cells is an integer with one bit for each cell, and a single cell is the set that holds
only that cell. The bits go row by row, with one unused bit after every row: shifting a set moves
all of its cells at once, and whatever leaves the board lands on a bit that the grid does not have.
Hexagonal grids use the same lattice, sheared: the six neighbours of a cell are the four of a
square grid and the two along one diagonal, which is a step aside and then one up or down.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, lru_cache
from itertools import compress

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""The names of the columns: the letters from A without I."""

LONGEST = len(COLUMNS)
"""The most columns, and rows, that a grid may have."""

MOST_SUM = LONGEST + 1
"""The most cells that two neighbouring sides of a hexagon have together."""

GRIDS_REMEMBERED = 128
"""How many grids a process keeps of those that texts and lengths named last."""

_SQUARE = re.compile(r"([1-9][0-9]?)(?:[xX]([1-9][0-9]?))?")
_HEX = re.compile(r"[1-9][0-9]?(?:,[1-9][0-9]?){0,5}")
_LENGTHS = (1, 2, 3, 6)
"""How many lengths may name a hexagon."""
_LENGTH = re.compile(r"[0-9]+")


_CELLS = tuple(1 << number for number in range(LONGEST * (LONGEST + 1)))
"""The cells that any grid may have."""
_DIGITS = bytes.maketrans(b"01", b"\0\1")


class Shape(Enum):
    """Which cells touch: four neighbours on a square grid, six on a hexagonal one."""

    SQUARE = "square"
    HEX = "hex"


class BadGrid(ValueError):
    """A text or some lengths do not name a grid; the message says why."""


class NoSuchCell(ValueError):
    """A name is not that of a cell of the grid."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a board and which of them touch.

    `square`, `hexagon` and `parse_grid` make grids; `shape` and `size` tell them apart.
    """

    shape: Shape = field(hash=False)
    size: tuple[int, ...]
    """Square: columns and rows. Hexagonal: the lengths of sides, as `hexagon` takes them."""
    cells: int = field(compare=False, repr=False)
    """The set of all cells."""
    rows: tuple[tuple[int, ...], ...] = field(compare=False, repr=False)
    """The cells of each row from left to right, from the bottom row (row 1) to the top row."""
    stride: int = field(compare=False, repr=False)
    """How far to shift a set to move it one row up."""
    slant: int = field(compare=False, repr=False)
    """The third shift: along the diagonal of a hexagonal grid; on a square grid the stride."""
    names_of: Mapping[int, str] = field(compare=False, repr=False)
    """The names of all cells, by column, then by row."""
    named: Mapping[str, int] = field(compare=False, repr=False)
    """All cells by their names, in letters of either case."""
    around: Mapping[int, int] = field(compare=False, repr=False)
    """The cells that touch a cell, as `neighbours` finds them; each is found once."""

    def __str__(self) -> str:
        """Return the grid's name as `parse_grid` reads it: `square 13x13`, `hex 7`, `hex 3,3,5`."""
        return f"{self.shape.value} {format_size(self)}"

    def neighbours(self, some: int) -> int:
        """Return the cells that touch at least one cell of `some`.

        A cell of `some` is among them only if it touches another cell of `some`.
        """
        stride = self.stride
        left, right = some >> 1, some << 1
        if self.slant == stride:
            return (left | right | some << stride | some >> stride) & self.cells
        return (left | right | (some | right) << stride | (some | left) >> stride) & self.cells

    def beside(self, some: int) -> tuple[int, int]:
        """Return the cells that touch a cell of `some`, and those of them that touch several.

        Both may hold bits that the grid does not have.
        """
        once = twice = 0
        for shift in {1, self.stride, self.slant}:
            for moved in (some << shift, some >> shift):
                twice |= once & moved
                once |= moved
        return once, twice

    def flood(self, seeds: int, within: int) -> int:
        """Return the connected parts of `within` that hold a cell of `seeds`."""
        stride, is_hex = self.stride, self.slant != self.stride
        reached = seeds & within
        while True:
            left, right = reached | reached >> 1, reached | reached << 1
            up, down = (right, left) if is_hex else (reached, reached)
            grown = (left | right | up << stride | down >> stride) & within
            if grown == reached:
                return reached
            reached = grown

    def groups(self, stones: int) -> Iterator[int]:
        """Yield the connected groups of `stones`, each once."""
        while stones:
            group = self.flood(stones & -stones, stones)
            yield group
            stones ^= group

    def each(self, some: int) -> Iterator[int]:
        """Yield the cells of `some` one by one, by row from the bottom, then by column."""
        return compress(_CELLS, f"{some:b}"[::-1].encode().translate(_DIGITS))

    def place_of(self, cell: int) -> tuple[int, int]:
        """Return the column and the row of a cell, both counted from 1."""
        row, column = divmod(cell.bit_length() - 1, self.stride)
        return column + 1, row + 1

    def cell_at(self, column: int, row: int) -> int:
        """Return the cell in this column and row, counted from 1, or the empty set."""
        if not (1 <= column < self.stride and 1 <= row <= len(self.rows)):
            return 0
        return 1 << ((row - 1) * self.stride + column - 1) & self.cells

    def format_cell(self, cell: int) -> str:
        """Return the name of a cell, its column's letter and its row's number: `D4`."""
        return self.names_of[cell]

    def parse_cell(self, text: str) -> int:
        """Return the cell of this name; letters of either case are read.

        Raises NoSuchCell if the text is not the name of a cell or the grid has no such cell.
        """
        try:
            return self.named[text]
        except KeyError:
            raise NoSuchCell(text) from None

    def names(self, some: int) -> list[str]:
        """Return the names of the cells of `some`, sorted by column, then by row."""
        if some in self.names_of:
            return [self.names_of[some]]
        return [name for cell, name in self.names_of.items() if cell & some]


class _Around(dict[int, int]):
    """The cells that touch each cell of a grid. They are found when they are asked for."""

    grid: Grid

    def __missing__(self, cell: int) -> int:
        self[cell] = around = self.grid.neighbours(cell)
        return around


def _lattice(
    shape: Shape, size: tuple[int, ...], width: int, height: int, low: int, high: int
) -> Grid:
    """Return the grid of the cells (column, row) with low <= column - row <= high."""
    stride = width + 1
    rows = tuple(
        tuple(
            1 << (row * stride + column) for column in range(width) if low <= column - row <= high
        )
        for row in range(height)
    )
    slant = stride + 1 if shape is Shape.HEX else stride
    names = {
        1 << (row * stride + column): f"{COLUMNS[column]}{row + 1}"
        for column in range(width)
        for row in range(height)
        if low <= column - row <= high
    }
    named = {name: cell for cell, upper in names.items() for name in (upper, upper.lower())}
    around = _Around()
    grid = Grid(shape, size, sum(map(sum, rows)), rows, stride, slant, names, named, around)
    around.grid = grid
    return grid


@cache
def square(columns: int, rows: int | None = None) -> Grid:
    """Return the square grid of 2 to 25 columns and rows; one length alone makes both equal.

    Raises BadGrid outside these bounds.
    """
    rows = columns if rows is None else rows
    if not (2 <= columns <= LONGEST and 2 <= rows <= LONGEST):
        raise BadGrid(f"a square grid has 2 to {LONGEST} columns and rows, not {columns}x{rows}")
    return _lattice(Shape.SQUARE, (columns, rows), columns, rows, -rows, columns)


@lru_cache(maxsize=GRIDS_REMEMBERED)
def hexagon(*lengths: int) -> Grid:
    """Return the hexagonal grid with sides of these lengths, counterclockwise from the bottom row.

    One, two, three or six lengths are repeated around the board: 7 stands for 7,7,7,7,7,7, 3,4 for
    3,4,3,4,3,4, and 3,3,5 for 3,3,5,3,3,5. The grid has the fewest that say the same.

    Raises BadGrid if the sides do not meet, if the cells lie in one line, or if there would be more
    than 25 of them in some direction.
    """
    if len(lengths) not in _LENGTHS:
        raise BadGrid(f"a hexagon is given by 1, 2, 3 or 6 lengths, not {len(lengths)}")
    sides = lengths * (6 // len(lengths))
    sums = [first + second for first, second in zip(sides, sides[1:] + sides[:1], strict=True)]
    for total in sums:
        if min(sides) < 1 or not 3 <= total <= MOST_SUM:
            raise BadGrid(
                f"two neighbouring sides of a hexagon add up to 3 to {MOST_SUM}, not {total}"
            )
    if sums[:3] != sums[3:]:
        raise BadGrid(
            "the sides of a hexagon meet only if each two that follow one another add up "
            "to as much as the two across from them"
        )
    size = next(sides[:count] for count in _LENGTHS if sides[:count] * (6 // count) == sides)
    bottom, _, _, _, _, left = sides
    return _lattice(Shape.HEX, size, sums[0] - 1, sums[1] - 1, 1 - left, bottom - 1)


@lru_cache(maxsize=GRIDS_REMEMBERED)
def rings(grid: Grid) -> tuple[int, ...]:
    """Return the cells of a grid in rings around its middle, the outermost first."""
    full, found, left = (4 if grid.shape is Shape.SQUARE else 6), list[int](), grid.cells
    while left:
        inner = sum(
            cell for cell in grid.each(left) if (grid.around[cell] & left).bit_count() == full
        )
        found.append(left ^ inner)
        left = inner
    return tuple(found)


def format_size(grid: Grid) -> str:
    """Return the size of a grid as in its name: `13x13`, `7`, `3,4`, `3,3,5`."""
    return ("x" if grid.shape is Shape.SQUARE else ",").join(map(str, grid.size))


def parse_size(shape: Shape, text: str) -> Grid:
    """Return the grid of this shape that a size names: `13` or `11x9`; hexagonal `7` or `3,3,5`.

    Raises BadGrid for a text that is not such a size.
    """
    match = (_SQUARE if shape is Shape.SQUARE else _HEX).fullmatch(text)
    if not match:
        like = "13 or 11x9" if shape is Shape.SQUARE else "7, 3,4 or 3,3,5"
        raise BadGrid(f"the size of a {shape.value} grid is written {like}, not {text}")
    lengths = map(int, _LENGTH.findall(text))
    return square(*lengths) if shape is Shape.SQUARE else hexagon(*lengths)


@lru_cache(maxsize=GRIDS_REMEMBERED)
def parse_grid(text: str) -> Grid:
    """Return the grid of this name, the reverse of `str(grid)`.

    Raises BadGrid for a text that is not exactly the name of a grid.
    """
    word, _, size = text.partition(" ")
    for shape in Shape:
        if word == shape.value:
            grid = parse_size(shape, size)
            if str(grid) == text:
                return grid
            raise BadGrid(f"this grid is written {grid}, not {text}")
    raise BadGrid(f"a grid is written like square 13x13 or hex 7, not {text}")

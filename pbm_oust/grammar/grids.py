"""Grids as people write them: `7`, `7*7`, `13 x 11`, `hex 5`, `size hex 3,4`, `-hex:5`. Pure.

Commands by mail, the command line, forms and addresses of pages all read and write them here;
`rules/grid.py` has the one form that histories have.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from pbm_oust.grammar import vocabulary
from pbm_oust.rules import Grid, Kind, Shape, format_size, parse_size
from pbm_oust.rules.grid import BadGrid

_MOST_WORDS = 8
"""The most words of a grid: `size hex 2, 3, 4, 1, 4, 3`."""
_TIMES = re.compile(r"(?<=[0-9]) ?(?:[x*\u00d7\u2715\u2716\u2a2f]|by) ?(?=[0-9])")
_NUMBER = "[1-9][0-9]?"
_BETWEEN = re.compile(r" ?, ?")


@cache
def _said() -> re.Pattern[str]:
    """Return the pattern of a grid in words, with its numbers as groups."""
    sizes, hexes = (
        "|".join((name, *vocabulary.aliases_of([name], vocabulary.OPTION_ALIASES)))
        for name in ("size", "hex")
    )
    return re.compile(
        rf"(?:-{{0,2}}(?:{sizes})[ =:]{{0,2}})?"
        rf"(?:-{{0,2}}(?:(?P<square>square)|(?P<hex>{hexes}|hexagon))[ =:]{{0,2}})?"
        rf"(?P<numbers>{_NUMBER}(?:x{_NUMBER}|(?:,{_NUMBER}){{0,5}}))"
    )


def _found(text: str) -> re.Match[str] | None:
    plain = " ".join(vocabulary.fold(text).split())
    return _said().fullmatch(_BETWEEN.sub(",", _TIMES.sub("x", plain)))


def _shape_said(found: re.Match[str]) -> Shape | None:
    return Shape.SQUARE if found["square"] else Shape.HEX if found["hex"] else None


def read_grid(text: str, usual: Shape, *, is_sure: bool = False) -> Grid:
    """Return the grid for a text such as `13 x 11`; numbers alone have the usual shape.

    Three lengths or six are those of a hexagon. With `is_sure`, the usual shape is the only one.
    Raises BadGrid.
    """
    found = _found(text)
    if not found:
        return parse_size(usual, text)  # which says what would be right
    shape = _shape_said(found)
    if shape is None and found["numbers"].count(",") > 1:
        shape = Shape.HEX
    if is_sure and shape not in (None, usual):
        raise BadGrid(f"{text} is not the size of a {usual.value} grid")
    return parse_size(shape or usual, found["numbers"])


def write_grid(grid: Grid) -> str:
    """Return the size of a grid in its shortest form: `13`, `11x9`, `3,4`."""
    return str(grid.size[0]) if len({*grid.size}) == 1 else format_size(grid)


def named_grid(grid: Grid) -> str:
    """Return a grid as one word, with the shape only for a hexagon: `11x9`, `hex3,4`."""
    return f"{'' if grid.shape is Shape.SQUARE else grid.shape.value}{write_grid(grid)}"


def grid_meant(text: str, shape: Shape) -> Grid | None:
    """Return the grid of this shape with the numbers in a text, or None if there is none."""
    numbers = re.findall(r"[0-9]+", vocabulary.fold(text))
    if len({*numbers}) == 1:
        numbers = numbers[:1]
    with suppress(BadGrid):
        return parse_size(shape, ("x" if shape is Shape.SQUARE else ",").join(numbers))
    return None


def is_grid(word: str) -> bool:
    """Return whether a word is a grid or a size."""
    return _found(word) is not None


def with_options(words: Sequence[str]) -> list[str]:
    """Return the words with each grid turned into an option: `-size=7x7` or `-hex=5`."""
    said, rest = list[str](), list(words)
    while rest:
        for length in range(min(len(rest), _MOST_WORDS), 0, -1):
            if found := _found(" ".join(rest[:length])):
                is_hex = _shape_said(found) is Shape.HEX
                said.append(f"-{'hex' if is_hex else 'size'}={found['numbers']}")
                del rest[:length]
                break
        else:
            said.append(rest.pop(0))
    return said


def option_of(kind: Kind, grid: Grid) -> tuple[str, str]:
    """Return the option for a grid, as name and value: `size` for the game's own shape."""
    return ("size" if grid.shape is kind.own_shape else grid.shape.value), write_grid(grid)

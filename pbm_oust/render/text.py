"""Boards as plain text, in the manner of the Gamerz.net figures.

Cells are one space apart, and labels are on both sides, so that you can still read a board that is
quoted or shown in a proportional font.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain

from pbm_oust.board.game import Game
from dataclasses import dataclass
from pbm_oust.render.lines import GRIDS_REMEMBERED, board_points
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position, Side

REMEMBERED = 64
"""How many drawings are remembered: more than one command shows in several letters each."""

_FREE, _STAR = ".", ","


@dataclass(frozen=True, slots=True)
class Letters:
    """The characters for the stones of each side, and for its latest stones."""

    x: tuple[str, str] = ("x", "X")
    o: tuple[str, str] = ("o", "O")


LETTERS = Letters()


def board_text(position: Position, latest: int = 0, letters: Letters = LETTERS) -> str:
    """Return the board, top row first, without a newline at the end.

    The stones in `latest` are drawn as capitals, unless other letters are given.
    """
    x, o = map(position.stones, Side)
    return draw_text(position.grid, x, o, latest, letters)


def game_text(game: Game, letters: Letters = LETTERS) -> str:
    """Return the board of a game under a heading with both players and their figures."""
    board = board_text(game.position, game.latest_stones(), letters)
    return f"{players_text(game)}\n\n{board}"


def players_text(game: Game) -> str:
    """Return both players with their figures, as shown above a board."""
    return "   ".join(player_text(game, side) for side in Side)


def player_text(game: Game, side: Side) -> str:
    """Return a side with its owner and its figures: `x: rrognlie 41/46`."""
    return f"{side.value}: {game.owner(side)} {_figures(game.position, side)}"


def in_columns(rows: Iterable[Sequence[object]]) -> list[str]:
    """Return rows as lines with aligned columns, two spaces apart."""
    table = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


@lru_cache(maxsize=REMEMBERED)
def _figures(position: Position, side: Side) -> str:
    """Return the figures of a side; the latest ones are remembered."""
    return "/".join(map(str, position.tally(side)))


@lru_cache(maxsize=REMEMBERED)
def draw_text(grid: Grid, x: int, o: int, latest: int, letters: Letters) -> str:
    """Return a board with these stones of the two sides; the latest drawings are remembered."""
    bare = _bare(grid)
    drawn = list(bare.drawn)
    for stones, (usual, late) in ((x, letters.x), (o, letters.o)):
        for cell in grid.each(stones):
            drawn[bare.places[cell]] = late if cell & latest else usual
    return "".join(drawn)


@dataclass(frozen=True, slots=True)
class _Bare:
    """A board without stones."""

    drawn: tuple[str, ...]
    """The cells and what is between them."""
    places: dict[int, int]
    """Where each cell is."""


@lru_cache(maxsize=GRIDS_REMEMBERED)
def _bare(grid: Grid) -> _Bare:
    lead, points = board_points(grid)
    cells = ((_STAR if point.is_star else _FREE, point.behind) for point in points)
    places = {point.cell: 2 * nth + 1 for nth, point in enumerate(points)}
    return _Bare((lead, *chain.from_iterable(cells)), places)


@lru_cache(maxsize=REMEMBERED)
def cells_text(grid: Grid, some: int) -> str:
    """Return the names of cells, sorted by column, then by row; the latest are remembered."""
    return " ".join(grid.names(some))

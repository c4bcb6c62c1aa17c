"""A turn that is put together stone by stone, before it is played. Pure."""

from dataclasses import dataclass

from pbm_oust.board.game import Game, placed, taken_in_turn
from pbm_oust.board.reasons import AfterTurn, AgainstRules, OffGrid
from pbm_oust.board.record import Place
from pbm_oust.grammar.wording import cells_in, parts_of
from pbm_oust.grammar.words import fold
from pbm_oust.refusal import Illegal, NotAllowed
from pbm_oust.render.html import Marks
from pbm_oust.rules.position import Position

_LONGEST = 2000
"""How many characters of a turn are read: 625 cells have room."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as far as it has been put together."""

    cells: tuple[str, ...]
    position: Position
    """The position after these placements."""
    marks: Marks

    @property
    def text(self) -> str:
        """The cells as players write them: `B4,E3`; empty if there are none."""
        return ",".join(self.cells)

    @property
    def is_whole(self) -> bool:
        """Whether another placement cannot follow."""
        return bool(self.cells) and not (self.position.is_mid_turn and not self.position.result)

    def text_with(self, cell: str) -> str:
        """Return the cells with one more."""
        return ",".join((*self.cells, cell))


def turn_of(game: Game, text: str) -> Turn:
    """Return the longest beginning of some placements that can be made, as a turn."""
    return _turn(game, cells_of(text)) or _untouched(game)


def cells_of(text: str) -> tuple[str, ...]:
    """Return the cells of a turn as a page has them; none if that is no list of cells."""
    parts = parts_of(fold(text[:_LONGEST]))
    return tuple(cell.upper() for part in parts for cell in cells_in(part))


def _turn(game: Game, cells: tuple[str, ...]) -> Turn | None:
    """Return the longest beginning of some placements; None if none of them can be made."""
    if not cells:
        return None
    try:
        position, done = placed(game, Place(cells))
    except Illegal as refused:
        match refused.reason:
            case OffGrid(nth=nth) | AfterTurn(nth=nth) | AgainstRules(nth=nth):
                return _turn(game, cells[: nth - 1])
        return None
    except NotAllowed:
        return None
    latest = taken = 0
    for each in done:
        latest |= game.header.grid.parse_cell(each.cell)
        taken |= each.taken
    return Turn(cells, position, Marks(latest, taken))


def _untouched(game: Game) -> Turn:
    """Return a turn that has not begun: the board as it is."""
    return Turn((), game.position, Marks(game.latest_stones(), taken_in_turn(game)))

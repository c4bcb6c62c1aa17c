"""Lines: what comes of placements that nobody plays."""

from pbm_oust.board import Deed
from pbm_oust.board.game import variation_of
from pbm_oust.rules import Side
from tests.support import tables
from tests.support.boards import board
from tests.support.games import new_game, standing_at
from tests.support.home_by_mail import NOON

tabled = tables.tabled(__file__)


@tabled("cells", "placed")
def test_the_longest_beginning_is_placed(cells: str, placed: str) -> None:
    line = variation_of(new_game("square 3x3"), cells.split())
    assert " ".join(line.cells) == placed
    assert len(line.games) == len(line.cells) + 1


def test_whoever_cannot_place_passes() -> None:
    stuck = standing_at(new_game("square 4x2"), board("o . x o\nx o . o"))
    line = variation_of(stuck, ["B2"])
    assert [(each.side, each.action) for each in line.games[0].records] == [(Side.X, Deed.PASS)]
    assert line.cells == ("B2",)


def test_a_game_that_was_given_up_goes_on() -> None:
    game = new_game("square 3x3").act(Side.X, Deed.RESIGN, NOON, "0" * 16)
    assert variation_of(game, ["A1"]).games[-1].to_move is Side.O

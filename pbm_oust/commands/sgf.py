"""The command that mails the record of a board as a file: `oust sgf 17`. Nothing changes."""

from dataclasses import dataclass

from pbm_oust.board.game import Game
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.values import BOARD
from pbm_oust.play.forms import ForAnybody
from pbm_oust.play.notices import Notice
from pbm_oust.play.request import Handled, Outcome, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import read_game


@dataclass(frozen=True, slots=True)
class Sgf(Command):
    """Mail the record of a board as an SGF file."""

    kind: Kind
    board: int


@dataclass(frozen=True, slots=True)
class SgfNotice(Notice):
    """The record of a board, attached as a file."""

    template = "sgf"
    game: Game

    def board(self) -> Game:
        """Return the game of the board."""
        return self.game


def send_sgf(command: Sgf, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the record of a board as a file."""
    game = read_game(work.home, command.kind, command.board)
    handled = Handled(Outcome.ANSWERED, game.name)
    return work.answer(SgfNotice(work.sender_of(request), game), request, handled)


FORMS = (
    Form(
        "sgf",
        Sgf,
        (BOARD,),
        heading=Heading.LOOKING,
        rank=55,
        cost=Cost(work=2),
        run=ForAnybody(send_sgf),
    ),
)

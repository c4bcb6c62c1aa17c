"""The command that tells which mail led to a record: why."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm_oust.accounts.tags import Credential, Reply
from pbm_oust.board.game import Game
from pbm_oust.grammar.form import Form, SurplusWord
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.values import OF_BOARD, read_guard
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.moving import NotOnBoard, Origin, origin_of
from pbm_oust.play.notices import Notice, answer_on
from pbm_oust.play.request import Actor, Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, Unreadable
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import read_game


@dataclass(frozen=True, slots=True)
class Why(Command):
    """Tell one of its players which mail led to a record of a board."""

    kind: Kind
    board: int
    userid: str
    password: Credential
    number: int | None
    """The number of the record; None for the latest."""


@dataclass(frozen=True, slots=True)
class WhyNotice(Notice):
    """How a record came about."""

    template = "why"
    origin: Origin

    def board(self) -> Game:
        """Return the game of the board."""
        return self.origin.game

    def answer(self) -> Reply | None:
        """Return what an answer does on the board."""
        return answer_on(self.origin.game, self.reader.account)

    def topic(self) -> str:
        """Return what sets the letter apart: the record too."""
        return f"{self.origin.game.name}.why.{self.origin.record.number}"


def why(command: Why, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Tell a player of a board how one of its records came about."""
    game = read_game(work.home, command.kind, command.board)
    if game.side_of(actor.userid) is None:
        raise NotAllowed(NotOnBoard(game, actor.userid))
    origin = origin_of(game, command.number, work.home)
    return work.answer(WhyNotice(work.player_at(actor.account, request), origin), request)


def _read_number(words: Sequence[str]) -> int | None:
    if len(words) > 1:
        raise Unreadable(SurplusWord(), words[1])
    return read_guard(words[0]) if words else None


def _of_letter(words: Sequence[str], board: int) -> Sequence[str]:
    """Return the words of an answer to a letter about a board, which may name it: `17#5`."""
    first, sign, number = words[0].partition("#") if words else ("", "", "")
    return [f"#{number}", *words[1:]] if sign and first == str(board) else words


FORMS = (
    Form(
        "why",
        Why,
        OF_BOARD,
        rest(
            ("[#N]",),
            _read_number,
            lambda number: [] if number is None else [f"#{number}"],
            least=0,
            complete=_of_letter,
        ),
        heading=Heading.LOOKING,
        rank=55,
        run=ForPlayer(why, brings_back=False),
    ),
)

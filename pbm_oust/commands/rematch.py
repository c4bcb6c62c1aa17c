"""The command that starts the next game after one that is over: `oust rematch 17 alice secret`.

A remark on the new board says which board it plays again. So each board has only one rematch,
whoever asks first.
"""

from dataclasses import dataclass, replace
from functools import partial

from pbm_oust.accounts.tags import Credential
from pbm_oust.board.reasons import OfBoard
from pbm_oust.commands.lists import Games
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.values import OF_BOARD, Filter
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.moving import NotOnBoard
from pbm_oust.play.notices import BoardNotice
from pbm_oust.play.request import Actor, Handled, Request
from pbm_oust.play.starting import answered_again, write_board
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.rules.position import Kind
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.index import Source
from pbm_oust.store.open_boards import next_number, read_game, started_from


class NotOverYet(OfBoard, NotAllowedReason):
    """The game that would be played again goes on."""


@dataclass(frozen=True, slots=True)
class PlayedAgain(OfBoard, NotAllowedReason):
    """There is a rematch already: the board that is shown."""

    earlier: str
    """The name of the board that it plays again."""


@dataclass(frozen=True, slots=True)
class Rematch(Command):
    """Start a board like one that is over, with sides exchanged."""

    kind: Kind
    board: int
    userid: str
    password: Credential

    def instead(self, refusal: Refusal) -> Command | None:
        """Return the list of the player's finished games, if this is not one of them."""
        is_other = isinstance(refusal.reason, NoSuchBoard | NotOnBoard)
        return Games(self.kind, (self.userid,), Filter.INACTIVE) if is_other else None


@dataclass(frozen=True, slots=True)
class RematchNotice(BoardNotice):
    """The board of a rematch begins."""

    template = "rematch"
    earlier: str = ""
    """The name of the board that it plays again."""


def rematch(command: Rematch, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Start a board like one that is over, with sides exchanged, and show it to both players."""
    done_before = answered_again(actor, request, work)
    if done_before:
        return done_before
    kind, home = command.kind, work.home
    earlier = read_game(home, kind, command.board)
    if earlier.side_of(actor.userid) is None:
        raise NotAllowed(NotOnBoard(earlier, actor.userid))
    if earlier.result is None:
        raise NotAllowed(NotOverYet(earlier))
    source = Source("rematch", command.board)
    known = started_from(home, kind, source)
    if known:
        raise NotAllowed(PlayedAgain(known, earlier.name))
    # x is whoever played o at the end of the game, after any swap.
    number, x, o = next_number(home, kind), earlier.o, earlier.x
    header = replace(earlier.header, board=number, x=x, o=o, started=work.now())
    make = partial(RematchNotice, earlier=earlier.name, challenger=actor.userid)
    return write_board(header, actor, request, work, source=source, make=make)


FORMS = (
    Form(
        "rematch",
        Rematch,
        OF_BOARD,
        heading=Heading.STARTING,
        rank=60,
        plays_again=True,
        cost=Cost(boards=1),
        run=ForPlayer(rematch),
    ),
)

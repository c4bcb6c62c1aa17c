"""Making a move, and what follows from it; who may act on a board, and on which position."""

from collections.abc import Callable

from pbm_oust.accounts.queue import Orders, follow
from pbm_oust.accounts.settings import Switch, settings_of
from pbm_oust.board.game import Game
from pbm_oust.board.reasons import OfBoard
from pbm_oust.board.record import Deed, Wish
from dataclasses import dataclass
from pbm_oust.play.causes import incoming
from pbm_oust.play.notices import News
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.queue import drop_plans
from pbm_oust.play.request import Actor, RefusedBefore, Request
from pbm_oust.play.returning import end_absence, with_return
from pbm_oust.play.telling import answer_again, tell_players
from pbm_oust.play.undo import take_back
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind, Side
from pbm_oust.store.message_keys import outcome_of
from pbm_oust.store.open_boards import DamagedHistory, open_board, read_game


@dataclass(frozen=True, slots=True)
class NotOnBoard(OfBoard, NotAllowedReason):
    """The player does not play on the board."""

    userid: str


@dataclass(frozen=True, slots=True)
class OldAnswer(OfBoard, NotAllowedReason):
    """The board has gone on since the letter that is answered."""

    number: int
    """The number of the record that was next then."""


@dataclass(frozen=True, slots=True)
class OtherRecord(OfBoard, NotAllowedReason):
    """The command is not for the next record but for another one."""

    guard: int
    """The number after its `#`."""


def carry_out(
    kind: Kind,
    number: int,
    wished: Callable[[Game], Wish],
    actor: Actor,
    request: Request,
    work: UnitOfWork,
) -> Handled:
    """Do what a player wishes on a board, once however often the mail comes.

    `wished` is given the game and may raise NotAllowed.
    """
    board = open_board(work.home, kind, number)
    game = acted = board.game
    is_done = game.records.has_message_key(actor.message_key)
    if not is_done:
        side = side_of(actor, game, work)
        wish = wished(game)
        if wish is Deed.UNDO and (handled := take_back(board, side, actor, request, work)):
            return handled
        acted = game.act(side, wish, game.time_of_next(work.now()), actor.message_key)
    acted = follow(acted, _orders_on(acted, work), acted.time_of_next(work.now()))
    if acted is game:
        return answer_again(game, actor, request, work)
    own = acted.records.of_message(actor.message_key)
    notices = tell_players(
        acted,
        News.PLAYED,
        work,
        request,
        actor=actor.account,
        chat=request.chat,
        told_from=own.number,
    )
    notices = with_return(notices, actor.account, own, acted, work)
    with work.posting(notices, request):
        board.append(acted, None if is_done else incoming(actor, request, work))
        end_absence(actor.account, own, work)
        drop_plans(acted, work)
    return Handled(Outcome.DONE, acted.name, len(acted.records))


def _orders_on(game: Game, work: UnitOfWork) -> dict[str, Orders]:
    """Return what the players of a board have queued, by userid."""
    players = filter(work.has_account, (game.x, game.o))
    accounts = map(work.account, players)
    return {
        each.userid: Orders(each.queue, settings_of(each).autopass is Switch.ON)
        for each in accounts
    }


def side_of(actor: Actor, game: Game, work: UnitOfWork) -> Side:
    """Return the side that a player owns.

    Raises NotAllowed for a mail that was refused before, for a player of other boards, and for an
    answer to a letter that is older than the board.
    """
    if work.home.ask(outcome_of, actor.message_key):
        raise NotAllowed(RefusedBefore(game))
    side = game.side_of(actor.userid)
    if side is None:
        raise NotAllowed(NotOnBoard(game, actor.userid))
    if actor.reply and not game.meets_guard(actor.reply.number):
        raise NotAllowed(OldAnswer(game, actor.reply.number))
    return side


def is_over(kind: str, board: int, work: UnitOfWork) -> bool:
    """Return whether a board has ended or does not exist; an unreadable one has not ended."""
    if kind not in KINDS:
        return True
    try:
        return read_game(work.home, KINDS[kind], board).result is not None
    except DamagedHistory:
        return False
    except NotAllowed:
        return True


def check_guard(guard: int | None, game: Game) -> None:
    """Raise NotAllowed if a command is meant for a position that the board is not in."""
    if guard is not None and not game.meets_guard(guard):
        raise NotAllowed(OtherRecord(game, guard), f"#{guard}")

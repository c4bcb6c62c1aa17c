"""Making a move or taking one back, and what follows; who may act on which position."""

from collections.abc import Callable
from enum import Enum
from functools import partial

from msgspec import Struct, structs

from pbm_oust.accounts.queue import Orders, follow, is_passed_for
from pbm_oust.accounts.settings import Switch
from pbm_oust.accounts.tags import Reply
from pbm_oust.accounts.vacations import away_at, ended_at, in_order
from pbm_oust.board import Deed, Game, Record, Ruling, Verb, Wish
from pbm_oust.board.reasons import NoSuchRecord, OfBoard
from pbm_oust.play.notices import BoardNotice, News
from pbm_oust.play.request import Actor, Handled, Outcome, RefusedBefore
from pbm_oust.play.telling import (
    answer_again,
    drop_plans,
    note_said,
    tell_players,
    untold_letters,
)
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS, Kind, Side
from pbm_oust.store.boards import Board, DamagedHistory
from pbm_oust.store.home import Home
from pbm_oust.store.letters import remove_letters
from pbm_oust.store.message_keys import Cause, Incoming, find_cause, outcome_of
from pbm_oust.store.open_boards import append, read_board, read_game


class Channel(Enum):
    """How a record came about."""

    MAIL = "mail"
    QUEUED = "queued"
    """It was queued, and followed at once on a mail."""
    PASSED = "passed"
    """The server passed for a player who had to."""
    SWEEP = "sweep"
    """It became due in time."""
    HOUSE = "house"
    """A program of the server played it."""
    OPERATOR = "operator"
    IMPORTED = "imported"
    UNKNOWN = "unknown"
    """It came by a mail of which nothing is kept."""


class Provenance(Struct, frozen=True):
    """How a record of a game came about."""

    game: Game
    """The game as it is."""
    record: Record
    way: Channel
    cause: Cause | None
    """What is kept of the mail that led to it, or of the import."""

    @property
    def mover(self) -> str:
        """The userid of whose record it is; empty for one of the server or its operator."""
        return _mover(self.game, self.record)


def incoming(actor: Actor, work: UnitOfWork) -> Incoming:
    """Return what is kept of the mail that leads to records."""
    return Incoming(actor.userid, work.now(), work.request.sender, work.request.message_id)


def origin_of(game: Game, number: int | None, home: Home) -> Provenance:
    """Return how a record came about, the latest one if there is no number.

    Raises NotAllowed if there is no such record.
    """
    number = len(game.records) if number is None else number
    if not 1 <= number <= len(game.records):
        raise NotAllowed(NoSuchRecord(game, number), f"#{number}")
    cause = home.ask(find_cause, game, number)
    record = game.records[number - 1]
    return Provenance(game, record, _way(game, record, cause), cause)


def _mover(game: Game, record: Record) -> str:
    return game.after(record.number - 1).owner(record.side) if record.side else ""


def _way(game: Game, record: Record, cause: Cause | None) -> Channel:
    if cause and cause.mail is None:
        return Channel.IMPORTED
    if isinstance(record.action, Ruling):
        is_due = record.action.verb in (Verb.REMIND, Verb.FORFEIT)
        return Channel.SWEEP if is_due else Channel.OPERATOR
    if is_passed_for(game, record):
        return Channel.PASSED
    if cause is None:
        return Channel.HOUSE if _mover(game, record) in HOUSE else Channel.UNKNOWN
    return Channel.MAIL if record.number == cause.record else Channel.QUEUED


def take_back(board: Board, side: Side, actor: Actor, work: UnitOfWork) -> Handled | None:
    """Take back the latest move of a player, if the other one has not been mailed anything since.

    Returns None if that is in doubt, so that the other player must be asked. The letters that
    would have told of the move are removed from the outbox along with it.
    """
    game, home = board.game, work.home
    other = game.owner(side.other)
    try:
        acted = game.act(side, Deed.RETRACT, game.time_of_next(work.now()), actor.message_key)
    except Refusal:
        return None
    since = game.line[-1].number
    if not work.has_account(other) or any(each.side is not side for each in game.records[since:]):
        return None
    letters = untold_letters(game, since, work.account(other), home)
    if letters is None:
        return None
    make = partial(BoardNotice, untold=other)
    notices = tell_players(acted, News.PLAYED, work, actor=actor.account, make=make)
    told = [notice for notice in notices if notice.reader.userid != other]
    with work.posting(told):
        append(home, board, acted, incoming(actor, work))
        home.withhold(letter.file for letter in letters if letter.file)
        home.do(remove_letters, [letter.id for letter in letters])
    return Handled(Outcome.DONE, acted.name, len(acted.records))


def come_back(userid: str, work: UnitOfWork) -> None:
    """Bring back a player who has signed off, with the unit of work."""
    account = work.account_if_any(userid)
    if account and account.signed_off_since:
        work.save(account.with_signed_off(None))


class NotOnBoard(OfBoard, NotAllowedReason, frozen=True):
    """The player does not play on the board."""

    userid: str


class OldAnswer(OfBoard, NotAllowedReason, frozen=True):
    """The board has gone on since the letter that is answered."""

    number: int
    """The number of the record that was next then."""


class OtherRecord(OfBoard, NotAllowedReason, frozen=True):
    """The command is not for the next record but for another one."""

    guard: int
    """The number after its `#`."""


def carry_out(
    kind: Kind, number: int, wished: Callable[[Game], Wish], actor: Actor, work: UnitOfWork
) -> Handled:
    """Do what a player wishes on a board, once however often the mail comes.

    `wished` is given the game and may raise NotAllowed.
    """
    board = read_board(work.home, kind, number)
    game = acted = board.game
    is_done = game.records.has_message_key(actor.message_key)
    if not is_done:
        side = side_of(actor, game, work)
        wish = wished(game)
        if wish is Deed.UNDO and (handled := take_back(board, side, actor, work)):
            return handled
        acted = game.act(side, wish, game.time_of_next(work.now()), actor.message_key)
    acted = follow(acted, _orders_on(acted, work), acted.time_of_next(work.now()))
    if acted is game:
        return answer_again(game, actor, work)
    own = acted.records.of_message(actor.message_key)
    returns = own.is_playing and away_at(actor.account.vacations, own.at) is not None
    if returns:
        account = work.account(actor.userid)
        ended = in_order(ended_at(account.vacations, own.at))
        work.save(structs.replace(account, vacations=ended))
    if not is_done:
        note_said(work.request.chat, acted, actor, work)
    notices = tell_players(
        acted,
        News.PLAYED,
        work,
        actor=actor.account,
        chat=work.request.chat,
        told_from=own.number,
        back=actor.userid if returns else "",
    )
    with work.posting(notices):
        append(work.home, board, acted, None if is_done else incoming(actor, work))
        if acted.result:
            drop_plans(acted, work)
    return Handled(Outcome.DONE, acted.name, len(acted.records))


def _orders_on(game: Game, work: UnitOfWork) -> dict[str, Orders]:
    """Return what the players of a board have queued, by userid."""
    return {
        account.userid: Orders(account.queue, account.all_settings.autopass is Switch.ON)
        for account in work.players_of(game)
    }


def side_of(actor: Actor, game: Game, work: UnitOfWork) -> Side:
    """Return the side that a player owns.

    Raises NotAllowed for a mail that was refused before, for a player of other boards, and for an
    answer to a letter that is older than the board.
    """
    if work.home.ask(outcome_of, actor.message_key):
        raise NotAllowed(RefusedBefore(game=game))
    side = side_on(actor.userid, game)
    if isinstance(actor.proof, Reply) and not game.meets_guard(actor.proof.number):
        raise NotAllowed(OldAnswer(game, actor.proof.number))
    return side


def side_on(userid: str, game: Game) -> Side:
    """Return the side that a player owns. Raises NotAllowed for who does not play there."""
    side = game.side_of(userid)
    if side is None:
        raise NotAllowed(NotOnBoard(game, userid))
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

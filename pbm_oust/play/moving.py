"""Making a move or taking one back, and what follows; who may act on which position."""

from collections.abc import Callable
from enum import Enum
from functools import partial

from msgspec import Struct, structs

from pbm_oust.accounts.asks import Ask
from pbm_oust.accounts.queue import Orders, carry_out_orders, is_passed_for
from pbm_oust.accounts.settings import Switch
from pbm_oust.accounts.vacations import away_at, ended_at, in_order
from pbm_oust.board import Deed, Game, Record, Ruling, Verb, Wish
from pbm_oust.board.reasons import NoSuchRecord, OfBoard
from pbm_oust.play.context import Context, Look, Outcome, done
from pbm_oust.play.notices import BoardNotice, News
from pbm_oust.play.rulings import key_of_leaving
from pbm_oust.play.telling import drop_plans, note_said, tell_players, untold_letters
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS, Kind, Side
from pbm_oust.store.boards import Board, DamagedHistory
from pbm_oust.store.database import Snapshot
from pbm_oust.store.letters import remove_letters
from pbm_oust.store.message_keys import Cause, find_cause


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


def origin_of(snapshot: Snapshot, game: Game, number: int | None) -> Provenance:
    """Return how a record came about, the latest one if there is no number.

    Raises NotAllowed if there is no such record.
    """
    number = len(game.records) if number is None else number
    if not 1 <= number <= len(game.records):
        raise NotAllowed(NoSuchRecord(game, number), f"#{number}")
    cause = find_cause(snapshot, game, number)
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
    if record.side and record.message_key == key_of_leaving(game, record.number, record.side):
        return Channel.SWEEP
    if cause is None:
        return Channel.HOUSE if _mover(game, record) in HOUSE else Channel.UNKNOWN
    return Channel.MAIL if record.number == cause.record else Channel.QUEUED


def take_back(on: Context, board: Board, side: Side) -> Outcome | None:
    """Take back the latest move of a player, if the other one has not been mailed anything since.

    Returns None if that is in doubt, so that the other player must be asked. The letters that
    would have told of the move are removed from the outbox along with it.
    """
    game = board.game
    other = on.account_if_any(game.owner(side.other))
    try:
        acted = game.act(side, Deed.RETRACT, game.time_of_next(on.now), on.key)
    except Refusal:
        return None
    since = game.line[-1].number
    if not other or any(each.side is not side for each in game.records[since:]):
        return None
    letters = untold_letters(on, game, since, other)
    if letters is None or not on.withhold(each.file for each in letters if each.file):
        return None
    make = partial(BoardNotice, untold=other.userid)
    told = tell_players(on, acted, News.PLAYED, actor=on.own, make=make)
    on.append(board, acted)
    remove_letters(on.transaction, [letter.id for letter in letters])
    told = [notice for notice in told if notice.reader.userid != other.userid]
    return done(told, acted.name, len(acted.records))


def come_back(on: Context, userid: str) -> None:
    """Bring back a player who has signed off."""
    account = on.account_if_any(userid)
    if account and account.signed_off_since:
        on.save(account.with_signed_off(None))


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


def carry_out(on: Context, kind: Kind, number: int, wished: Callable[[Game], Wish]) -> Outcome:
    """Do what a player wishes on a board; `wished` is given the game and may raise NotAllowed."""
    board = on.board(kind, number)
    game, chat = board.game, on.request.chat
    side, wish = side_of(on, game), wished(game)
    if wish is Deed.UNDO and (taken := take_back(on, board, side)):
        return taken
    moved = game.act(side, wish, game.time_of_next(on.now), on.key)
    acted = carry_out_orders(moved, _orders_on(on, moved), moved.time_of_next(on.now))
    own = acted.records.of_message(on.key)
    account = on.own
    returns = own.is_playing and away_at(account.vacations, own.at) is not None
    if returns:
        ended = in_order(ended_at(account.vacations, own.at))
        on.save(structs.replace(account, vacations=ended))
    note_said(on, acted)
    back, actor = account.userid if returns else "", on.own
    told = tell_players(
        on, acted, News.PLAYED, actor=actor, chat=chat, told_from=own.number, back=back
    )
    on.append(board, acted)
    if acted.result:
        drop_plans(on, acted)
    return done(told, acted.name, len(acted.records))


def _orders_on(on: Context, game: Game) -> dict[str, Orders]:
    """Return what the players of a board have queued, by userid."""
    return {
        account.userid: Orders(account.queue, account.all_settings.autopass is Switch.ON)
        for account in on.players_of(game)
    }


def side_of(on: Context, game: Game) -> Side:
    """Return the side that the player owns.

    Raises NotAllowed for a player of other boards, and for an answer to a letter that is older
    than the board.
    """
    side, proof = side_on(on.player.userid, game), on.player.proof
    if isinstance(proof, Ask) and proof.is_on_board and not game.meets_guard(proof.record):
        raise NotAllowed(OldAnswer(game, proof.record))
    return side


def side_on(userid: str, game: Game) -> Side:
    """Return the side that a player owns. Raises NotAllowed for who does not play there."""
    side = game.side_of(userid)
    if side is None:
        raise NotAllowed(NotOnBoard(game, userid))
    return side


def is_over(on: Look, kind: str, board: int) -> bool:
    """Return whether a board has ended or does not exist; an unreadable one has not ended."""
    if kind not in KINDS:
        return True
    try:
        return on.game(KINDS[kind], board).result is not None
    except DamagedHistory:
        return False
    except NotAllowed:
        return True


def check_guard(guard: int | None, game: Game) -> None:
    """Raise NotAllowed if a command is meant for a position that the board is not in."""
    if guard is not None and not game.meets_guard(guard):
        raise NotAllowed(OtherRecord(game, guard), f"#{guard}")

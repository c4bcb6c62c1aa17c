"""How the records of a board came about: by a mail, at once after one, or without any."""

from enum import Enum

from pbm_oust.accounts.account import HOUSE
from pbm_oust.accounts.queue import is_passed_for
from pbm_oust.board.game import Game
from pbm_oust.board.reasons import NoSuchRecord
from pbm_oust.board.record import Record, Ruling, Verb
from dataclasses import dataclass
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.store.causes import Cause, Incoming, find_cause
from pbm_oust.store.home import Home


class Way(Enum):
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


@dataclass(frozen=True, slots=True)
class Origin:
    """How a record of a game came about."""

    game: Game
    """The game as it is."""
    record: Record
    way: Way
    cause: Cause | None
    """What is kept of the mail that led to it, or of the import."""

    @property
    def mover(self) -> str:
        """The userid of whose record it is; empty for one of the server or its operator."""
        return _mover(self.game, self.record)


def incoming(actor: Actor, request: Request, work: UnitOfWork) -> Incoming:
    """Return what is kept of the mail that leads to records."""
    return Incoming(actor.userid, work.now(), request.sender, request.message_id)


def origin_of(game: Game, number: int | None, home: Home) -> Origin:
    """Return how a record came about, the latest one if there is no number.

    Raises NotAllowed if there is no such record.
    """
    number = len(game.records) if number is None else number
    if not 1 <= number <= len(game.records):
        raise NotAllowed(NoSuchRecord(game, number), f"#{number}")
    cause = home.ask(find_cause, game, number)
    record = game.records[number - 1]
    return Origin(game, record, _way(game, record, cause), cause)


def _mover(game: Game, record: Record) -> str:
    return game.after(record.number - 1).owner(record.side) if record.side else ""


def _way(game: Game, record: Record, cause: Cause | None) -> Way:
    if cause and cause.mail is None:
        return Way.IMPORTED
    if isinstance(record.action, Ruling):
        is_due = record.action.verb in (Verb.REMIND, Verb.FORFEIT)
        return Way.SWEEP if is_due else Way.OPERATOR
    if is_passed_for(game, record):
        return Way.PASSED
    if cause is None:
        return Way.HOUSE if _mover(game, record) in HOUSE else Way.UNKNOWN
    return Way.MAIL if record.number == cause.record else Way.QUEUED

"""A move ends the vacation of its player."""

from collections.abc import Iterable

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.status import signed_off_since, with_signed_off
from pbm_oust.accounts.vacations import away_at, ended_at, in_order
from pbm_oust.board.game import Game
from pbm_oust.board.record import Record
from dataclasses import replace
from pbm_oust.play.notices import BoardNotice, Notice
from pbm_oust.play.unit_of_work import UnitOfWork


def with_return(
    notices: Iterable[Notice], actor: Account, move: Record, game: Game, work: UnitOfWork
) -> list[Notice]:
    """Return the notices about a move, with word of the vacation that it ends, if it ends one."""
    if not _is_return(actor, move):
        return list(notices)
    back = replace(actor, vacations=in_order(ended_at(actor.vacations, move.at)))
    clock = None if game.result else work.clock_of(game, back)
    return [
        replace(notice, clock=clock, back=actor.userid)
        if isinstance(notice, BoardNotice)
        else notice
        for notice in notices
    ]


def end_absence(actor: Account, move: Record, work: UnitOfWork) -> None:
    """End a player's vacation with the unit of work, if the move was made in one."""
    if _is_return(actor, move):
        account = work.account(actor.userid)
        work.save(replace(account, vacations=in_order(ended_at(account.vacations, move.at))))


def _is_return(player: Account, record: Record) -> bool:
    return record.is_playing and away_at(player.vacations, record.at) is not None


def come_back(userid: str, work: UnitOfWork) -> None:
    """Bring back a player who has signed off, with the unit of work."""
    account = work.account_if_any(userid)
    if account and signed_off_since(account):
        work.save(with_signed_off(account, None))

"""What the players of a board have queued, as far as one of them may read it."""

from collections.abc import Iterable

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.queue import is_passed_for, waiting
from pbm_oust.board.game import Game
from dataclasses import replace
from pbm_oust.play.notices import Ahead
from pbm_oust.play.unit_of_work import UnitOfWork


def ahead_of(reader: Account | None, players: Iterable[Account], game: Game, since: int) -> Ahead:
    """Return what became of the queues of a board from record `since` on.

    That is the records that came from the queues of `players`, and for the reader also what waits
    in their own queue and what was dropped from it.
    """
    told = game.records[since - 1 :]
    queued = frozenset(
        record.number
        for record in told
        for account in players
        for plan in account.queue
        if plan.is_on(game) and record.message_key == plan.key_at(record.number)
    )
    passed = frozenset(record.number for record in told if is_passed_for(game, record))
    if reader is None:
        return Ahead(queued, passed)
    plans = [plan for plan in reader.queue if plan.is_on(game)]
    if not plans:
        return Ahead(queued, passed)
    left = waiting(reader.queue, reader.userid, game)
    mine = {plan.key_at(number) for plan in plans for number in queued}
    is_played = any(record.message_key in mine for record in told)
    went = (
        ()
        if left or is_played or game.result
        else waiting(reader.queue, reader.userid, game.after(since - 1))
    )
    return Ahead(
        queued,
        passed,
        waiting=tuple(str(plan.clause) for plan in left),
        dropped=tuple(str(plan.clause) for plan in went),
    )


def drop_plans(game: Game, work: UnitOfWork) -> None:
    """Remove what players have queued on a board whose game is over, with the unit of work."""
    for account in filter(None, map(work.account_if_any, (game.x, game.o) if game.result else ())):
        plans = account.queue
        kept = [plan for plan in plans if not plan.is_on(game)]
        if len(kept) < len(plans):
            work.save(replace(account, queue=tuple(kept)))


def waiting_for(reader: Account, game: Game) -> Ahead:
    """Return what a player has queued on a board that still waits."""
    return Ahead(
        waiting=tuple(str(plan.clause) for plan in waiting(reader.queue, reader.userid, game))
    )

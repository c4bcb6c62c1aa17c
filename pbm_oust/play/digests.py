"""Digests: the daily mail of players who do not want one for each turn."""

from datetime import datetime

from pbm_oust.accounts.account import Account, Digested
from pbm_oust.accounts.answered import DIGEST, Sheet
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.digest import digested, latest_slot, next_digest, with_digested
from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.vacations import away_at
from pbm_oust.board.game import AHEAD, Game
from pbm_oust.board.notation import format_time
from pbm_oust.board.summary import Summary, summary_of
from dataclasses import dataclass
from pbm_oust.play.finding import active_games
from pbm_oust.play.meanings import sheet_of
from pbm_oust.play.notices import Notice, Shown
from pbm_oust.play.rulings import id_of, request_of
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.store.message_keys import KeyOutcome, outcome_of, settle_key

MOST_BOARDS = 20
"""How many boards one digest draws."""


@dataclass(frozen=True, slots=True)
class DigestNotice(Notice):
    """The boards that wait for a player, and what happened on the others."""

    template = "digest"
    waiting: tuple[tuple[Game, Clock], ...]
    left_out: tuple[Summary, ...]
    """The boards that wait as well but are not drawn."""
    happened: tuple[Game, ...]

    def shows(self) -> tuple[Shown, ...]:
        """Return the boards that wait."""
        return tuple(Shown(game) for game, _ in self.waiting)

    def subscription(self) -> str:
        """Return that its reader may end such letters."""
        return DIGEST

    def answer(self) -> Sheet | None:
        """Return that an answer plays on the boards that wait."""
        return sheet_of((*(game for game, _ in self.waiting), *self.left_out), self.reader.account)


def send_digest(work: UnitOfWork, userid: str) -> bool:
    """Mail a player what waits for them, if their digest is due; return whether it was due.

    Nothing is mailed when nothing waits. Raises OSError.
    """
    return work.retried(lambda attempt: _send(attempt, userid))


def _send(work: UnitOfWork, userid: str) -> bool:
    account, now = work.account(userid), work.now()
    if not _is_due(account, now):
        return False
    waiting, others = _boards_of(userid, work)
    last = digested(account)
    slot = latest_slot(now, settings_of(account).zone)
    key = id_of("digest", userid, format_time(slot))
    is_new = bool(waiting) and not work.home.ask(outcome_of, key)
    happened = [game for game in others if _has_news(game, userid, min(last.sent, now))]
    digests = [_digest(work, account, waiting, happened)] if is_new else []
    with work.posting(digests, request_of(key)):
        if is_new:
            work.home.do(settle_key, key, KeyOutcome.DONE, now)
        sent = now if waiting else min(last.sent, now)
        work.save(with_digested(account, Digested(now, sent)))
    return bool(waiting)


def _digest(
    work: UnitOfWork, account: Account, waiting: list[Game], happened: list[Game]
) -> DigestNotice:
    return DigestNotice(
        work.player(account),
        tuple((game, work.clock_of(game, account)) for game in waiting[:MOST_BOARDS]),
        left_out=tuple(map(summary_of, waiting[MOST_BOARDS:])),
        happened=tuple(happened),
    )


def _is_due(account: Account, now: datetime) -> bool:
    """Return whether a digest is due: also if a wrong clock says that the latest is yet to come."""
    due = next_digest(account)
    if due is None or away_at(account.vacations, now):
        return False
    return due <= now or digested(account).looked > now + AHEAD


def _boards_of(userid: str, work: UnitOfWork) -> tuple[list[Game], list[Game]]:
    """Return the boards where it is a player's turn, and their other boards."""
    boards = list(active_games(userid, work.home))
    waiting = [game for game in boards if game.player_to_move == userid]
    return waiting, [game for game in boards if game not in waiting]


def _has_news(game: Game, userid: str, since: datetime) -> bool:
    """Return whether the latest record of a board is by somebody else, and later than `since`."""
    return game.latest > since and bool(game.records) and game.actor != userid

"""What the server or its operator does to a board: recorded, and mailed to those it concerns.

The message key of such a record is made from the board, the number of the record and what is done.
So no ruling is made twice, whoever makes it and however often.
"""

import hashlib
from collections.abc import Callable, Iterable
from datetime import datetime

from pbm_oust.accounts.account import Account, Digested
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.tags import DIGEST, SheetReply
from pbm_oust.accounts.vacations import away_at
from pbm_oust.board import Game, Ruling, Summary, Verb
from pbm_oust.board.game import AHEAD
from pbm_oust.board.notation import format_ruling, format_time
from pbm_oust.play.finding import active_games
from pbm_oust.play.notices import BoardNotice, News, Notice, ShownBoard, sheet_of
from pbm_oust.play.request import Request
from pbm_oust.play.telling import drop_plans, tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules import Kind
from pbm_oust.store.message_keys import KeyOutcome, outcome_of, settle_key
from pbm_oust.store.open_boards import append, read_board

Decide = Callable[[Game], Ruling | None]
"""Decides what to do to a board, if anything."""


def id_of(*parts: object) -> str:
    """Return the message key of something that the server does: the same for the same parts."""
    return hashlib.sha256("\0".join(map(str, ("server", *parts))).encode()).hexdigest()[:16]


def request_of(key: str) -> Request:
    """Return a request that stands for a mail when the server does something by itself."""
    return Request(line="", chat="", sender="", identity=key)


def rule_board(
    work: UnitOfWork,
    kind: Kind,
    board: int,
    decide: Decide,
    reason: str = "",
    make: Callable[..., BoardNotice] = BoardNotice,
) -> Game | None:
    """Do to a board what `decide` says, and return the game after that; None if it says nothing.

    `reason` is what the operator writes to the players, and `make` makes the notices that tell
    them. Raises NotAllowed, DamagedHistory and OSError.
    """

    def deed(work: UnitOfWork) -> Game | None:
        found = read_board(work.home, kind, board)
        game = found.game
        ruling = decide(game)
        if ruling is None:
            return None
        key = id_of(game.name, game.next_number, format_ruling(ruling))
        ruled = game.rule(ruling, game.time_of_next(work.now()), key)
        work = work.answering(request_of(key))
        with work.posting(_notices(game, ruled, ruling, reason, work, make)):
            append(work.home, found, ruled)
            if ruled.result:
                drop_plans(ruled, work)
        return ruled

    return work.retried(deed)


def _notices(
    before: Game,
    game: Game,
    ruling: Ruling,
    reason: str,
    work: UnitOfWork,
    make: Callable[..., BoardNotice],
) -> Iterable[Notice]:
    """Return the notices of a ruling: a reminder only to the one it is for, all else to everybody.

    A player whose side goes to somebody else is told as well.
    """
    if ruling.verb is Verb.REMIND:
        return _to([game.player_to_move], News.REMINDED, game, work)
    told = tell_players(game, News.PLAYED, work, actor=None, chat=reason, make=make)
    gone = {before.x, before.o} - {game.x, game.o} if ruling.verb is Verb.ADOPT else ()
    return [*told, *_to(gone, News.PLAYED, game, work, reason)]


def _to(
    userids: Iterable[str], news: News, game: Game, work: UnitOfWork, chat: str = ""
) -> list[Notice]:
    accounts = (work.account(userid) for userid in userids if work.has_account(userid))
    return [BoardNotice(work.player(account), news, game, chat=chat) for account in accounts]


MOST_BOARDS = 20
"""How many boards one digest draws."""


class DigestNotice(Notice, frozen=True):
    """The boards that wait for a player, and what happened on the others."""

    waiting: tuple[tuple[Game, Clock], ...]
    left_out: tuple[Summary, ...]
    """The boards that wait as well but are not drawn."""
    happened: tuple[Game, ...]

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the boards that wait."""
        return tuple(ShownBoard(game) for game, _ in self.waiting)

    def subscription(self) -> str:
        """Return that its reader may end such letters."""
        return DIGEST

    def answer(self) -> SheetReply | None:
        """Return that an answer plays on the boards that wait."""
        return sheet_of((*(game for game, _ in self.waiting), *self.left_out), self.reader.account)


def send_digest(work: UnitOfWork, userid: str) -> str:
    """Mail a player what waits for them, if their digest is due; return `digest` if something did.

    Nothing is mailed when nothing waits. Raises OSError.
    """
    return "digest" if work.retried(lambda attempt: _send(attempt, userid)) else ""


def _send(work: UnitOfWork, userid: str) -> bool:
    account, now = work.account(userid), work.now()
    if not _is_due(account, now):
        return False
    boards = list(active_games(userid, work.home))
    waiting = [game for game in boards if game.player_to_move == userid]
    last = account.digested
    slot = account.all_settings.latest_slot(now)
    key = id_of("digest", userid, format_time(slot))
    is_new = bool(waiting) and not work.home.ask(outcome_of, key)
    since = min(last.sent, now)
    happened = [
        game
        for game in boards
        if game not in waiting and game.latest > since and game.records and game.actor != userid
    ]
    digests = [_digest(work, account, waiting, happened)] if is_new else []
    with work.answering(request_of(key)).posting(digests):
        if is_new:
            work.home.do(settle_key, key, KeyOutcome.DONE, now)
        work.save(account.with_digested(Digested(now, now if waiting else since)))
    return bool(waiting)


def _digest(
    work: UnitOfWork, account: Account, waiting: list[Game], happened: list[Game]
) -> DigestNotice:
    return DigestNotice(
        work.player(account),
        tuple((game, work.clock_of(game)) for game in waiting[:MOST_BOARDS]),
        left_out=tuple(each.summary for each in waiting[MOST_BOARDS:]),
        happened=tuple(happened),
    )


def _is_due(account: Account, now: datetime) -> bool:
    """Return whether a digest is due: also if a wrong clock says that the latest is yet to come."""
    due = account.next_digest()
    if due is None or away_at(account.vacations, now):
        return False
    return due <= now or account.digested.looked > now + AHEAD

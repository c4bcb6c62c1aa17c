"""What the server or its operator does to a board: recorded, and mailed to those it concerns.

The message key of such a record is made from the board, the number of the record and what is done.
So no ruling is made twice, whoever makes it and however often.
"""

import hashlib
from collections.abc import Callable, Iterable

from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_ruling
from pbm_oust.board.record import Ruling, Verb
from pbm_oust.play.notices import BoardNotice, News, Notice
from pbm_oust.play.queue import drop_plans
from pbm_oust.play.request import Request
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import OpenBoard, open_board

Decide = Callable[[Game], Ruling | None]
"""Decides what to do to a board, if anything."""


def id_of(*parts: object) -> str:
    """Return the message key of something that the server does: the same for the same parts."""
    return hashlib.sha256("\0".join(map(str, ("server", *parts))).encode()).hexdigest()[:16]


def request_of(key: str) -> Request:
    """Return a request that stands for a mail when the server does something by itself."""
    return Request(line="", chat="", sender="", identity=key)


def rule_board(
    work: UnitOfWork, kind: Kind, board: int, decide: Decide, reason: str = ""
) -> Game | None:
    """Do to a board what `decide` says, and return the game after that; None if it says nothing.

    `reason` is what the operator writes to the players. Raises NotAllowed, DamagedHistory and
    OSError.
    """

    def deed(work: UnitOfWork) -> Game | None:
        opened = open_board(work.home, kind, board)
        ruling = decide(opened.game)
        return _rule(work, opened, ruling, reason) if ruling else None

    return work.retried(deed)


def _rule(work: UnitOfWork, opened: OpenBoard, ruling: Ruling, reason: str) -> Game:
    game = opened.game
    key = id_of(game.name, game.next_number, format_ruling(ruling))
    ruled = game.rule(ruling, game.time_of_next(work.now()), key)
    request = request_of(key)
    notices = _notices(game, ruled, ruling, reason, work, request)
    with work.posting(notices, request):
        opened.append(ruled)
        drop_plans(ruled, work)
    return ruled


def _notices(
    before: Game, game: Game, ruling: Ruling, reason: str, work: UnitOfWork, request: Request
) -> Iterable[Notice]:
    """Return the notices of a ruling: a reminder only to the one it is for, all else to everybody.

    A player whose side goes to somebody else is told as well.
    """
    if ruling.verb is Verb.REMIND:
        return _to([game.player_to_move], News.REMINDED, game, work)
    told = tell_players(game, News.PLAYED, work, request, actor=None, chat=reason)
    gone = {before.x, before.o} - {game.x, game.o} if ruling.verb is Verb.ADOPT else ()
    return [*told, *_to(gone, News.PLAYED, game, work, reason)]


def _to(
    userids: Iterable[str], news: News, game: Game, work: UnitOfWork, chat: str = ""
) -> list[Notice]:
    accounts = (work.account(userid) for userid in userids if work.has_account(userid))
    return [BoardNotice(work.player(account), news, game, chat=chat) for account in accounts]

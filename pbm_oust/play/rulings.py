"""What the server or its operator does to a board: recorded, and mailed to those it concerns.

The message key of such a record is made from the board, the number of the record and what is done.
So no ruling is made twice, whoever makes it and however often.
"""

from collections.abc import Callable, Iterable
from datetime import datetime

from pbm_oust.accounts.account import Account, Digested
from pbm_oust.accounts.asks import DIGEST, Ask
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.vacations import away_at
from pbm_oust.board import Deed, Game, Ruling, Summary, Verb
from pbm_oust.board.game import AHEAD
from pbm_oust.board.notation import format_ruling, format_time
from pbm_oust.play.context import Context, Outcome, answered
from pbm_oust.play.finding import active_games
from pbm_oust.play.notices import BoardNotice, News, Notice, ShownBoard, sheet_of
from pbm_oust.play.request import Ending, id_of
from pbm_oust.play.telling import drop_plans, tell_players
from pbm_oust.rules import Kind, Side
from pbm_oust.store.message_keys import KeyOutcome, outcome_of

Decide = Callable[[Game], Ruling | Side | None]
"""Decides what to do to a board, if anything; a side resigns for who has left."""


def key_of_leaving(game: Game, number: int, side: Side) -> str:
    """Return the message key of a record by which a side resigns for who has left."""
    return id_of(game.name, number, Deed.RESIGN.value, side.value)


class Ruled(Outcome, frozen=True):
    """A ruling on a board."""

    game: Game | None = None
    """The game after it; None if there was nothing to do."""


def rule_board(
    on: Context,
    kind: Kind,
    board: int,
    decide: Decide,
    reason: str = "",
    make: Callable[..., BoardNotice] = BoardNotice,
) -> Ruled:
    """Do to a board what `decide` says, if it says anything.

    `reason` is what the operator writes to the players, and `make` makes the notices that tell
    them. Raises NotAllowed, DamagedHistory and OSError.
    """
    found = on.board(kind, board)
    game = found.game
    ruling, at = decide(game), game.time_of_next(on.now)
    if ruling is None:
        return Ruled(Ending.ANSWERED)
    if isinstance(ruling, Side):
        key = key_of_leaving(game, game.next_number, ruling)
        ruled = game.act(ruling, Deed.RESIGN, at, key)
    else:
        key = id_of(game.name, game.next_number, format_ruling(ruling))
        ruled = game.rule(ruling, at, key)
    told = tuple(_notices(on, game, ruled, ruling, reason, make))
    on.append(found, ruled)
    if ruled.result:
        drop_plans(on, ruled)
    return Ruled(Ending.DONE, told, ruled.name, len(ruled.records), identity=key, game=ruled)


def _notices(
    on: Context,
    before: Game,
    game: Game,
    ruling: Ruling | Side,
    reason: str,
    make: Callable[..., BoardNotice],
) -> Iterable[Notice]:
    """Return the notices of a ruling: a reminder only to the one it is for, all else to everybody.

    A player whose side goes to somebody else is told as well.
    """
    verb = ruling.verb if isinstance(ruling, Ruling) else None
    if verb is Verb.REMIND:
        return _to(on, [game.player_to_move], News.REMINDED, game)
    told = tell_players(on, game, News.PLAYED, actor=None, chat=reason, make=make)
    gone = {before.x, before.o} - {game.x, game.o} if verb is Verb.ADOPT else ()
    return [*told, *_to(on, gone, News.PLAYED, game, reason)]


def _to(
    on: Context, userids: Iterable[str], news: News, game: Game, chat: str = ""
) -> list[Notice]:
    accounts = filter(None, map(on.account_if_any, userids))
    return [BoardNotice(on.reader(account), news, game, chat=chat) for account in accounts]


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
        """Return the name of the letters that its reader may end: digests."""
        return DIGEST

    def ask(self) -> Ask | None:
        """Return that an answer plays on the boards that wait."""
        return sheet_of((*(game for game, _ in self.waiting), *self.left_out), self.reader.account)


def send_digest(on: Context, userid: str) -> Outcome:
    """Mail a player what waits for them, if their digest is due; nothing if nothing waits."""
    account, now = on.account(userid), on.now
    if not _is_due(account, now):
        return answered()
    boards = list(active_games(on, userid))
    waiting = [game for game in boards if game.player_to_move == userid]
    last = account.digested
    slot = account.all_settings.latest_slot(now)
    key = id_of("digest", userid, format_time(slot))
    is_new = bool(waiting) and not outcome_of(on.snapshot, key)
    since = min(last.sent, now)
    happened = [
        game
        for game in boards
        if game not in waiting and game.latest > since and game.records and game.actor != userid
    ]
    told = (_digest(on, account, waiting, happened),) if is_new else ()
    on.save(account.with_digested(Digested(now, now if waiting else since)))
    ending = Ending.DONE if waiting else Ending.ANSWERED
    return Outcome(ending, told, key=KeyOutcome.DONE if is_new else None, identity=key)


def _digest(
    on: Context, account: Account, waiting: list[Game], happened: list[Game]
) -> DigestNotice:
    return DigestNotice(
        on.reader(account),
        tuple((game, on.clock_of(game)) for game in waiting[:MOST_BOARDS]),
        left_out=tuple(each.summary for each in waiting[MOST_BOARDS:]),
        happened=tuple(happened),
    )


def _is_due(account: Account, now: datetime) -> bool:
    """Return whether a digest is due: also if a wrong clock says that the latest is yet to come."""
    due = account.next_digest()
    if due is None or away_at(account.vacations, now):
        return False
    return due <= now or account.digested.looked > now + AHEAD

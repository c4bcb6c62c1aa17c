"""Digests: the daily mail of players who do not want one for each turn."""

from datetime import datetime

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.renaming import active_games
from pbm_oust.actions.rulings import id_of, request_of
from pbm_oust.digest import Digested, digested, latest_slot, with_digested
from pbm_oust.game import Game
from pbm_oust.journal import Ending, Entry
from pbm_oust.notation import format_time
from pbm_oust.notices import Told
from pbm_oust.outbox import JOURNAL
from pbm_oust.players import Account, format_account
from pbm_oust.settings import MailWhen, settings_of

MOST_BOARDS = 20
"""How many boards one digest draws."""


def send_digest(desk: Desk, userid: str) -> bool:
    """Mail a player what waits for him if his time of the day has come; return whether it was.

    Nothing is mailed when nothing waits. Raises BadAccount and OSError.
    """
    if not _is_due(desk.account(userid), desk.now()):
        return False
    waiting, others = _boards_of(userid, desk)
    with desk.home.locked_players(), desk.home.journal.held():
        account, now = desk.account(userid), desk.now()
        if not _is_due(account, now):
            return False
        last = digested(account)
        slot = latest_slot(now, settings_of(account).zone)
        cause = id_of("digest", userid, format_time(slot))
        if waiting and not desk.home.journal.ending(cause):
            happened = [game for game in others if _has_news(game, userid, last.sent)]
            _post(desk, account, cause, waiting, happened)
        looked = Digested(now, now if waiting else last.sent)
        desk.home.write_player(userid, format_account(with_digested(account, looked)))
    return bool(waiting)


def _post(
    desk: Desk, account: Account, cause: str, waiting: list[Game], happened: list[Game]
) -> None:
    """Send a digest. The journal knows it before the account does: it is never sent twice."""
    facts = {
        "waiting": [(game, desk.clock_of(game, account)) for game in waiting[:MOST_BOARDS]],
        "left_out": waiting[MOST_BOARDS:],
        "happened": happened,
    }
    digest = Told(desk.player(account), "digest", facts)
    with desk.posting([digest], request_of(cause), cause, JOURNAL):
        desk.home.journal.write(Entry(desk.now(), cause, Ending.DONE))


def _is_due(account: Account, now: datetime) -> bool:
    settings = settings_of(account)
    is_wanted = settings.mail is MailWhen.DIGEST
    return is_wanted and latest_slot(now, settings.zone) > digested(account).looked


def _boards_of(userid: str, desk: Desk) -> tuple[list[Game], list[Game]]:
    """Return the boards on which it is a player's turn, and the others that he plays on."""
    boards = list(active_games(userid, desk.home))
    waiting = [game for game in boards if game.player_to_move == userid]
    return waiting, [game for game in boards if game not in waiting]


def _has_news(game: Game, userid: str, since: datetime) -> bool:
    """Return whether the latest record of a board is another's, made after a moment."""
    return game.latest > since and bool(game.records) and game.actor != userid

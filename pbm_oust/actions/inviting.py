"""Who may be challenged by whom: limits and rejected players."""

from contextlib import suppress

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.boards import DamagedHistory, each_userids, read_game
from pbm_oust.commands.personal import Limit, Reject, Unreject
from pbm_oust.home import Home
from pbm_oust.membership import becomes, disabled_since, signed_off_since
from pbm_oust.notices import Told
from pbm_oust.players import Account
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.willing import limit_of, rejected_by, with_limit, with_rejected


def check_willing(challenged: Account, challenger: str, home: Home) -> None:
    """Make sure that a player may be put on a board by somebody whose userid is `challenger`.

    That may be himself. Raises NotAllowed for one who rejects the challenger, who has signed off,
    who has as many boards as he wants, or whose account is closed. To be called while the numbering
    of boards is held, with accounts read meanwhile.
    """
    if signed_off_since(challenged):
        is_own = challenged.userid == challenger
        raise NotAllowed(Barred.SIGNED_OFF, challenged.userid, own=is_own)
    if challenger in rejected_by(challenged):
        facts = {"userid": challenged.userid, "challenger": challenger}
        raise NotAllowed(Barred.REJECTED, challenged.userid, **facts)
    check_room(challenged, home)


def check_room(account: Account, home: Home) -> None:
    """Make sure that a player has a board free. Raises NotAllowed, also for a closed account."""
    if disabled_since(account) or becomes(account):
        raise NotAllowed(Barred.DISABLED, account.userid, userid=account.userid, own=False)
    limit = limit_of(account)
    active = count_active(account.userid, home) if limit else 0
    if limit and active >= limit:
        facts = {"userid": account.userid, "limit": limit, "active": active}
        raise NotAllowed(Barred.LIMIT_REACHED, account.userid, **facts)


def count_active(userid: str, home: Home) -> int:
    """Return on how many boards that go on a player is; damaged ones are left out."""
    count = 0
    for kind, board, userids in each_userids(home):
        if userid in userids:
            with suppress(DamagedHistory):
                game = read_game(home, kind, board)
                count += game.result is None and game.side_of(userid) is not None
    return count


def set_limit(command: Limit, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Change on how many active boards a player wants to be."""

    def tell(account: Account) -> tuple[Told, list[Told]]:
        active = count_active(account.userid, desk.home)
        facts = {"limit": command.limit, "active": active}
        return Told(desk.player_at(account, request), "limit", facts), []

    def change(account: Account) -> Account:
        return with_limit(account, command.limit)

    return desk.change_account(change, tell, actor, request, Handled("limit set"))


def reject(command: Reject, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Reject challenges of players from now on, or list those who are rejected."""
    if actor.userid in command.userids:
        raise NotAllowed(Barred.REJECTS_SELF)
    if not command.userids:
        reader = desk.player_at(actor.account, request)
        facts = {"rejected": rejected_by(actor.account), "changed": ()}
        return desk.answer(Told(reader, "rejected", facts), request)
    for userid in command.userids:
        desk.account(userid)
    return _change_rejected(command, actor, request, desk)


def unreject(command: Unreject, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Take challenges of players again."""
    return _change_rejected(command, actor, request, desk)


def _change_rejected(
    command: Reject | Unreject, actor: Actor, request: Request, desk: Desk
) -> Handled:
    def change(account: Account) -> Account:
        rejected = rejected_by(account)
        if isinstance(command, Reject):
            return with_rejected(account, (*rejected, *command.userids))
        return with_rejected(account, (each for each in rejected if each not in command.userids))

    def tell(account: Account) -> tuple[Told, list[Told]]:
        facts = {
            "rejected": rejected_by(account),
            "changed": command.userids,
            "ended": isinstance(command, Unreject),
        }
        return Told(desk.player_at(account, request), "rejected", facts), []

    return desk.change_account(change, tell, actor, request, Handled("rejected players changed"))


SIGNED: dict[type, Action] = {Limit: set_limit, Reject: reject, Unreject: unreject}

"""What the operator does with whole players: renamed, or joined with another account."""

import hashlib
from dataclasses import replace

from pbm_oust.absence import absences_of, together, with_absences
from pbm_oust.actions.desk import Desk
from pbm_oust.actions.renaming import (
    active_games,
    boards_of,
    check_boards,
    rename_elsewhere,
    rename_on_boards,
)
from pbm_oust.actions.request import Request
from pbm_oust.boards import each_userids, has_played
from pbm_oust.membership import becomes, to_be_told, with_becomes
from pbm_oust.notes import KEY as NOTE_KEY
from pbm_oust.notices import Told
from pbm_oust.plans import KEY as PLAN_KEY
from pbm_oust.players import Account, format_account
from pbm_oust.recovery import removal_place
from pbm_oust.seeks import seeks_of, with_seeks
from pbm_oust.submissions import KEY as SUBMITTED_KEY
from pbm_oust.watching import KEY as WATCH_KEY
from pbm_oust.willing import REJECT_KEY

_JOINED_KEYS = (NOTE_KEY, WATCH_KEY, REJECT_KEY, PLAN_KEY, SUBMITTED_KEY)
"""The lines that a player takes along into another account."""


class CannotMove(Exception):
    """A player who cannot be renamed or joined so; the message says why. Nothing has changed."""


def rename_player(old: str, new: str, desk: Desk) -> int:
    """Give a player another userid, and return on how many boards.

    Begun again after a crash, it finishes what is left. Raises CannotMove; NotAllowed where there
    is no such player; DamagedHistory for a board that has to be mended first.
    """
    check_boards(old, desk.home)
    with desk.home.locked_players():
        account = desk.account(old)
        if not _is_begun(account, new, desk):
            if desk.has_account(new) or has_played(new, desk.home):
                raise CannotMove(f"the userid {new} belongs to somebody already")
            renamed = with_becomes(replace(account, userid=new), "")
            # The new account is there first, so that nobody can take the userid meanwhile.
            desk.home.write_player(new, format_account(renamed))
        _mark(account, new, desk)
    return _move(account, new, "renamed", desk)


def merge_players(old: str, into: str, desk: Desk) -> int:
    """Make the boards and addresses of a player those of another, and return how many boards.

    Begun again after a crash, it finishes what is left. Raises as `rename_player` does.
    """
    if old == into:
        raise CannotMove("these are one account")
    check_boards(old, desk.home)
    with desk.home.locked_players():
        account, target = desk.account(old), desk.account(into)
        if becomes(account) not in ("", into) or becomes(target):
            raise CannotMove("one of them is about to get another userid; finish that first")
        _mark(account, into, desk)
    both = [
        f"{kind.name} {board}"
        for kind, board, userids in each_userids(desk.home)
        if {old, into} <= userids
    ]
    with desk.home.locked_players():
        account, target = desk.account(old), desk.account(into)
        if both:
            desk.home.write_player(old, format_account(with_becomes(account, "")))
            raise CannotMove(f"both have played on {', '.join(both)}")
        desk.home.write_player(into, format_account(_joined(account, target)))
    return _move(account, into, "merged", desk)


def _is_begun(account: Account, new: str, desk: Desk) -> bool:
    """Return whether an account has its copy under a new userid already. Raises CannotMove."""
    promised = becomes(account)
    if promised and promised != new:
        raise CannotMove(f"{account.userid} is about to become {promised}; finish that first")
    if not desk.has_account(new):
        return False
    return bool(promised) or desk.account(new).password == account.password


def _mark(account: Account, new: str, desk: Desk) -> None:
    """Write down what userid a player is to have, and who has to be told, for now or later."""
    if becomes(account) != new:
        games = active_games(account.userid, desk.home)
        owners = {userid for game in games for userid in (game.x, game.o)}
        marked = with_becomes(account, new, sorted(owners - {account.userid}))
        desk.home.write_player(account.userid, format_account(marked))


def _joined(account: Account, target: Account) -> Account:
    """Return an account with the addresses and lines of another besides its own."""
    added = (each for each in account.addresses if not target.has_address(each))
    joined = replace(target, addresses=(*target.addresses, *added))
    for key in _JOINED_KEYS:
        own = {account.userid, target.userid}
        values = dict.fromkeys((*joined.values(key), *account.values(key)))
        joined = joined.with_values(key, (value for value in values if value not in own))
    joined = with_absences(joined, together((*absences_of(joined), *absences_of(account))))
    return with_seeks(joined, (*seeks_of(joined), *seeks_of(account)))


def _move(account: Account, new: str, how: str, desk: Desk) -> int:
    """Move a player's boards to another userid, tell all whom it concerns, remove the account."""
    old, home = account.userid, desk.home
    count = len(boards_of(old, home))
    rename_on_boards(old, new, home)
    cause = hashlib.sha256(f"{how}\0{old}\0{new}\0{account.joined}".encode()).hexdigest()[:16]
    request = Request("", "", "", f"operator {cause}")
    with home.locked_players():
        rename_elsewhere(old, new, home)
        home.pending.forget_of(account, desk.now())
        facts = {"how": how, "old": old, "new": new}
        told = [new, *to_be_told(desk.account(old))]
        readers = [desk.player(desk.account(userid)) for userid in told if desk.has_account(userid)]
        notices = [Told(reader, "renamed", facts) for reader in readers if reader.addresses]
        with desk.posting(notices, request, cause, removal_place(old)):
            home.remove_player(old)
    return count

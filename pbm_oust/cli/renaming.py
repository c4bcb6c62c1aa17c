"""`pbm-oust players rename` and `merge`: giving a player another userid, in all histories too."""

from collections.abc import Callable

import click

from pbm_oust.accounts.account import is_house
from pbm_oust.cli.operator import Operator, Refused, pass_operator
from pbm_oust.cli.players import no_userid, read_account
from pbm_oust.cli.terminal import say
from pbm_oust.cli.work import unit_of_work
from pbm_oust.doctor.finding import counted
from pbm_oust.grammar.values import read_new_userid
from pbm_oust.play.renaming import CannotMove, merge_players, rename_player
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, Unreadable
from pbm_oust.store.boards import DamagedHistory, NoSuchBoard
from pbm_oust.store.faults import AccountDamaged


@click.command()
@click.argument("old")
@click.argument("new")
@pass_operator
def rename(operator: Operator, old: str, new: str) -> None:
    """Give a player another userid, in all histories too.

    The player and everybody they play with are told by mail. All of it happens, or nothing.
    """
    try:
        new = read_new_userid(new)
    except Unreadable as refusal:
        raise no_userid(new, refusal) from None
    _move(operator, rename_player, old.lower(), new, "renamed")


@click.command()
@click.argument("userid")
@click.argument("into")
@pass_operator
def merge(operator: Operator, userid: str, into: str) -> None:
    """Join a player's account with another one of theirs, INTO.

    INTO stays, and gets the boards, addresses and notes. The player and everybody they play with
    are told by mail. All of it happens, or nothing.
    """
    _move(operator, merge_players, userid.lower(), into.lower(), "merged")


def _move(
    operator: Operator, move: Callable[[str, str, UnitOfWork], int], old: str, new: str, done: str
) -> None:
    for userid in (old, new):
        account = operator.home.account(userid)
        if account and is_house(account):
            raise Refused(f"{userid} is a program of this server, and stays what it is")
    read_account(operator, old)
    try:
        count = move(old, new, unit_of_work(operator))
    except NotAllowed as refusal:
        if isinstance(refusal.reason, NoSuchBoard):
            board = f"{refusal.reason.kind.name} {refusal.reason.board}"
            raise Refused(f"{board} has been removed") from None
        raise Refused(f"there is no player {new}") from None
    except (CannotMove, AccountDamaged) as error:
        raise Refused(str(error)) from None
    except DamagedHistory as error:
        raise Refused(f"{error}; mend this board first, then say it again") from None
    say(f"{done} {old}: {new} on {counted(count, 'board')}")

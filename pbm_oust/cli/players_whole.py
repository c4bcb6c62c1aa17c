"""`pbm-oust players` for whole accounts: disabled, renamed, merged. And `pbm-oust broadcast`."""

import sys
from collections.abc import Callable
from datetime import datetime

import click

from pbm_oust.accounts.status import disabled_since, with_disabled
from pbm_oust.board.notation import format_time
from pbm_oust.cli.operator import Operator, Refused, now, pass_operator
from pbm_oust.cli.players import read_account
from pbm_oust.commands.broadcast import announce
from pbm_oust.grammar.passwords import read_new_userid
from pbm_oust.letters.letters import Letters
from pbm_oust.play.renaming import CannotMove, merge_players, rename_player
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, Unreadable
from pbm_oust.store.faults import AccountDamaged
from pbm_oust.store.open_boards import DamagedHistory


@click.command()
@click.argument("userid")
@pass_operator
def disable(operator: Operator, userid: str) -> None:
    """Close an account until it is enabled again.

    No command with its password is taken, nobody can challenge the player, and the player gets no
    mail. Their boards go on until their time ends. Nothing is removed.
    """
    _set_disabled(operator, userid.lower(), now())


@click.command()
@click.argument("userid")
@pass_operator
def enable(operator: Operator, userid: str) -> None:
    """Open a disabled account again."""
    _set_disabled(operator, userid.lower(), None)


@click.command()
@click.argument("old")
@click.argument("new")
@pass_operator
def rename(operator: Operator, old: str, new: str) -> None:
    """Give a player another userid, in all histories too.

    The player and everybody they play with are told by mail. If this is interrupted, repeat it.
    """
    try:
        new = read_new_userid(new)
    except Unreadable:
        raise click.UsageError(f"{new!r} cannot be a userid") from None
    _move(operator, rename_player, old.lower(), new, "renamed")


@click.command()
@click.argument("userid")
@click.argument("into")
@pass_operator
def merge(operator: Operator, userid: str, into: str) -> None:
    """Join a player's account with another one of theirs, INTO.

    INTO stays, and gets the boards, addresses and notes. The player and everybody they play with
    are told by mail. If this is interrupted, repeat it.
    """
    _move(operator, merge_players, userid.lower(), into.lower(), "merged")


@click.command()
@click.option("--text", help="What to write; read from standard input by default.")
@click.option(
    "--to",
    "userids",
    multiple=True,
    metavar="USERID",
    help="Write to this player only; may be repeated.",
)
@pass_operator
def broadcast(operator: Operator, text: str | None, userids: tuple[str, ...]) -> None:
    """Write to all players, or to those named with --to.

    Players who have turned such mails off get none. Nobody reads answers to such a mail, so say in
    it where to write.
    """
    text = sys.stdin.read() if text is None else text
    if not text.strip():
        raise click.UsageError("there is nothing to write; give it by --text or standard input")
    to = [userid.lower() for userid in userids] or None
    for userid in to or ():
        read_account(operator, userid)
    try:
        count = announce(text, to, _desk(operator))
    except AccountDamaged as error:
        raise Refused(str(error)) from None
    click.echo(f"written to {count} {'player' if count == 1 else 'players'}")


def _set_disabled(operator: Operator, userid: str, at: datetime | None) -> None:
    read_account(operator, userid)
    account = read_account(operator, userid)
    since = disabled_since(account)
    if bool(since) is bool(at):
        state = f"disabled since {format_time(since)}" if since else "not disabled"
        raise Refused(f"{account.userid} is {state}")
    operator.home.save(with_disabled(account, at))
    click.echo(f"{'disabled' if at else 'enabled'} {account.userid}")


def _move(
    operator: Operator, move: Callable[[str, str, UnitOfWork], int], old: str, new: str, done: str
) -> None:
    read_account(operator, old)
    try:
        count = move(old, new, _desk(operator))
    except NotAllowed:
        raise Refused(f"there is no player {new}") from None
    except (CannotMove, AccountDamaged) as error:
        raise Refused(str(error)) from None
    except DamagedHistory as error:
        raise Refused(f"{error}; mend this board first, then say it again") from None
    click.echo(f"{done} {old}: {new} on {count} {'board' if count == 1 else 'boards'}")


def _desk(operator: Operator) -> UnitOfWork:
    home = operator.prepared_home()
    return UnitOfWork(home, Letters(operator.configuration.address, now, home.key).write, now)

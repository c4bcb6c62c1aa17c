"""`pbm-oust players`: listing, showing, adding and disabling accounts, and new passwords."""

import sys
from dataclasses import replace
from datetime import datetime
from typing import Any

import click

from pbm_oust.accounts.account import Account, disabled_since, with_disabled
from pbm_oust.accounts.address import parse_address
from pbm_oust.accounts.bounces import listed_reasons
from pbm_oust.accounts.document import account_lines, kept_objects
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.board.notation import format_time
from pbm_oust.cli.completion import complete_userids
from pbm_oust.cli.operator import (
    Operator,
    Refused,
    as_json,
    pass_operator,
    print_json,
    print_table,
)
from pbm_oust.cli.terminal import say
from pbm_oust.grammar.values import (
    LONGEST_PASSWORD,
    ReservedUserid,
    read_new_password,
    read_new_userid,
    read_userid,
)
from pbm_oust.grammar.words import SHORTEST_PASSWORD
from pbm_oust.refusal import Unreadable
from pbm_oust.store.accounts import write_account
from pbm_oust.store.database import Transaction
from pbm_oust.store.open_boards import has_played
from pbm_oust.store.verifications import bounces_of, forget_verifications_of


def _asked(_context: click.Context, _parameter: click.Parameter, password: str | None) -> str:
    """Return a password, asked for at a terminal, or else the line on standard input."""
    if password is not None:
        return password
    if sys.stdin.isatty():
        asked: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
        return asked
    if line := sys.stdin.readline().rstrip("\r\n"):
        return line
    raise click.UsageError(
        "there is no password: without a terminal it is a line on standard input, "
        "or in PBM_OUST_PASSWORD"
    )


password_option = click.option(
    "--password",
    callback=_asked,
    envvar="PBM_OUST_PASSWORD",
    help="If you leave it out, you are asked, and nobody sees it in the list of processes. "
    "Without a terminal it is read from standard input.",
)


@click.command("list")
@as_json
@pass_operator
def list_(operator: Operator, as_json: bool) -> None:
    """List accounts."""
    accounts, damaged = list[Account](), False
    for userid in operator.home.userids():
        try:
            accounts.append(read_account(operator, userid))
        except Refused as error:
            say(f"Error: {error}", err=True)
            damaged = True
    if as_json:
        print_json([_summary(account) for account in accounts])
    elif accounts:
        print_table(
            ("USERID", "JOINED", "STATE", "ADDRESSES"),
            (
                (
                    account.userid,
                    format_time(account.joined),
                    "disabled" if disabled_since(account) else "enabled",
                    ", ".join(account.addresses),
                )
                for account in accounts
            ),
        )
    if damaged:
        raise SystemExit(1)


@click.command()
@click.argument("userid", shell_complete=complete_userids)
@as_json
@pass_operator
def show(operator: Operator, userid: str, as_json: bool) -> None:
    """Show an account with everything that it keeps."""
    account = read_account(operator, userid.lower())
    if as_json:
        print_json({**_summary(account), "kept": kept_objects(account)})
    else:
        for line in account_lines(account):
            say(line)
        for address in account.addresses:
            returned = operator.home.ask(bounces_of, address)
            if returned.bounces:
                closed = "; it gets no more mail" if returned.is_suspended else ""
                say(f"Came back from {address}: {listed_reasons(returned)}{closed}")


@click.command()
@click.argument("userid")
@click.argument("addresses", nargs=-1, required=True, metavar="ADDRESS..")
@password_option
@pass_operator
def add(operator: Operator, userid: str, addresses: tuple[str, ...], password: str) -> None:
    """Add an account. You vouch for its addresses."""
    try:
        userid = read_new_userid(userid)
        checked = tuple(parse_address(address) for address in addresses)
    except Unreadable as refusal:
        raise no_userid(userid, refusal) from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    account = Account(userid, hash_password(_checked(password)), checked, operator.home.now())
    home = operator.prepared_home()

    def make(_: Transaction) -> None:
        if home.account(userid) or has_played(userid, home):
            raise Refused(f"the userid {userid} belongs to somebody already")
        home.save(account)

    home.write(make)
    say(f"made {userid}")


@click.command()
@click.argument("userid", shell_complete=complete_userids)
@password_option
@pass_operator
def passwd(operator: Operator, userid: str, password: str) -> None:
    """Give an account a new password.

    Codes that were mailed for it stop working.
    """
    stored = hash_password(_checked(password))
    userid = read_account(operator, userid.lower()).userid

    def change(transaction: Transaction) -> None:
        account = read_account(operator, userid)
        forget_verifications_of(transaction, userid, account.message_key)
        write_account(transaction, replace(account, password=stored))

    operator.home.write(change)
    say(f"changed the password of {userid}")


@click.command()
@click.argument("userid")
@pass_operator
def disable(operator: Operator, userid: str) -> None:
    """Close an account until it is enabled again.

    No command with its password is taken, nobody can challenge the player, and the player gets no
    mail. Their boards go on until their time ends. Nothing is removed.
    """
    _set_disabled(operator, userid.lower(), operator.home.now())


@click.command()
@click.argument("userid")
@pass_operator
def enable(operator: Operator, userid: str) -> None:
    """Open a disabled account again."""
    _set_disabled(operator, userid.lower(), None)


def read_account(operator: Operator, userid: str) -> Account:
    """Return an account. Raises Refused if there is none or it cannot be read."""
    try:
        account = operator.home.account(read_userid(userid))
    except Unreadable:
        account = None
    if account is None:
        raise Refused(f"there is no player {userid}")
    return account


def no_userid(word: str, refusal: Unreadable) -> click.UsageError:
    """Return what to say about a word that a new account cannot have as its userid."""
    if isinstance(refusal.reason, ReservedUserid):
        return click.UsageError(f"the userid {word} is reserved for those who run servers")
    return click.UsageError(f"{word!r} cannot be a userid")


def _set_disabled(operator: Operator, userid: str, at: datetime | None) -> None:
    read_account(operator, userid)

    def change(_: Transaction) -> None:
        account = read_account(operator, userid)
        since = disabled_since(account)
        if bool(since) is bool(at):
            state = f"disabled since {format_time(since)}" if since else "not disabled"
            raise Refused(f"{userid} is {state}")
        operator.home.save(with_disabled(account, at))

    operator.home.write(change)
    say(f"{'disabled' if at else 'enabled'} {userid}")


def _checked(password: str) -> Secret:
    try:
        return read_new_password(password)
    except Unreadable:
        raise click.UsageError(
            f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters without spaces, "
            "quotes, commas, colons or #, and does not look like another part of a command"
        ) from None


def _summary(account: Account) -> dict[str, Any]:
    return {
        "userid": account.userid,
        "addresses": list(account.addresses),
        "joined": format_time(account.joined),
        "disabled": format_time(since) if (since := disabled_since(account)) else None,
    }

"""`pbm-oust players export` and `players import`: taking accounts from one home to another."""

from pathlib import Path

import click

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.accounts.document import check_believable
from pbm_oust.cli.imported import large_option, read_import
from pbm_oust.cli.operator import Operator, Refused, pass_operator
from pbm_oust.cli.terminal import say, say_json
from pbm_oust.doctor.finding import counted
from pbm_oust.store.accounts import (
    UseridsTaken,
    export_accounts,
    import_accounts,
    parse_accounts,
    those_with_accounts,
)
from pbm_oust.store.disk import Disk


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), default="-")
@pass_operator
def export(operator: Operator, file: str) -> None:
    """Write all accounts to FILE as lines of JSON.

    Without FILE they go to standard output. The hashes of the passwords are among them, so keep
    the file to yourself. `players import` takes it back without loss. Accounts that cannot be read
    are left out, and named.
    """
    lines, damage = operator.home.ask(export_accounts)
    for each in damage:
        say(f"Error: {each}", err=True)
    text = "".join(f"{line}\n" for line in lines)
    if file == "-":
        say_json(text)
        raise SystemExit(1 if damage else 0)
    try:
        Disk().create(Path(file), text.encode(), mode=0o600)
    except FileExistsError:
        raise Refused(f"{click.format_filename(file)} exists already") from None
    except OSError as error:
        raise Refused(f"{click.format_filename(file)}: {error.strerror}") from None
    say(f"exported {counted(len(lines), 'account')}")
    raise SystemExit(1 if damage else 0)


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), default="-")
@click.option("--dry-run", is_flag=True, help="Check everything and write nothing.")
@large_option
@pass_operator
def import_(operator: Operator, file: str, dry_run: bool, large: bool) -> None:
    """Add the accounts of an export in FILE.

    Without FILE they come from standard input. If one of them cannot be read, or somebody has its
    userid here, none is added. Nobody is mailed.
    """
    name = "standard input" if file == "-" else click.format_filename(file)
    try:
        lines = read_import(file, large=large).decode().split("\n")
        now, own = operator.home.now(), operator.configuration.address or ""
        accounts = parse_accounts(lines, lambda account: check_believable(account, now, own))
    except BadAccount as error:
        raise Refused(f"{name}: {error}") from None
    except UnicodeDecodeError:
        raise Refused(f"{name}: this is no text in UTF-8") from None
    if not dry_run:
        operator.prepared_home()
    try:
        _add(operator, accounts, dry_run=dry_run)
    except UseridsTaken as error:
        raise Refused(f"{name}: {error}") from None
    say(f"{'would import' if dry_run else 'imported'} {counted(len(accounts), 'account')}")


def _add(operator: Operator, accounts: list[Account], *, dry_run: bool) -> None:
    """Write accounts, all or none. Raises UseridsTaken."""
    userids = [each.userid for each in accounts]
    if not dry_run:
        operator.home.do(import_accounts, accounts)
    elif taken := operator.home.ask(those_with_accounts, userids):
        raise UseridsTaken(taken)

"""`pbm-oust players`, `broadcast`, `standings` and `ratings`: the players and what they achieve.

Ratings are shown as they are kept, or computed from the histories.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.accounts.address import parse_address
from pbm_oust.accounts.document import account_lines, check_believable, kept_objects
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.board import Summary
from pbm_oust.board.notation import format_time
from pbm_oust.board.ratings import RatedGame, Table, rate
from pbm_oust.cli import common
from pbm_oust.cli.terminal import Columns, Output, say, say_json
from pbm_oust.commands.talk import announce
from pbm_oust.doctor import counted, first_of
from pbm_oust.grammar import values
from pbm_oust.grammar.vocabulary import SHORTEST_PASSWORD, split_words
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.lists import standing_rows
from pbm_oust.letters.translator import Translator
from pbm_oust.play.context import Context
from pbm_oust.play.renaming import CannotMove, Moved, merge_players, rename_player
from pbm_oust.refusal import NotAllowed, Unreadable
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import accounts as stored
from pbm_oust.store import ratings as kept_ratings
from pbm_oust.store.boards import DamagedHistory, NoSuchBoard
from pbm_oust.store.database import Snapshot, Transaction
from pbm_oust.store.disk import Disk
from pbm_oust.store.faults import AccountDamaged, DatabaseFault
from pbm_oust.store.open_boards import is_taken
from pbm_oust.store.verifications import bounces_of_each, forget_verifications_of


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


@common.command("list", has_json=True)
def list_(operator: common.Operator, output: Output) -> None:
    """List accounts."""
    accounts, damaged = list[Account](), False
    with operator.home.database.read() as snapshot:
        for userid in stored.all_userids(snapshot):
            try:
                accounts.append(read_account(snapshot, userid))
            except (common.Refused, AccountDamaged) as error:
                say(f"Error: {error}", err=True)
                damaged = True
    columns: Columns[Account] = {
        "USERID": "userid",
        "JOINED": "joined",
        "STATE": lambda account: "disabled" if account.disabled_since else "enabled",
        "ADDRESSES": lambda account: ", ".join(account.addresses),
    }
    output.items(accounts, _summary, columns)
    if damaged:
        raise SystemExit(1)


@common.command(has_json=True)
@click.argument("userid", type=common.USERID, shell_complete=common.complete_userids)
def show(operator: common.Operator, userid: str, output: Output) -> None:
    """Show an account with everything that it keeps."""
    with operator.home.database.read() as snapshot:
        account = read_account(snapshot, userid)
        came_back = bounces_of_each(snapshot, account.addresses)
    output.json({**_summary(account), "kept": kept_objects(account)})
    for line in account_lines(account):
        output.say(line)
    for address, returned in came_back.items():
        if returned.bounces:
            closed = "; it gets no more mail" if returned.is_suspended else ""
            output.say(f"Came back from {address}: {returned.reasons}{closed}")


@common.command()
@click.argument("userid", type=common.USERID)
@click.argument("addresses", nargs=-1, required=True, metavar="ADDRESS..")
@password_option
def add(operator: common.Operator, userid: str, addresses: tuple[str, ...], password: str) -> None:
    """Add an account. You vouch for its addresses."""
    userid = _new_userid(userid)
    try:
        checked = tuple(parse_address(address) for address in addresses)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    account = Account(userid, hash_password(_checked(password)), checked, operator.home.now())
    home = operator.prepared_home()

    def make(transaction: Transaction) -> None:
        if is_taken(transaction, userid):
            raise common.Refused(f"the userid {userid} belongs to somebody already")
        stored.write_account(transaction, account)

    home.do(make)
    say(f"made {userid}")


@common.command()
@click.argument("userid", type=common.USERID, shell_complete=common.complete_userids)
@password_option
def passwd(operator: common.Operator, userid: str, password: str) -> None:
    """Give an account a new password.

    Codes that were mailed for it stop working.
    """
    hashed = hash_password(_checked(password))
    userid = operator.home.ask(read_account, userid).userid

    def change(transaction: Transaction) -> None:
        account = read_account(transaction, userid)
        forget_verifications_of(transaction, userid, account.message_key)
        stored.write_account(transaction, account.with_password(hashed))

    operator.home.do(change)
    say(f"changed the password of {userid}")


@common.command()
@click.argument("userid", type=common.USERID)
def disable(operator: common.Operator, userid: str) -> None:
    """Close an account until it is enabled again.

    No command with its password is taken, nobody can challenge the player, and the player gets no
    mail. Their boards go on until their time ends. Nothing is removed.
    """
    _set_disabled(operator, userid, operator.home.now())


@common.command()
@click.argument("userid", type=common.USERID)
def enable(operator: common.Operator, userid: str) -> None:
    """Open a disabled account again."""
    _set_disabled(operator, userid, None)


def read_account(snapshot: Snapshot, userid: str) -> Account:
    """Return an account. Raises Refused if there is none, and AccountDamaged."""
    try:
        account = stored.whole_account(snapshot, values.read_userid(userid))
    except Unreadable:
        account = None
    if account is None:
        raise common.Refused(f"there is no player {userid}")
    return account


def _new_userid(word: str) -> str:
    """Return the userid that a word is. Raises UsageError if a new account cannot have it."""
    try:
        return values.read_new_userid(word)
    except Unreadable as refusal:
        if isinstance(refusal.reason, values.ReservedUserid):
            text = f"the userid {word} is reserved for those who run servers"
        else:
            text = f"{word!r} cannot be a userid"
        raise click.UsageError(text) from None


def _set_disabled(operator: common.Operator, userid: str, at: datetime | None) -> None:
    operator.home.ask(read_account, userid)

    def change(transaction: Transaction) -> None:
        account = read_account(transaction, userid)
        since = account.disabled_since
        if bool(since) is bool(at):
            state = f"disabled since {format_time(since)}" if since else "not disabled"
            raise common.Refused(f"{userid} is {state}")
        stored.write_account(transaction, account.with_disabled(at))

    operator.home.do(change)
    say(f"{'disabled' if at else 'enabled'} {userid}")


def _checked(password: str) -> Secret:
    try:
        (word,) = split_words(password) or ("",)  # as mail has it
        return values.read_new_password(word)
    except (Unreadable, ValueError):
        raise click.UsageError(
            f"a password has {SHORTEST_PASSWORD} to {values.LONGEST_PASSWORD} characters without "
            "spaces, quotes, commas, colons or #, and does not look like another part of a command"
        ) from None


def _summary(account: Account) -> dict[str, Any]:
    return {
        "userid": account.userid,
        "addresses": list(account.addresses),
        "joined": format_time(account.joined),
        "disabled": format_time(since) if (since := account.disabled_since) else None,
    }


@common.command()
@click.argument("old", type=common.USERID, metavar="OLD")
@click.argument("new")
def rename(operator: common.Operator, old: str, new: str) -> None:
    """Give a player another userid, in all histories too.

    The player and everybody they play with are told by mail. All of it happens, or nothing.
    """
    _move(operator, rename_player, old, _new_userid(new), "renamed")


@common.command()
@click.argument("userid", type=common.USERID)
@click.argument("into", type=common.USERID, metavar="INTO")
def merge(operator: common.Operator, userid: str, into: str) -> None:
    """Join a player's account with another one of theirs, INTO.

    INTO stays, and gets the boards, addresses and notes. The player and everybody they play with
    are told by mail. All of it happens, or nothing.
    """
    _move(operator, merge_players, userid, into, "merged")


def _move(
    operator: common.Operator,
    move: Callable[[Context, str, str], Moved],
    old: str,
    new: str,
    done: str,
) -> None:
    with operator.home.database.read() as snapshot:
        for userid in (old, new):
            account = stored.whole_account(snapshot, userid)
            if account and account.is_house:
                raise common.Refused(f"{userid} is a program of this server, and stays what it is")
        read_account(snapshot, old)
    try:
        made = operator.unit_of_work().carry_out(lambda on: move(on, old, new))
    except NotAllowed as refusal:
        if isinstance(refusal.reason, NoSuchBoard):
            board = f"{refusal.reason.kind.name} {refusal.reason.board}"
            raise common.Refused(f"{board} has been removed") from None
        raise common.Refused(f"there is no player {new}") from None
    except CannotMove as error:
        raise common.Refused(str(error)) from None
    except DamagedHistory as error:
        raise common.Refused(f"{error}; mend this board first, then say it again") from None
    say(f"{done} {old}: {new} on {counted(made.count, 'board')}")


@common.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), default="-")
def export(operator: common.Operator, file: str) -> None:
    """Write all accounts to FILE as lines of JSON.

    Without FILE they go to standard output. The hashes of the passwords are among them, so keep
    the file to yourself. `players import` takes it back without loss. Accounts that cannot be read
    are left out, and named.
    """
    lines, damage = operator.home.ask(stored.export_accounts)
    for each in damage:
        say(f"Error: {each}", err=True)
    text = "".join(f"{line}\n" for line in lines)
    if file == "-":
        say_json(text)
        raise SystemExit(1 if damage else 0)
    try:
        Disk().create(Path(file), text.encode(), mode=0o600)
    except FileExistsError:
        raise common.Refused(f"{click.format_filename(file)} exists already") from None
    except OSError as error:
        raise common.Refused(f"{click.format_filename(file)}: {error.strerror}") from None
    say(f"exported {counted(len(lines), 'account')}")
    raise SystemExit(1 if damage else 0)


@common.command("import")
@common.import_argument
@click.option("--dry-run", is_flag=True, help="Check everything and write nothing.")
@common.large_option
def import_(operator: common.Operator, file: str, dry_run: bool, large: bool) -> None:
    """Add the accounts of an export in FILE.

    Without FILE they come from standard input. If one of them cannot be read, or somebody has its
    userid here, none is added. Nobody is mailed.
    """
    name, data = common.read_import(file, large=large)
    now, own = operator.home.now(), operator.configuration.address
    try:
        lines = data.decode().split("\n")
        accounts = stored.parse_accounts(lines, lambda account: check_believable(account, now, own))
        if dry_run:
            operator.home.ask(stored.check_free, accounts)
        else:
            operator.prepared_home().do(stored.import_accounts, accounts)
    except BadAccount as error:
        raise common.Refused(f"{name}: {error}") from None
    except UnicodeDecodeError:
        raise common.Refused(f"{name}: this is no text in UTF-8") from None
    say(f"{'would import' if dry_run else 'imported'} {counted(len(accounts), 'account')}")


@common.command()
@click.option("--text", help="What to write; read from standard input by default.")
@click.option(
    "--to",
    "userids",
    type=common.USERID,
    multiple=True,
    metavar="USERID",
    help="Write to this player only; may be repeated.",
)
def broadcast(operator: common.Operator, text: str | None, userids: tuple[str, ...]) -> None:
    """Write to all players, or to those named with --to.

    Players who have turned such mails off get none, unless they are named. Nobody reads answers to
    such a mail, so say in it where to write.
    """
    text = sys.stdin.read() if text is None else text
    if not text.strip():
        raise click.UsageError("there is nothing to write; give it by --text or standard input")
    to = list(userids) or None
    with operator.home.database.read() as snapshot:
        for userid in to or ():
            read_account(snapshot, userid)
    made = operator.unit_of_work().carry_out(lambda on: announce(on, text, to))
    say(f"written to {counted(made.count, 'player')}")


@common.command(has_json=True)
@click.argument("kind", type=common.KIND, required=False)
def standings(operator: common.Operator, kind: Kind | None, output: Output) -> None:
    """List players by rating.

    There is a list for each game and class of sizes.
    """
    tables = [table for each in _kinds(kind) for table in _standings(operator, each)]
    output.json(list(map(_table_fields, tables)))
    lines = list[str]()
    for table in tables:
        lines.append(f"{table.kind.title}, {table.size.value} boards")
        lines += [f"  {row}" for row in standing_rows(Translator(ENGLISH), table.ordered())]
    output.page("".join(f"{line}\n" for line in lines))


@common.command(has_json=True)
@click.argument("kind", type=common.KIND, required=False)
@click.option("--recompute", is_flag=True, help="Compute them from all games, and compare.")
def ratings(operator: common.Operator, kind: Kind | None, recompute: bool, output: Output) -> None:
    """Show how the ratings came about, game by game.

    They are printed to the last digit. With --recompute they are computed from all finished games.
    Exit status 1 if other ones were kept; these are counted anew.
    """
    if recompute:
        tables, wrong = _recomputed(operator, kind)
    else:
        tables, wrong = list[Table](), list[str]()
        for each in _kinds(kind):
            tables += rate(_rated_games(operator, each))
    output.json(
        [_table_fields(table) | {"games": list(map(_game_fields, table.games))} for table in tables]
    )
    for table in tables:
        output.say(f"{table.kind.title}, {table.size.value} boards")
        for rated in table.games:
            effects = "  ".join(
                f"{change.after.userid} {change.after.rating!r}" for change in (rated.x, rated.o)
            )
            output.say(f"  {rated.game.name}  {effects}")
    if wrong:
        raise common.Refused(
            "the ratings that were kept are not those of the finished games: "
            f"{first_of(wrong)}; they have been counted anew"
        )


def _recomputed(operator: common.Operator, kind: Kind | None) -> tuple[list[Table], list[str]]:
    """Return the ratings that all finished games give, and of whom others were kept."""
    database = operator.prepared_home().database
    kept_ratings.count_marked(database)
    tables, wrong = list[Table](), list[str]()
    for each in _kinds(kind):
        with database.read() as snapshot:
            tables += rate(kept_ratings.finished_games(snapshot, each))
            keys = kept_ratings.wrongly_rated(snapshot, each)
        if keys:
            wrong += [f"{userid} in {each.title} on {size.value} boards" for size, userid in keys]
            database.write(partial(kept_ratings.mark, kind=each))
            kept_ratings.count_marked(database)
    return tables, wrong


def _rated_games(operator: common.Operator, kind: Kind) -> Iterator[Summary]:
    """Yield the games that count; damaged boards are left out."""
    for board in operator.boards.entries(kind):
        if isinstance(board, Summary) and board.counts:
            yield board


def _kinds(kind: Kind | None) -> list[Kind]:
    return [kind] if kind else sorted(KINDS.values(), key=lambda each: each.name)


def _standings(operator: common.Operator, kind: Kind) -> list[Table]:
    """Return the standings that are kept, or where that is not all, those that the games give."""
    with suppress(DatabaseFault), operator.home.database.read() as snapshot:
        if snapshot.identity is not None and not kept_ratings.is_counting(snapshot, kind):
            return kept_ratings.standings_of(snapshot, kind)
    return rate(_rated_games(operator, kind))


def _table_fields(table: Table) -> dict[str, Any]:
    return {
        "kind": table.kind.name,
        "size": table.size.value,
        "standings": [standing.fields() for standing in table.ordered()],
    }


def _game_fields(rated: RatedGame) -> dict[str, Any]:
    after = {"x": rated.x.after, "o": rated.o.after}
    changes = {side: {"userid": each.userid, "rating": each.rating} for side, each in after.items()}
    return {"board": rated.game.board, **changes}

"""Boards and accounts: histories replay, files and rows agree, and accounts can be read."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from pbm_oust.accounts.account import HOUSE, Account
from pbm_oust.accounts.password import checked_hash
from pbm_oust.board import Game
from pbm_oust.board.notation import format_time
from pbm_oust.doctor import RESTORE, Examiner, Finding, counted, readable, within
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store.accounts import has_account
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.faults import AccountDamaged, DatabaseFault, command_line
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, entry_of, find_entry
from pbm_oust.store.open_boards import Salvage
from pbm_oust.store.publishing import FileState
from pbm_oust.store.verifications import all_bounces

TOLERANCE = timedelta(hours=1)
"""How far ahead of the clock a record may be dated."""

_on_histories = Examiner("histories")


@readable(_on_histories)
def check_boards(home: Home, now: datetime) -> Iterator[Finding]:
    """Yield findings about all boards; every one of them is replayed."""
    found: Counter[str] = Counter()
    boards = Salvage(home)
    for kind in KINDS.values():
        if not (home.is_on_server or (home.path / kind.name).is_dir()):
            yield _on_histories.note(
                f"there is no folder {kind.name} yet; the server makes it when it starts"
            )
            continue
        names = boards.names(kind.name)
        yield from _strange_files(home, kind, names)
        for name in names:
            findings = list(_check_board(home, boards, kind, name, now))
            yield from findings
            found["damaged" if findings else "whole"] += 1
    if not found["damaged"]:
        yield _on_histories.ok(f"{counted(found['whole'], 'board')} replayed without a fault")


def _check_board(
    home: Home, boards: Salvage, kind: Kind, name: BoardName, now: datetime
) -> Iterator[Finding]:
    file = within(home.path, home.history_path(name))
    try:
        game = boards.game(kind, name.board)
    except NotAllowed:
        return
    except DamagedHistory as damage:
        line = f"line {damage.line}: " if damage.line else ""
        yield _on_histories.bad(
            f"{file}: {line}{damage.reason}",
            "Mend the file; until then nothing is written to the board. Then do",
            command_line(home.path, "games", "accept", name.kind, str(name.board)),
        )
        return
    with suppress(DatabaseFault):
        yield from _check_row(home, name, game)
        yield from _check_file(home, name)
    with suppress(DatabaseFault):
        yield from _check_owners(home, game)
    if game.latest > now + TOLERANCE:
        yield _on_histories.bad(
            f"{file}: its latest time, {format_time(game.latest)}, lies in the future",
            "Set the clock of this host",
        )


def _check_row(home: Home, name: BoardName, game: Game) -> Iterator[Finding]:
    if home.database.is_made and home.ask(find_entry, name) != entry_of(game):
        yield _on_histories.bad(
            f"the database says something else about {name} than its history",
            "Do",
            command_line(home.path, "home", "rebuild"),
        )


def _check_file(home: Home, name: BoardName) -> Iterator[Finding]:
    """Yield in what the file of a board differs from the database, and what was set aside."""
    if home.is_on_server or not home.database.is_made:
        return
    accept = command_line(home.path, "games", "accept", name.kind, str(name.board))
    for path in home.publisher.edited(name):
        yield _on_histories.bad(
            f"{within(home.path, path)} was changed by somebody, and set aside; "
            f"{name} goes on without that",
            "Remove it, or let it be the history of the board",
            accept,
        )
    file = within(home.path, home.history_path(name))
    try:
        state = home.ask(home.publisher.compare, name)
    except DatabaseFault:
        raise
    except OSError as error:
        yield _on_histories.bad(
            f"{file} cannot be read: {error.strerror}", "Look at its permissions"
        )
        return
    if state is FileState.MISSING:
        yield _on_histories.note(f"{file} is missing; the server writes it again")
    elif state is FileState.BEHIND:
        yield _on_histories.note(f"{file} is behind the database; the server mends it")
    elif state is FileState.CHANGED:
        yield _on_histories.bad(
            f"{file} says something else than the board; the server is going to set it aside",
            "Let it be the history of the board, if that is meant",
            accept,
        )


def _check_owners(home: Home, game: Game) -> Iterator[Finding]:
    if game.result:
        return
    for owner in (game.x, game.o):
        if not (owner in HOUSE or home.ask(has_account, owner)):
            yield _on_histories.bad(
                f"{game.name} is not over, and its player {owner} has no account",
                "Put the database back from a backup, or award the game",
            )


def _strange_files(home: Home, kind: Kind, names: Iterable[BoardName]) -> Iterator[Finding]:
    histories = set(map(home.history_path, names))
    histories |= {path for name in names for path in home.publisher.edited(name)}
    folder = home.path / kind.name
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path in histories or path.name.startswith("."):
            continue
        if path.name == f"{path.stem}.txt" and path.stem.isdecimal():
            yield _on_histories.bad(
                f"{within(home.path, path)} is no board of the database",
                "Move it out of the home, or let it be a board",
                command_line(home.path, "games", "accept", kind.name, path.stem),
            )
        else:
            yield _on_histories.bad(
                f"{within(home.path, path)} is no history by its name",
                "A history is NUMBER.txt; move what is none out of the home",
            )


_on_accounts = Examiner("accounts")
_on_bounces = Examiner("bounces")


@readable(_on_accounts)
def check_accounts(home: Home) -> Iterator[Finding]:
    """Yield findings about accounts, and about addresses from which letters bounced."""
    userids = home.userids()
    told = f"{counted(len(userids), 'account')} can be read"
    yield from _on_accounts.all_or(told, _accounts(home, userids))
    yield from _bounces(home)


def _accounts(home: Home, userids: Iterable[str]) -> Iterator[Finding]:
    for userid in userids:
        try:
            account = home.account(userid)
        except AccountDamaged as damage:
            yield _on_accounts.bad(str(damage), RESTORE)
            continue
        if account:
            yield from _account(home, account)


def _account(home: Home, account: Account) -> Iterator[Finding]:
    userid = account.userid
    try:
        checked_hash(account.password)
    except ValueError:
        yield _on_accounts.bad(
            f"the hash of the password of {userid} cannot be read",
            "Give it a new one",
            command_line(home.path, "players", "passwd", userid),
        )
    if since := account.disabled_since:
        yield _on_accounts.note(f"{userid} is disabled since {format_time(since)}")
    for each in account.all_settings.unknown:
        chosen = f"{each.name} {each.value}"
        yield _on_accounts.note(
            f"{userid} has settled {chosen}, which is not known here; the usual counts"
        )
    if not account.addresses:
        yield _on_accounts.bad(
            f"{userid} has no address, so that no mail arrives",
            "Merge it into another account",
            command_line(home.path, "players", "merge", userid, "USERID"),
        )


@readable(_on_bounces)
def _bounces(home: Home) -> Iterator[Finding]:
    returned = home.ask(all_bounces)
    if not returned:
        yield _on_bounces.ok("no letters came back of late")
    for each in returned:
        letters = counted(len(each.bounces), "letter")
        since = format_time(each.bounces[0].at) if each.bounces else "then"
        stopped = "; it gets no more until its owner writes" if each.is_suspended else ""
        yield _on_bounces.note(
            f"{letters} to {each.address} came back since {since}: {each.reasons}{stopped}"
        )

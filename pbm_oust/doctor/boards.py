"""Boards and accounts: histories replay, files and rows agree, and accounts can be read."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta

from msgspec import structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import checked_hash
from pbm_oust.board import Game
from pbm_oust.board.notation import format_time
from pbm_oust.doctor import RESTORE, Examiner, Finding, counted, examined
from pbm_oust.refusal import NotAllowed
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS
from pbm_oust.store.accounts import has_account
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.faults import AccountDamaged, DatabaseFault
from pbm_oust.store.index import BoardName, entry_of, find_entry
from pbm_oust.store.open_boards import Salvage
from pbm_oust.store.publishing import FileState
from pbm_oust.store.verifications import all_bounces

TOLERANCE = timedelta(hours=1)
"""How far ahead of the clock a record may be dated."""


def check_boards(on: Examiner) -> Iterator[Finding]:
    """Yield findings about all boards; every one of them is replayed."""
    home, boards, whole, is_damaged = on.home, Salvage(on.home), 0, False
    for kind in KINDS:
        if not (home.is_on_server or (home.path / kind).is_dir()):
            yield on.note(f"there is no folder {kind} yet; the server makes it when it starts")
            continue
        names = boards.names(kind)
        yield from _strange_files(on, kind, names)
        for name in names:
            findings = list(_check_board(on, boards, name))
            yield from findings
            whole += not findings
            is_damaged = is_damaged or bool(findings)
    if not is_damaged:
        yield on.ok(f"{counted(whole, 'board')} replayed without a fault")


def _check_board(on: Examiner, boards: Salvage, name: BoardName) -> Iterator[Finding]:
    file = on.name_of(on.home.history_path(name))
    try:
        game = boards.game(KINDS[name.kind], name.board)
    except NotAllowed:
        return
    except DamagedHistory as damage:
        line = f"line {damage.line}: " if damage.line else ""
        mend = "Mend the file; until then nothing is written to the board. Then do"
        yield on.bad(f"{file}: {line}{damage.reason}", mend, *_accepting(name))
        return
    with suppress(DatabaseFault):
        yield from _check_row(on, name, game)
        yield from _check_file(on, name, file)
    with suppress(DatabaseFault):
        yield from _check_owners(on, game)
    if game.latest > on.now + TOLERANCE:
        latest = format_time(game.latest)
        yield on.bad(
            f"{file}: its latest time, {latest}, lies in the future", "Set the clock of this host"
        )


def _accepting(name: BoardName) -> tuple[str, ...]:
    """Return the command that makes a file the history of a board."""
    return "games", "accept", name.kind, str(name.board)


def _check_row(on: Examiner, name: BoardName, game: Game) -> Iterator[Finding]:
    if on.home.database.is_made and on.home.ask(find_entry, name) != entry_of(game):
        what = f"the database says something else about {name} than its history"
        yield on.bad(what, "Do", "home", "rebuild")


def _check_file(on: Examiner, name: BoardName, file: str) -> Iterator[Finding]:
    """Yield in what the file of a board differs from the database, and what was set aside."""
    home = on.home
    if home.is_on_server or not home.database.is_made:
        return
    for path in home.publisher.edited(name):
        yield on.bad(
            f"{on.name_of(path)} was changed by somebody, and set aside; {name} goes on without "
            "that",
            "Remove it, or let it be the history of the board",
            *_accepting(name),
        )
    try:
        state = home.ask(home.publisher.compare, name)
    except DatabaseFault:
        raise
    except OSError as error:
        yield on.bad(f"{file} cannot be read: {error.strerror}", "Look at its permissions")
        return
    if state is FileState.MISSING:
        yield on.note(f"{file} is missing; the server writes it again")
    elif state is FileState.BEHIND:
        yield on.note(f"{file} is behind the database; the server mends it")
    elif state is FileState.CHANGED:
        yield on.bad(
            f"{file} says something else than the board; the server is going to set it aside",
            "Let it be the history of the board, if that is meant",
            *_accepting(name),
        )


def _check_owners(on: Examiner, game: Game) -> Iterator[Finding]:
    for owner in () if game.result else (game.x, game.o):
        if not (owner in HOUSE or on.home.ask(has_account, owner)):
            yield on.bad(
                f"{game.name} is not over, and its player {owner} has no account",
                "Put the database back from a backup, or award the game",
            )


def _strange_files(on: Examiner, kind: str, names: Iterable[BoardName]) -> Iterator[Finding]:
    home = on.home
    histories = set(map(home.history_path, names))
    histories |= {path for name in names for path in home.publisher.edited(name)}
    folder = home.path / kind
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path in histories or path.name.startswith("."):
            continue
        if path.name == f"{path.stem}.txt" and path.stem.isdecimal():
            yield on.bad(
                f"{on.name_of(path)} is no board of the database",
                "Move it out of the home, or let it be a board",
                *("games", "accept", kind, path.stem),
            )
        else:
            yield on.bad(
                f"{on.name_of(path)} is no history by its name",
                "A history is NUMBER.txt; move what is none out of the home",
            )


def check_accounts(on: Examiner) -> Iterator[Finding]:
    """Yield findings about accounts, and about addresses from which letters bounced."""
    userids = on.home.userids()
    told = f"{counted(len(userids), 'account')} can be read"
    yield from on.all_or(told, _accounts(on, userids))
    yield from examined(structs.replace(on, about="bounces"), _bounces)


def _accounts(on: Examiner, userids: Iterable[str]) -> Iterator[Finding]:
    for userid in userids:
        try:
            account = on.home.account(userid)
        except AccountDamaged as damage:
            yield on.bad(str(damage), RESTORE)
            continue
        if account:
            yield from _account(on, account)


def _account(on: Examiner, account: Account) -> Iterator[Finding]:
    userid = account.userid
    try:
        checked_hash(account.password)
    except ValueError:
        what = f"the hash of the password of {userid} cannot be read"
        yield on.bad(what, "Give it a new one", "players", "passwd", userid)
    if since := account.disabled_since:
        yield on.note(f"{userid} is disabled since {format_time(since)}")
    for each in account.all_settings.unknown:
        chosen = f"{each.name} {each.value}"
        yield on.note(f"{userid} has settled {chosen}, which is not known here; the usual counts")
    if not account.addresses:
        what = f"{userid} has no address, so that no mail arrives"
        yield on.bad(what, "Merge it into another account", "players", "merge", userid, "USERID")


def _bounces(on: Examiner) -> Iterator[Finding]:
    returned = on.home.ask(all_bounces)
    if not returned:
        yield on.ok("no letters came back of late")
    for each in returned:
        letters = counted(len(each.bounces), "letter")
        since = format_time(each.bounces[0].at) if each.bounces else "then"
        stopped = "; it gets no more until its owner writes" if each.is_suspended else ""
        yield on.note(
            f"{letters} to {each.address} came back since {since}: {each.reasons}{stopped}"
        )

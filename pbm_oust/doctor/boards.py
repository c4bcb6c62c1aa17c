"""Boards, accounts and tournaments: histories replay, files and rows agree, all can be read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from msgspec import structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import checked_hash
from pbm_oust.board import Game
from pbm_oust.board.notation import format_time
from pbm_oust.doctor import RESTORE, Examiner, Finding, counted, examined, first_of
from pbm_oust.refusal import NotAllowed
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS
from pbm_oust.store import ladders, tournaments
from pbm_oust.store.accounts import all_userids, has_account, whole_account
from pbm_oust.store.analyses import damaged as damaged_analyses
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.database import Snapshot
from pbm_oust.store.faults import AccountDamaged, DatabaseFault
from pbm_oust.store.index import BoardName, entry_of, find_entry, worth_a_look
from pbm_oust.store.open_boards import GameReader
from pbm_oust.store.publishing import FileState
from pbm_oust.store.verifications import all_bounces, damaged_requests, damaged_sheets
from pbm_oust.tournaments.cup import State

TOLERANCE = timedelta(hours=1)
"""The tolerance for records dated ahead of the clock."""


SAMPLE = 100
"""The size of two samples in a usual look: boards that changed last, and others.

If a game has no more than three times as many boards, all are replayed.
"""


def check_boards(on: Examiner) -> Iterator[Finding]:
    """Yield findings about boards, each after a replay; a usual look takes a sample."""
    home, boards, is_damaged = on.home, GameReader(on.home), False
    ahead = list[str]()
    whole = number = 0
    for kind in KINDS:
        if not (home.is_on_server or (home.path / kind).is_dir()):
            yield on.note(f"there is no folder {kind} yet; the server makes it when it starts")
            continue
        names = boards.names(kind)
        aside = home.publisher.set_aside(kind)
        yield from _strange_files(on, kind, names, aside)
        number += len(names)
        for name in _looked_at(on, names, aside):
            findings = list(_check_board(on, boards, name, aside.get(name.board, ()), ahead))
            yield from findings
            whole += not findings
            is_damaged = is_damaged or bool(findings)
    if ahead:
        yield on.note(
            f"{counted(len(ahead), 'board')} with times in the future: {first_of(ahead)}; a clock "
            "was ahead then, and the time of the next turn counts from now; or this one is behind, "
            "and has to be set"
        )
    if not is_damaged:
        of = "" if whole == number else f" of {number}"
        rest = ": what changed last, and some of the rest; --all replays each" if of else ""
        yield on.ok(
            f"{whole}{of} {'board' if number == 1 else 'boards'} replayed without a fault{rest}"
        )


def _looked_at(
    on: Examiner, names: Sequence[BoardName], aside: Mapping[int, Sequence[Path]]
) -> Sequence[BoardName]:
    """Return the boards of a game to replay, in order.

    The sample changes each day, so that in time all are replayed.
    """
    if on.is_whole or len(names) <= 3 * SAMPLE:
        return names
    step = len(names) // SAMPLE
    chosen = {*names[on.now.toordinal() % step :: step], *names[-SAMPLE:]}
    chosen.update([name for name in names if name.board in aside][:SAMPLE])
    with suppress(DatabaseFault):
        ahead, kind = on.now + TOLERANCE, names[0].kind
        chosen |= on.home.ask(worth_a_look, kind, SAMPLE, ahead, sorted(HOUSE))
    return sorted(chosen.intersection(names))


def _check_board(
    on: Examiner, boards: GameReader, name: BoardName, aside: Sequence[Path], ahead: list[str]
) -> Iterator[Finding]:
    """Yield faults of a board, and add it to those whose latest time lies in the future."""
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
    findings = list[Finding]()
    with suppress(DatabaseFault), on.home.database.read() as snapshot:
        findings += _check_row(on, snapshot, name, game)
        findings += _check_file(on, snapshot, name, file, aside)
        findings += _check_owners(on, snapshot, game)
    yield from findings
    if game.latest > on.now + TOLERANCE:
        ahead.append(f"{file} until {format_time(game.latest)}")


def _accepting(name: BoardName) -> tuple[str, ...]:
    """Return the command that makes a file the history of a board."""
    return "games", "accept", name.kind, str(name.board)


def _check_row(on: Examiner, snapshot: Snapshot, name: BoardName, game: Game) -> Iterator[Finding]:
    if on.home.database.is_made and find_entry(snapshot, name) != entry_of(game):
        what = f"the database says something else about {name} than its history"
        yield on.bad(what, "Do", "home", "rebuild")


def _check_file(
    on: Examiner, snapshot: Snapshot, name: BoardName, file: str, aside: Sequence[Path]
) -> Iterator[Finding]:
    """Yield differences between a board's file and the database, and files set aside."""
    home = on.home
    if home.is_on_server or not home.database.is_made:
        return
    for path in aside:
        yield on.bad(
            f"{on.name_of(path)} was changed by somebody, and set aside; {name} goes on without "
            "that",
            "Remove it, or let it be the history of the board",
            *_accepting(name),
        )
    try:
        state = home.publisher.compare(snapshot, name)
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


def _check_owners(on: Examiner, snapshot: Snapshot, game: Game) -> Iterator[Finding]:
    for owner in () if game.result else (game.x, game.o):
        if not (owner in HOUSE or has_account(snapshot, owner)):
            yield on.bad(
                f"{game.name} is not over, and its player {owner} has no account",
                "Put the database back from a backup, or award the game",
            )


def _strange_files(
    on: Examiner, kind: str, names: Iterable[BoardName], aside: Mapping[int, Sequence[Path]]
) -> Iterator[Finding]:
    home, folder = on.home, on.home.path / kind
    histories = set(map(home.history_path, names))
    histories |= {path for name in names for path in aside.get(name.board, ())}
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
    """Yield findings about accounts and other documents of the database."""
    with on.home.database.read() as snapshot:
        userids = all_userids(snapshot)
        findings = list(_accounts(on, snapshot, userids))
    yield from on.all_or(f"{counted(len(userids), 'account')} can be read", findings)
    for about, check in (("bounces", _bounces), ("tournaments", _tournaments), ("texts", _texts)):
        yield from examined(structs.replace(on, about=about), check)


def _accounts(on: Examiner, snapshot: Snapshot, userids: Iterable[str]) -> Iterator[Finding]:
    for userid in userids:
        try:
            account = whole_account(snapshot, userid)
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


def _tournaments(on: Examiner) -> Iterator[Finding]:
    """Yield unreadable tournaments and ladders."""
    with on.home.database.read() as snapshot:
        damage = tournaments.damage(snapshot)
        number = sum(tournaments.count_cups(snapshot, kind, State) for kind in KINDS)
        of_ladders = list(_ladders(on, snapshot))
    findings = [on.bad(f"{each}; nothing begins there", RESTORE) for each in damage] + of_ladders
    yield from on.all_or(f"{counted(number, 'tournament')} can be read", findings)


def _ladders(on: Examiner, snapshot: Snapshot) -> Iterator[Finding]:
    for kind in KINDS.values():
        try:
            ladders.terms_of(snapshot, kind)
        except NotAllowed as refusal:
            what = f"{refusal.reason}; nobody can challenge anybody there"
            mend = "Set its boards anew, with -size and the like behind it"
            yield on.bad(what, mend, "tournaments", "ladder", kind.name)


def _texts(on: Examiner) -> Iterator[Finding]:
    """Yield unreadable analyses, sheets and requests; all else goes on without them."""
    findings = on.home.ask(lambda snapshot: list(_damaged_texts(on, snapshot)))
    yield from on.all_or("analyses, sheets and requests can be read", findings)


def _damaged_texts(on: Examiner, snapshot: Snapshot) -> Iterator[Finding]:
    for name in damaged_analyses(snapshot):
        what = f"the analysis of {name} cannot be read, and is not shown"
        yield on.bad(what, "Make it anew", "games", "analyse", name.kind, str(name.board))
    for userid in damaged_sheets(snapshot):
        what = f"what a letter to {userid} asked about several boards cannot be read"
        yield on.bad(what, f"{RESTORE}, or let {userid} answer a later letter")
    for userid in damaged_requests(snapshot):
        what = f"what waits for a code that was mailed for {userid} cannot be read"
        yield on.bad(what, f"{RESTORE}, or let {userid} ask for it again")

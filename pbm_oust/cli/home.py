"""`pbm-oust backup`, `restore`, `doctor`, `home`, and `games verify` and `accept`: the home.

These commands copy a home while it is used, make it from a copy, copy it into another one, and
bring it to the tables of this version. They compare histories with their files, and take them in.
"""

import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import click

from pbm_oust.board import Game
from pbm_oust.cli import common
from pbm_oust.cli.games import state_of
from pbm_oust.cli.logs import log, start_log
from pbm_oust.cli.terminal import Output, progress_bar, say
from pbm_oust.doctor import Check, Severity, counted, verdict
from pbm_oust.doctor.home import examine
from pbm_oust.refusal import Refusal
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import backup as backups
from pbm_oust.store import rebuilding, upgrading
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.configuration import Endpoint, parse_store
from pbm_oust.store.database import LATEST, Snapshot
from pbm_oust.store.disk import locked_folder
from pbm_oust.store.faults import DatabaseFault, command_line
from pbm_oust.store.home import Home, open_server
from pbm_oust.store.index import BoardName, entry_of, find_entry
from pbm_oust.store.message_keys import Occasion, note_occasion
from pbm_oust.store.open_boards import GameReader
from pbm_oust.store.publishing import FileState
from pbm_oust.store.ratings import count_marked
from pbm_oust.store.rebuilding import on_all_cores
from pbm_oust.store.upkeep import described, find_trouble

LOOK_SECONDS = 1.0
"""How often `home copy --follow` looks for what has changed."""
AGAIN_SECONDS = 5.0
"""How long after a fault the next try comes."""

_EXISTING = click.Path(path_type=Path, file_okay=False, exists=True)
_folder = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


@common.command()
@_folder
@click.option("--days", type=click.IntRange(min=1), help="Keep backups of N days in DIR.")
@click.option("--weeks", type=click.IntRange(min=1), help="Keep backups of N weeks in DIR.")
def backup(operator: common.Operator, folder: Path, days: int | None, weeks: int | None) -> None:
    """Copy the home into DIR, which is empty or not there yet.

    A server may run meanwhile: the copy holds what the home held at one moment. It is private: the
    hashes of passwords and the key are in it.

    With --days or --weeks, copy the home into a new folder in DIR that is named by the time. Then
    remove older backups there, but for the newest of each of the latest N days and N weeks.
    """
    home = operator.home_as_it_is  # a mistake in the configuration shall cost no backup
    among = folder if days is not None or weeks is not None else None
    if among:
        with _refusing(among):
            home.disk.make_folder(among, 0o700)
        folder = backups.dated(among, home.now())
    with progress_bar("copying histories") as progress, _refusing(folder):
        copied = backups.back_up(home, folder, progress)
    with suppress(OSError):  # the backup is there all the same
        home.do(note_occasion, Occasion.BACKUP, home.now())
    say(f"{folder} holds {_told(copied)}")
    if among:
        with _refusing(among):
            removed = backups.remove_old(among, days or 0, weeks or 0)
        say(f"removed from {among}: {counted(len(removed), 'backup')}")


@common.command()
@_folder
def restore(operator: common.Operator, folder: Path) -> None:
    """Make the home from a backup in DIR.

    The home is empty or not there yet. Letters that waited when the backup was made are held back,
    since some of them may have left: `outbox list` shows them, and `outbox resume` lets them go.
    """
    with progress_bar("reading histories") as progress, _refusing(operator.path):
        copied = backups.restore(folder, operator.path, progress)
    say(f"{operator.path} holds {_told(copied)}")
    if copied.letters:
        resume = command_line(operator.path, "outbox", "resume")
        say(f"letters that waited are held back; to send them:  {resume}")


@contextmanager
def _refusing(folder: Path) -> Iterator[None]:
    """Refuse what the body cannot write into a folder, with a sentence that names a file."""
    try:
        yield
    except backups.NotCopied as error:
        raise common.Refused(str(error)) from None
    except DatabaseFault:
        raise
    except OSError as error:
        raise common.Refused(
            str(error) if error.filename else f"{folder}: {error.strerror}"
        ) from None


def _told(copied: backups.Copied) -> str:
    boards, accounts = counted(copied.boards, "board"), counted(copied.accounts, "account")
    return f"{boards}, {accounts} and {counted(copied.letters, 'letter')}"


@click.command()
@click.argument("source", metavar="FROM", type=_EXISTING)
@click.argument("target", metavar="[TO]", type=_EXISTING, required=False)
@click.option(
    "--follow",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the histories of FROM as files in DIR, up to date until told to stop.",
)
@click.option("--once", is_flag=True, help="With --follow: end as soon as all is up to date.")
def copy(source: Path, target: Path | None, folder: Path | None, *, once: bool) -> None:
    """Copy the home in folder FROM into the home in folder TO, and compare all of it.

    Each is kept by what its pbm_oust.toml names: files of its own, or a database server. TO holds
    nothing yet but that file. No server may run on either. All of it is copied, or nothing. Letters
    that waited are held back: `outbox resume` lets them go.

    With --follow DIR, copy the histories alone, while servers use FROM. That is for a home on a
    database server; else the histories are files already. Each file is replaced whole, so readers
    never see half a record. Who goes on after an interruption copies what has changed meanwhile.
    """
    if (target is None) == (folder is None):
        raise click.UsageError("name either a home TO, or a folder with --follow")
    if once and folder is None:
        raise click.UsageError("--once goes with --follow")
    with closing(Home(source)) as there:
        if folder is not None:
            follow(there, folder, once=once)
        elif target is not None:
            _copy(there, target)


def _copy(there: Home, target: Path) -> None:
    """Copy a home into a new one, and say what that one holds."""
    with (
        closing(Home(target)) as here,
        progress_bar("copying histories") as progress,
        _refusing(target),
    ):
        copied = backups.copy_home(there, here, progress)
    boards, accounts = counted(copied.boards, "board"), counted(copied.accounts, "account")
    rows = counted(copied.rows, "row")
    say(f"{target} holds {boards}, {accounts} and {rows} in all, which are those of {there.path}")
    if copied.letters:
        resume = command_line(target, "outbox", "resume")
        say(f"letters are held back; to send them:  {resume}")


def follow(home: Home, folder: Path, *, once: bool) -> None:
    """Keep the histories of a home as files in a folder, until told to stop or once.

    Raises Refused, also if `once` and told to stop before all is copied, and then OSError, too;
    else it tries again after a fault.
    """
    if not home.is_on_server:
        raise common.Refused(f"the histories of {home.path} are files already")
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    folder.mkdir(parents=True, exist_ok=True)
    with locked_folder(folder, waits=False) as is_locked:
        if not is_locked:
            raise common.Refused(f"{folder} is kept up to date by another process")
        start_log(home.configured.log)
        _follow(home, folder, stopping, once=once)


def _follow(home: Home, folder: Path, stopping: threading.Event, *, once: bool) -> None:
    publisher = home.publisher = home.publisher_in(folder)  # whose notes say how far boards came
    has_begun, fault = False, ""
    while not stopping.is_set():
        try:
            if not has_begun:
                publisher.prepare()
                publisher.remove_drafts()
            copied = publisher.catch_up(lambda: not stopping.is_set())
        except OSError as error:
            if once:
                raise
            if str(error) != fault:
                log.warning("%s is not kept up to date: %s", folder, error)
            fault = str(error)
            stopping.wait(AGAIN_SECONDS)
            continue
        if stopping.is_set():
            break
        if not has_begun or fault:
            say(f"{folder} is up to date; copied: {copied}")
        has_begun, fault = True, ""
        if once:
            return
        stopping.wait(LOOK_SECONDS)
    if once:
        raise common.Refused(
            f"{folder} is not up to date: this was told to stop before all was copied"
        )


@common.command()
@click.option(
    "--owner",
    type=common.Parsed("URL", parse_store),
    default="",
    help="The URL of the database for the owner of its tables.",
)
def upgrade(operator: common.Operator, owner: str) -> None:
    """Bring the tables of the home to the version of this program.

    No server may run meanwhile. All of it happens, or nothing. Tables of this version or a later
    one stay as they are; a home without tables gets them.
    """
    home = operator.home
    with closing(open_server(home.path, owner) if owner else home.database) as database:
        boards = upgrading.upgrade(home, database)
    if boards is not None:
        count_marked(home.database)
        say(f"brought up to date: {counted(boards, 'board')}")
    say(f"the tables of {home.path} can be used; this program works with version {LATEST}")


@common.command(has_json=True)
@click.argument("kind", type=common.KIND, required=False)
@click.argument("board", type=common.NUMBER, required=False, shell_complete=common.complete_boards)
def verify(operator: common.Operator, kind: Kind | None, board: int | None, output: Output) -> None:
    """Replay histories, and compare their files.

    Prints a line for each board. Exit status 1 if one of them does not replay through the rules, or
    if its file or what the database says about it is something else.
    """
    if kind and board:
        operator.history(kind, board)
        names = [BoardName(kind.name, board)]
    else:
        kinds = [kind] if kind else KINDS.values()
        names = [name for each in kinds for name in operator.boards.names(each.name)]
    results = []
    with progress_bar("replaying") if not sys.stdout.isatty() else nullcontext() as progress:
        for portion in on_all_cores(partial(_verify_all, operator.path), names):
            for result in portion:
                results.append(result)
                output.say(result["text"])
                if progress:
                    progress(len(results), len(names))
    output.json(results)
    if not all(result["ok"] for result in results):
        raise SystemExit(1)


def _verify_all(path: Path, names: Sequence[BoardName]) -> list[dict[str, Any]]:
    with closing(Home(path)) as home:
        with suppress(DatabaseFault), home.database.read() as snapshot:
            boards = GameReader(home, snapshot=snapshot)
            return [_verify(home, boards, snapshot, name) for name in names]
        boards = GameReader(home)  # it asks a database that fails but once
        return [_verify(home, boards, None, name) for name in names]


def _verify(
    home: Home, boards: GameReader, snapshot: Snapshot | None, name: BoardName
) -> dict[str, Any]:
    """Replay the history of a board, and compare it with its row and its file.

    Raises Refused for a board that is gone.
    """
    kind = KINDS[name.kind]
    told = {"kind": name.kind, "board": name.board, "path": str(home.history_path(name))}
    try:
        game = boards.game(kind, name.board)
    except Refusal:
        raise common.no_board(kind, name.board) from None
    except DamagedHistory as damage:
        text = f"{name}: BAD: {damage}"
        return {"ok": False, **told, "line": damage.line, "reason": damage.reason, "text": text}
    if wrong := _difference(home, snapshot, name, game):
        return {"ok": False, **told, "line": 0, "reason": wrong, "text": f"{name}: BAD: {wrong}"}
    text = f"{name}: ok, {counted(len(game.records), 'record')}, {state_of(entry_of(game))}"
    return {"ok": True, **told, "text": text}


def _difference(home: Home, snapshot: Snapshot | None, name: BoardName, game: Game) -> str:
    """Return the difference of a board's row or file from its history; empty if there is none.

    Without a database that can be read, there is nothing to compare with.
    """
    if snapshot is None or not (home.is_on_server or home.database.is_made):
        return ""
    with suppress(DatabaseFault):
        if find_entry(snapshot, name) != entry_of(game):
            advice = command_line(home.path, "home", "rebuild")
            return f"the database says something else than its history; do:  {advice}"
        if home.is_on_server:
            return ""
        try:
            state = home.publisher.compare(snapshot, name)
        except OSError as error:
            return str(error)
        if state is FileState.MISSING:
            return f"{home.history_path(name)} is missing"
        if state is not FileState.RIGHT:
            return f"{home.history_path(name)} differs from the history in the database"
    return ""


@common.command()
@common.board_named
def accept(operator: common.Operator, kind: Kind, board: int) -> None:
    """Let an edited history be the history of its board.

    It is the file of the board, or the last one that was set aside because somebody had changed it.
    It must replay through the rules.
    """
    home, name = operator.prepared_home(), BoardName(kind.name, board)
    before = home.ask(find_entry, name)
    try:
        path = rebuilding.accept(home.database, home.boards, home.publisher, name)
    except rebuilding.NotAccepted as error:
        raise common.Refused(str(error)) from None
    after = home.ask(find_entry, name)
    there = counted(after.records if after else 0, "record")
    instead = f", where it had {counted(before.records, 'record')}" if before else ""
    say(f"{name} has the history of {path} now: {there}{instead}")


@common.command()
@click.option(
    "--from",
    "folder",
    metavar="DIR",
    type=_EXISTING,
    help="Take the files below DIR, such as that of `home copy --follow`.",
)
def rebuild(operator: common.Operator, folder: Path | None) -> None:
    """Make the database from the files of histories.

    Each file becomes the history of its board, if it replays through the rules. Exit status 1 if
    one does not, or cannot be read: it is named, and its board stays as it was. Boards without a
    file, accounts and letters stay, too. A home without a database does the same at its start.

    After the database has gone back to an earlier moment, letters that wait there are held back.
    """
    with progress_bar("reading histories") as progress:
        done = operator.rebuilt_home(folder or operator.path, progress)
    for fault in done.left:
        say(f"no history: {fault}")
    say(f"the database holds {counted(done.boards, 'board')}")
    if done.left:
        raise common.Refused("mend or remove what is named above, and do this again")


@common.command(has_json=True)
@click.option(
    "--all",
    "is_whole",
    is_flag=True,
    help="Look at all of it, which takes minutes where there are many thousand boards.",
)
@click.option("--relay", "with_relay", is_flag=True, help="Greet the relay, too.")
@click.option(
    "--outside", is_flag=True, help="Look at what is around the home, too, and greet the relay."
)
@click.option(
    "--mail",
    "recipient",
    type=common.ADDRESS,
    help="Like --outside; and send a letter to ADDRESS, and wait until it or an answer comes in.",
)
@click.option(
    "--resolver", type=common.ENDPOINT, help="Ask the name server at HOST:PORT, with --outside."
)
def doctor(
    operator: common.Operator,
    recipient: str | None,
    resolver: Endpoint | None,
    *,
    is_whole: bool,
    with_relay: bool,
    outside: bool,
    output: Output,
) -> None:
    """Say what is wrong with the home, and what to do.

    Prints a line for each finding, and changes nothing. Exit status 1 if something is wrong. Of
    many boards, it replays those that changed last, those of which something seems to be wrong, and
    some of the rest, others each day; with --all every one. With --outside, it also asks whether
    the server and the pages answer, where name servers lead mail, and when certificates end, and
    looks at the clock and the backups. With --mail and the server's own address, a letter goes out
    and has to come back by itself; with an address of yours, you answer it. As JSON it also says
    whether mail can be taken, as /healthz on the pages does.
    """
    home = operator.home_as_it_is
    further: Mapping[str, Check] = {}
    if with_relay or outside or recipient:
        from pbm_oust.doctor.outside import check_relay, checks_outside, resolver_at

        further = {"relay": check_relay}
        if outside or recipient:
            further = checks_outside(resolver_at(resolver), recipient)
    findings = []
    for finding in examine(home, further, is_whole=is_whole):
        findings.append(finding)
        output.say(finding)
    found = verdict(findings)
    if output.is_json:
        told = [
            {"verdict": each.severity.value, "about": each.about, "text": each.text}
            for each in findings
        ]
        trouble = find_trouble(home, lasts=False)
        output.json({**described(trouble), "verdict": found.value, "findings": told})
    if found is Severity.BAD:
        raise SystemExit(1)

"""Rebuilding the database of a home from its history files.

Histories are read on all cores. One that ends with its result is trusted, unless it would replace
another one; every other one is replayed. A damaged one leaves the rows of its board as they are;
without rows, it becomes a damaged board, which the operator has to repair.
"""

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from pbm_oust.board.history import BadHistory
from pbm_oust.rules import KINDS
from pbm_oust.store.boards import Boards, Rows, board_of_history, columns_in, read_rows, started_in
from pbm_oust.store.database import Database, Snapshot, Transaction, moment_of
from pbm_oust.store.disk import bytes_of
from pbm_oust.store.index import BoardName, count_all, entry_of, find_entry
from pbm_oust.store.ladders import count_waiting
from pbm_oust.store.publishing import FileState, Progress, Publisher, compared, untold, whole_lines
from pbm_oust.store.ratings import count_marked, mark

if TYPE_CHECKING:
    from concurrent.futures import Future


class NotAccepted(Exception):
    """A file that cannot become the history of a board, with the reason."""


class Rebuilt(Struct, frozen=True):
    """The result of rebuilding a database from files."""

    boards: int
    """The number of boards."""
    left: list[str]
    """Files that are no history of their board, each with its line and the reason."""


def rebuild(
    database: Database,
    boards: Boards,
    publisher: Publisher,
    progress: Progress = untold,
) -> Rebuilt:
    """Update the boards of a database from their files, as far as possible.

    Boards are left alone if the file is missing, only behind, damaged or unreadable, or says the
    same. A board that others play on meanwhile keeps what they have done. Raises DatabaseFault and
    OSError.
    """
    with database.read() as snapshot:
        rows = snapshot.rows("SELECT kind, board, version FROM boards")
    versions = {BoardName(kind, board): version for kind, board, version in rows}
    names = publisher.names()
    progress(0, len(names))
    done, are_behind, left = 0, False, list[str]()
    for found in on_all_cores(partial(_read_files, publisher.folder), names):
        put = database.write(partial(_put_all, boards, versions, found))
        are_behind |= put.are_behind
        left += put.left
        done += len(found)
        progress(done, len(names))
    count_marked(database)
    count_waiting(database, moment_of(int(database.time())))
    with database.read() as snapshot:
        number = count_all(snapshot)
        publisher.begin_anew(snapshot, is_published=number == done and not (are_behind or left))
    return Rebuilt(number, left)


def accept(database: Database, boards: Boards, publisher: Publisher, name: BoardName) -> Path:
    """Make the file of a board, or the last one set aside, its history.

    Returns the file. Raises NotAccepted if it is the same as the history, or does not replay.
    """

    def put(transaction: Transaction) -> Path:
        known = boards.history_if_any(transaction, name)
        for path in [publisher.path(name), *reversed(publisher.edited(name))]:
            with suppress(FileNotFoundError):
                data = whole_lines(bytes_of(path))
                if data != known:
                    break
        else:
            raise NotAccepted(f"no file of {name} says anything else than the board")
        try:
            board = board_of_history(name, data)
        except BadHistory as error:
            raise NotAccepted(f"{path}: line {error.line}: {error.reason}") from None
        said, before = started_in(data)[1], started_in(known or b"")[1]
        if said != before and find_entry(transaction, name):
            raise NotAccepted(
                f"{path}: it says otherwise what {name} came from, which stays as it is"
            )
        boards.put(transaction, name, entry_of(board.game), board.data)
        return path

    path = database.write(put)
    count_marked(database)
    if path != publisher.path(name):
        publisher.put_back(name, path)
    publisher.mend(name, syncs=True)
    return path


class _Found(Struct, frozen=True):
    """The contents of a board's file."""

    name: BoardName
    path: Path
    rows: Rows | None
    """The rows; None if the file cannot be read."""
    fault: str = ""
    """The file, the line and the reason, if it does not replay or cannot be read."""


def _read_files(folder: Path, names: Sequence[BoardName]) -> list[_Found]:
    return [_read_file(name, name.file_in(folder)) for name in names]


def _read_file(name: BoardName, path: Path) -> _Found:
    try:
        rows = read_rows(name, whole_lines(bytes_of(path)))
    except FileNotFoundError:
        return _Found(name, path, None)
    except OSError as error:
        return _Found(name, path, None, f"{path}: {error.strerror or error}")
    fault = _fault_in(rows, path) if rows.is_damaged else ""
    return _Found(name, path, rows, fault)


def _fault_in(rows: Rows, path: Path) -> str:
    """Return why a file does not replay, with its line; empty if it does."""
    try:
        board_of_history(rows.name, b"".join(rows.records))
    except BadHistory as error:
        return f"{path}: {error}"
    return ""


class _Put(Struct):
    """The result of a portion of files."""

    left: list[str]
    are_behind: bool = False


def _put_all(
    boards: Boards,
    versions: Mapping[BoardName, int],
    found: Sequence[_Found],
    transaction: Transaction,
) -> _Put:
    """Write boards with the histories of files, unless a file is only behind or no history."""
    put, news = _Put([]), list[Rows]()
    for each in found:
        if rows := _wanted(boards, versions, each, transaction, put):
            news.append(rows)
    for kind in {each.name.kind for each in news}:
        mark(transaction, KINDS[kind])
    if news:
        boards.put_all(transaction, news)
    return put


def _wanted(
    boards: Boards,
    versions: Mapping[BoardName, int],
    found: _Found,
    snapshot: Snapshot,
    put: _Put,
) -> Rows | None:
    """Return the rows for a board by its file, or by its own history; None if they are there.

    What is to be told is noted in `put`.
    """
    name, rows, fault = found.name, found.rows, found.fault
    known = boards.history_if_any(snapshot, name)
    if known is None:
        put.left += [fault] if fault else []
        return rows
    state = compared(snapshot, name, b"".join(rows.records), known) if rows else FileState.MISSING
    own = rows if rows and state is FileState.RIGHT else None
    is_better = state is FileState.CHANGED
    if state is FileState.BEHIND:
        put.are_behind, own = True, read_rows(name, known)
        is_better = own.is_damaged and not fault
    if rows and is_better:
        fault = fault or _fault_in(rows, found.path)
        version = snapshot.number("SELECT version FROM boards WHERE kind = ? AND board = ?", *name)
        if not fault and version == versions.get(name):
            return rows
        fault = fault or f"{found.path}: {name} was played on meanwhile, so do this again"
    if fault and state is not FileState.BEHIND:
        put.left.append(fault)
    own = own or read_rows(name, known)
    return own if own.columns != columns_in(snapshot, name) else None


YOUNG = 20_000
"""The number of new objects after which the youngest are searched for cycles.

A mail or a history makes thousands, and hardly any cycles.
"""


def look_less_for_circles() -> None:
    """Exempt the program's own objects from the search for cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])


P = TypeVar("P")
R = TypeVar("R")

FEW = 500
"""The number of histories handled in the time that another process takes to start."""
TOGETHER = 200
"""The number of histories in a portion, for one process and one transaction."""
_AHEAD = 2
"""The number of portions that wait for each process."""


def on_all_cores(work: Callable[[Sequence[P]], R], things: Sequence[P]) -> Iterator[R]:
    """Yield the results of `work` for portions of some things, in order.

    This process does it all if there are fewer than `FEW`, and no other one is begun.
    """
    portions = [things[first : first + TOGETHER] for first in range(0, len(things), TOGETHER)]
    cores = len(os.sched_getaffinity(0))
    if len(things) >= FEW:
        look_less_for_circles()
    if len(things) < FEW or cores == 1:
        yield from map(work, portions)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(cores, spawned, _begin_to_help) as helpers:
        begun: deque[Future[R]] = deque()
        for portion in portions:
            begun.append(helpers.submit(work, portion))
            if len(begun) > _AHEAD * cores:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()


def _begin_to_help() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that is helped ends by it
    look_less_for_circles()

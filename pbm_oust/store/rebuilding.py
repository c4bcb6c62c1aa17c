"""The database of a home made from the files of its histories, which are all that it takes.

Histories are read on all cores. One that ends with its result is believed; every other one is
replayed. One that is damaged becomes a damaged board, which the operator has to repair.
"""

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pbm_oust.board.history import BadHistory
from pbm_oust.rules import KINDS
from pbm_oust.store.boards import Boards, Rows, columns_in, read_board, read_rows
from pbm_oust.store.database import Database, Snapshot, Transaction, moment_of
from pbm_oust.store.disk import bytes_of
from pbm_oust.store.index import BoardName, count_all, entry_of, find_entry
from pbm_oust.store.ladders import count_waiting
from pbm_oust.store.publishing import FileState, Progress, Publisher, compared, untold, whole_lines
from pbm_oust.store.ratings import count_marked, mark

if TYPE_CHECKING:
    from concurrent.futures import Future


class NotAccepted(Exception):
    """A file cannot become the history of a board, and why."""


def rebuild(
    database: Database,
    boards: Boards,
    publisher: Publisher,
    progress: Progress = untold,
) -> int:
    """Let the files of histories be the boards of a database; return how many boards it has then.

    What the database says already is left alone, and so are boards without a file, and those whose
    file is only behind. Raises DatabaseFault and OSError.
    """
    names = publisher.names()
    progress(0, len(names))
    done, are_behind = 0, False
    for found in on_all_cores(partial(_read_files, publisher.folder), names):
        are_behind |= database.write(partial(_put_all, boards, found))
        done += len(found)
        progress(done, len(names))
    count_marked(database)
    count_waiting(database, moment_of(int(database.time())))
    with database.read_latest() as snapshot:
        number = count_all(snapshot)
        if number == done and not are_behind:
            version = snapshot.number("SELECT max(version) FROM boards")
            publisher.mark_all(list(snapshot.identity or ()), version)
    return number


def accept(database: Database, boards: Boards, publisher: Publisher, name: BoardName) -> Path:
    """Let the file of a board, or the last one that was set aside, be its history.

    Returns the file. Raises NotAccepted if it says what the board says, or does not replay.
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
            board = read_board(name, data)
        except BadHistory as error:
            raise NotAccepted(f"{path}: line {error.line}: {error.reason}") from None
        boards.put(transaction, name, entry_of(board.game), board.data)
        return path

    path = database.write(put)
    count_marked(database)
    if path != publisher.path(name):
        publisher.put_back(name, path)
    publisher.mend(name, syncs=True)
    return path


def _read_files(folder: Path, names: Sequence[BoardName]) -> list[Rows]:
    found = list[Rows]()
    for name in names:
        with suppress(OSError):
            found.append(read_rows(name, whole_lines(bytes_of(name.file_in(folder)))))
    return found


def _put_all(boards: Boards, found: Sequence[Rows], transaction: Transaction) -> bool:
    """Let boards have these histories, unless a file is only behind; return whether any is."""
    states = [_compare(boards, transaction, each) for each in found]
    news = [each for each, state in zip(found, states, strict=True) if state is FileState.CHANGED]
    for kind in {each.name.kind for each in news}:
        mark(transaction, KINDS[kind])
    if news:
        boards.put_all(transaction, news)
    return FileState.BEHIND in states


def _compare(boards: Boards, snapshot: Snapshot, found: Rows) -> FileState:
    """Return how a file compares with its board: what the row of the board says counts, too."""
    known = boards.history_if_any(snapshot, found.name)
    if known is None:
        return FileState.CHANGED
    state = compared(snapshot, found.name, b"".join(found.records), known)
    if state is FileState.RIGHT:
        is_right = columns_in(snapshot, found.name) == found.columns
    else:
        is_right = find_entry(snapshot, found.name) is not None
    return state if is_right else FileState.CHANGED


YOUNG = 20_000
"""After how many new objects the youngest are looked through; a mail or a history makes thousands,
and hardly any circles."""


def look_less_for_circles() -> None:
    """Leave out what the program consists of when circles of objects are looked for."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])


P = TypeVar("P")
R = TypeVar("R")

FEW = 500
"""So many histories are gone through before another process would have begun."""
TOGETHER = 200
"""How many of them are handed to a process at a time, and written in one transaction."""
_AHEAD = 2
"""How many of these portions wait for each process."""


def on_all_cores(work: Callable[[Sequence[P]], R], things: Sequence[P]) -> Iterator[R]:
    """Yield what work returns for portions of some things, in their order.

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

"""Writing what waits into the histories; only then does it leave the database.

A process that dies at any point loses nothing: the next one sees what is already in the file, and
goes on. A history is rewritten for one userid at a time, so that a rewriting never meets a userid
from a later one.
"""

import errno
from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from pbm_oust.board.rename import with_other_userid
from pbm_oust.frozen import frozen
from pbm_oust.store import index
from pbm_oust.store.board_queries import find_damage
from pbm_oust.store.boards import Boards
from pbm_oust.store.connections import Database, Transaction
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.histories import NO_STAMP, DamagedHistory, Found, HeldHistory, Stamp
from pbm_oust.store.joining import Joined, join
from pbm_oust.store.refreshing import refresh
from pbm_oust.store.waiting import (
    BoardName,
    Waiting,
    boards_with_waiting,
    remove_lines,
    remove_rewriting,
    waiting_for,
)

_MOST_ATTEMPTS = 10
"""How often others may replace a file while we write to it."""


@frozen
class Unsettled:
    """A board whose history could not be written; what waits for it goes on waiting."""

    name: BoardName
    error: OSError | DamagedHistory


@frozen
class _Carried:
    """What was written into a history, and the stamps of the file before and after that.

    Without stamps, the file was replaced.
    """

    name: BoardName
    done: Waiting
    before: Stamp = NO_STAMP
    after: Stamp = NO_STAMP


def settle(
    database: Database, boards: Boards, names: Iterable[BoardName] | None = None
) -> list[Unsettled]:
    """Write what waits into the histories of some boards, or of all; return those that failed.

    Must not be called while reading the database. Raises DatabaseFault.
    """
    if names is None or boards.histories.is_within_database:
        with database.read_latest() as snapshot:
            waiting = boards_with_waiting(snapshot)
        names = waiting if names is None else set(names).intersection(waiting)
    unsettled, left = list[Unsettled](), sorted(set(names))
    while left:
        carried, damaged = list[_Carried](), list[BoardName]()
        for name in left:
            try:
                carried += [each for each in [_carry_out(database, boards, name)] if each]
            except DatabaseFault:
                raise
            except OSError as error:
                unsettled.append(Unsettled(name, error))
            except DamagedHistory as error:
                unsettled.append(Unsettled(name, error))
                damaged += [] if _is_known(database, boards, name) else [name]
        if carried or damaged:
            database.write(partial(_take_out, boards, carried, damaged))
        left = [each.name for each in carried if each.done.rewritings]
    return unsettled


def _take_out(
    boards: Boards,
    carried: Iterable[_Carried],
    damaged: Iterable[BoardName],
    transaction: Transaction,
) -> None:
    """Remove from the database what is now in the histories, and update the index."""
    for each in carried:
        remove_lines(transaction, each.name, each.done.lines)
        for rewriting in each.done.rewritings:
            remove_rewriting(transaction, rewriting)
        is_ours = each.after != NO_STAMP
        if not (is_ours and index.restamp(transaction, each.name, each.before, each.after)):
            refresh(transaction, boards, each.name)
    for name in damaged:
        refresh(transaction, boards, name)


def _is_known(database: Database, boards: Boards, name: BoardName) -> bool:
    """Return whether the index already says that a history, as it is now, is damaged."""
    with database.read_latest() as snapshot:
        is_fitting = index.stamp_in(snapshot, name) == boards.histories.stamp(name)
        return is_fitting and find_damage(snapshot, name) is not None


def _carry_out(database: Database, boards: Boards, name: BoardName) -> _Carried | None:
    """Write the next rewriting, or all lines, into a history; None if nothing waits.

    What waits is read while the file is locked, so that nothing old is ever written after
    something newer. Raises OSError and DamagedHistory.
    """
    for _ in range(_MOST_ATTEMPTS):
        with suppress(NoSuchFile), boards.held(name) as file:
            waiting, is_named = _read_waiting(database, name, file.found.stamp)
            if not waiting:
                return None
            carried = _carry_into(file, boards, name, waiting, is_named)
            if carried:
                return carried
            continue
        with suppress(FileExistsError), boards.histories.held_folder(name.kind):
            waiting, _ = _read_waiting(database, name)
            if not waiting:
                return None
            if boards.histories.stamp(name) == NO_STAMP:
                content = join(b"", waiting).content
                if content:
                    boards.replayed(name, content)
                    boards.histories.create(name, content)
                return _Carried(name, waiting)
    raise OSError(errno.EAGAIN, "the file is replaced again and again", boards.histories.path(name))


def _read_waiting(
    database: Database, name: BoardName, stamp: Stamp = NO_STAMP
) -> tuple[Waiting, bool]:
    """Return what waits for a history, and whether the name of its file is synced."""
    with database.read_latest() as snapshot:
        return waiting_for(snapshot, name), index.is_named(snapshot, name, stamp)


def _carry_into(
    file: HeldHistory, boards: Boards, name: BoardName, waiting: Waiting, is_named: bool
) -> _Carried | None:
    """Write what waits into a locked file; None if the file has been replaced meanwhile.

    Raises OSError, and DamagedHistory if the history would not replay with it.
    """
    before = file.found
    joined = boards.joined(name, before, waiting)
    boards.replayed(name, joined.content)
    if waiting.rewritings:
        first = waiting.rewritings[0]
        rewritten = with_other_userid(before.data[: joined.whole], first.old, first.new)
        if rewritten == before.data:
            file.sync(with_folder=True)
        elif not file.is_in_place():
            return None
        else:
            file.replace(rewritten)
        return _Carried(name, Waiting(rewritings=(first,)))
    if joined.missing:
        file.append(joined.missing, at=joined.whole)
    if not (joined.missing and is_named):
        file.sync(with_folder=not is_named)
    if not file.is_in_place():
        return None
    return _Carried(name, waiting, before.stamp, _stamp_after(file, joined, before))


def _stamp_after(file: HeldHistory, joined: Joined, before: Found) -> Stamp:
    """Return the stamp of a file as we left it; NO_STAMP where others have changed it since."""
    stamp = file.stamp()
    if joined.missing:
        return stamp if stamp.size == joined.whole + len(joined.missing) else NO_STAMP
    return stamp if stamp == before.stamp else NO_STAMP

"""The database of a home made from the files of its histories, which are all that it takes.

Histories are read on all cores. One that ends with its result is believed; every other one is
replayed. One that is damaged becomes a damaged board, which the operator has to repair.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from functools import partial
from pathlib import Path

from pbm_oust.accounts.clock import earliest_ruling
from pbm_oust.board.history import BadHistory
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.board_queries import find_entry
from pbm_oust.store.boards import Boards, read_board
from pbm_oust.store.database import Database, Snapshot, Transaction
from pbm_oust.store.disk import NoSuchFile, content_of
from pbm_oust.store.entries import BoardName, Entry, Reading, believe, entry_of, read_damage
from pbm_oust.store.publishing import Publisher, is_behind
from pbm_oust.store.ratings import count_marked, mark

Progress = Callable[[int, int], None]
"""Is told how many boards are done, and of how many."""
Found = tuple[BoardName, bytes, Reading]
"""What was found in a file: of which board, its whole lines, and what they say."""
_TOGETHER = 200
"""How many boards are written in one transaction."""


class NotAccepted(Exception):
    """A file cannot become the history of a board, and why."""


def rebuild(
    database: Database, boards: Boards, publisher: Publisher, progress: Progress | None = None
) -> int:
    """Let the files of histories be the boards of a database; return how many boards it has then.

    What the database says already is left alone, and so are boards without a file, and those whose
    file is only behind. Raises DatabaseFault and OSError.
    """
    names, tell = publisher.names(), progress or _tell_nobody
    tell(0, len(names))
    done, are_behind = 0, False
    for found in read_all(publisher.folder, names):
        with database.read_latest() as snapshot:
            compared = [(each, _compare(boards, snapshot, each)) for each in found]
        news = [each for each, compared in compared if compared is _Compared.OTHER]
        for first in range(0, len(news), _TOGETHER):
            database.write(partial(_put_all, boards, news[first : first + _TOGETHER]))
        are_behind = are_behind or any(each is _Compared.BEHIND for _, each in compared)
        done += len(found)
        tell(done, len(names))
    count_marked(database)
    with database.read_latest() as snapshot:
        ((number, version),) = snapshot.rows(
            "SELECT count(*), coalesce(max(version), 0) FROM boards"
        )
    if number == done and not are_behind:
        publisher.mark_all(version)
    return int(number)


def accept(database: Database, boards: Boards, publisher: Publisher, name: BoardName) -> Path:
    """Let the file of a board, or the last one that was set aside, be its history.

    Returns the file. Raises NotAccepted if it says what the board says, or does not replay.
    """
    with database.read_latest() as snapshot:
        known = _history(boards, snapshot, name)
    for path in [publisher.path(name), *reversed(publisher.edited(name))]:
        with suppress(FileNotFoundError):
            data = content_of(path)
            data = data[: data.rfind(b"\n") + 1]
            if data != known:
                break
    else:
        raise NotAccepted(f"no file of {name} says anything else than the board")
    try:
        board = read_board(name, data)
    except BadHistory as error:
        raise NotAccepted(f"{path}: {error}") from None
    reading = Reading(entry_of(board.game, earliest_ruling), board.told)

    def put(transaction: Transaction) -> None:
        if _history(boards, transaction, name) != known:
            raise NotAccepted(f"somebody has just acted on {name}; look at it, then say it again")
        boards.put(transaction, name, data, reading)

    database.write(put)
    count_marked(database)
    if path != publisher.path(name):
        publisher.put_back(name, path)
    publisher.mend(name, syncs=True)
    return path


def read_all(folder: Path, names: Sequence[BoardName]) -> Iterator[list[Found]]:
    """Yield what files say, in portions, as far as they can be read; they are read on all cores."""
    from pbm_oust.store.cores import on_all_cores

    yield from on_all_cores(_read_files, names, folder, partial(_here, folder))


def _here(folder: Path) -> Path:
    return folder


def _read_files(folder: Path, names: Sequence[BoardName]) -> list[Found]:
    found = []
    for name in names:
        with suppress(OSError):
            data = content_of(folder / name.kind / f"{name.board}.txt").rstrip(b"\0")
            data = data[: data.rfind(b"\n") + 1]
            found.append((name, data, believe(name, data) or _reading(name, data)))
    return found


def _reading(name: BoardName, data: bytes) -> Reading:
    try:
        board = read_board(name, data)
    except BadHistory as error:
        return read_damage(name, data, error)
    return Reading(entry_of(board.game, earliest_ruling), board.told)


class _Compared(Enum):
    """What a file says, compared with its board."""

    SAME = "the same"
    BEHIND = "the same but for what is still to be published"
    OTHER = "something else, or there is no such board"


def _compare(boards: Boards, snapshot: Snapshot, found: Found) -> _Compared:
    name, data, reading = found
    known = _history(boards, snapshot, name)
    said = find_entry(snapshot, name)
    if known == data:
        entry = reading.entry if isinstance(reading.entry, Entry) else None
        return _Compared.SAME if said == entry else _Compared.OTHER
    if known is not None and said and is_behind(snapshot, name, data, known):
        return _Compared.BEHIND
    return _Compared.OTHER


def _history(boards: Boards, snapshot: Snapshot, name: BoardName) -> bytes | None:
    try:
        return boards.history(snapshot, name)
    except NoSuchFile:
        return None


def _put_all(boards: Boards, found: Sequence[Found], transaction: Transaction) -> None:
    for kind in {each[0].kind for each in found}:
        mark(transaction, KINDS[kind])
    for each in found:  # others may have gone on since the files were read
        if _compare(boards, transaction, each) is _Compared.OTHER:
            boards.put(transaction, *each, changes_ratings=False)


def _tell_nobody(_done: int, _of: int) -> None:
    """Let nobody know how far something is."""

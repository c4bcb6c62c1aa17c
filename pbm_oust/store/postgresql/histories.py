"""The histories as rows, each line as it would stand in the file of the board.

Whoever writes to a history holds its row in `history_stamps` until the end of its transaction. A
process holds one history at a time, and the lock of those who write to the database comes after
it, so nobody waits in a circle.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path

from pbm_oust.regex import regex
from pbm_oust.store.columns import words_list
from pbm_oust.store.connections import Snapshot, Transaction, Value
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.histories import NO_STAMP, Found, Stamp
from pbm_oust.store.postgresql.changes import Look, look_at_changes
from pbm_oust.store.postgresql.connection import PostgresqlConnection
from pbm_oust.store.postgresql.server import Server, ServerPool
from pbm_oust.store.snapshots import lent
from pbm_oust.store.waiting import BoardName

_LINES = regex(rb"[^\n]*\n|[^\n]+")
_STAMP = "SELECT size, version FROM history_stamps WHERE kind = ? AND board = ?"
_STAMPS = (
    "SELECT board, size, version FROM history_stamps"
    " WHERE kind = ? AND board IN (SELECT CAST(value AS INTEGER) FROM json_each(?))"
)
_CONTENT = (
    "SELECT size, version, (SELECT string_agg(content, CAST('' AS BYTEA) ORDER BY line)"
    " FROM history_lines l WHERE l.kind = s.kind AND l.board = s.board AND s.version <> ?3)"
    " FROM history_stamps s WHERE kind = ?1 AND board = ?2"
)
"""The statement that reads a history, without its content if its version is known."""
_NOTHING_WAITS = "".join(
    f" AND NOT EXISTS (SELECT 1 FROM {table} WHERE kind = ?1 AND board = ?2)"  # noqa: S608 - the names are ours # nosec B608
    for table in ("waiting_lines", "waiting_rewritings")
)
_SPREAD = 2**22
_VERSION = f"nextval('history_version') * {_SPREAD} + CAST(floor(random() * {_SPREAD}) AS BIGINT)"
"""What gives a history its next version, a higher one than all before.

A server that has crashed, or a standby that takes its place, gives numbers again that nobody had
committed. Chance tells such a version from the one that some host may still remember.
"""
_MAKE = (
    "INSERT INTO history_stamps (kind, board, size, version)"  # nosec B608 - a number is ours
    f" SELECT ?1, ?2, ?3, {_VERSION} WHERE TRUE"
    " ON CONFLICT DO NOTHING RETURNING version"
)
_START = _MAKE.replace("TRUE", f"TRUE{_NOTHING_WAITS}")
_CHANGE = (
    f"UPDATE history_stamps SET size = ?3, version = {_VERSION}"  # noqa: S608 - a number is ours # nosec B608
    " WHERE kind = ?1 AND board = ?2 RETURNING version"
)
_EXTEND = _CHANGE.replace(" RETURNING", f" AND version = ?4{_NOTHING_WAITS} RETURNING")
_ADD = "INSERT INTO history_lines (kind, board, line, content) VALUES (?, ?, ?, ?)"


class HeldRows:
    """A history that nobody else writes to, and its content when it was locked."""

    def __init__(
        self, connection: PostgresqlConnection, name: BoardName, known: Found | None
    ) -> None:
        self._connection = connection
        self._name = name
        if not connection.execute(f"{_STAMP} FOR UPDATE", _key(name)):
            raise NoSuchFile(str(name))
        self.found = _read(connection, name, known)
        self._stamp = self.found.stamp

    def append(self, data: bytes, at: int) -> None:
        """Write after the first `at` bytes, over what was there."""
        kept = _LINES.findall(self.found.data[:at])
        self._write(kept, _LINES.findall(data))

    def replace(self, data: bytes) -> None:
        """Write the history anew."""
        self._write([], _LINES.findall(data))

    def sync(self, *, with_folder: bool) -> None:
        """Do nothing: the transaction is durable when it ends."""

    def is_in_place(self) -> bool:
        """Return whether this is still the history of the board, as it is while it is locked."""
        return True

    def stamp(self) -> Stamp:
        """Return the stamp of the history as it is now."""
        return self._stamp

    def _write(self, kept: list[bytes], lines: list[bytes]) -> None:
        """Let lines follow the first ones, which are kept."""
        self._connection.send(
            "DELETE FROM history_lines WHERE kind = ? AND board = ? AND line > ?",
            (*_key(self._name), len(kept)),
        )
        self._connection.send_all(_ADD, _rows(self._name, len(kept), lines))
        size = sum(map(len, kept)) + sum(map(len, lines))
        ((version,),) = self._connection.execute(_CHANGE, (*_key(self._name), size))
        self._stamp = Stamp(size, version)


class HistoryRows:
    """The histories in a database. The methods may raise DatabaseFault, an OSError.

    `home` is the folder whose files they would be in.
    """

    is_within_database = True

    def __init__(self, home: Path, server: Server) -> None:
        self._home = home
        self._server = server
        self._pool = ServerPool(server)

    @property
    def opener(self) -> "Callable[[], HistoryRows]":
        """What gives these histories to another process."""
        return partial(_opened, self._home, self._server.url)

    def prepare(self) -> None:
        """Do nothing: the tables are made when somebody connects."""

    def remove_drafts(self) -> None:
        """Do nothing: the server does not keep what was not committed."""

    def path(self, name: BoardName) -> Path:
        """Return how a history is named: by the path that its file would have."""
        return self._home / name.kind / f"{name.board}.txt"

    def numbers(self, kind: str) -> list[int]:
        """Return the numbers of all boards of a kind that have a history, in order."""
        search = "SELECT board FROM history_stamps WHERE kind = ? ORDER BY board"
        with lent(self._pool) as connection:
            return [board for (board,) in connection.execute(search, (kind,))]

    def changes(self, version: int) -> Look:
        """Return which histories have changed since a version."""
        return look_at_changes(self._pool, version)

    def stamp(self, name: BoardName, within: Snapshot | None = None) -> Stamp:
        """Return the stamp of a history at the moment of `within`; NO_STAMP if there is none."""
        if within:
            rows = within.rows(_STAMP, *_key(name))
        else:
            with lent(self._pool) as connection:
                rows = connection.execute(_STAMP, _key(name))
        return Stamp(*rows[0]) if rows else NO_STAMP

    def stamps(
        self, kind: str, numbers: Collection[int], within: Snapshot
    ) -> dict[BoardName, Stamp]:
        """Return the stamps of histories at the moment of `within`."""
        rows = within.rows(_STAMPS, kind, words_list(map(str, numbers)))
        found = {board: Stamp(size, version) for board, size, version in rows}
        return {BoardName(kind, number): found.get(number, NO_STAMP) for number in numbers}

    def read(
        self, name: BoardName, known: Found | None = None, within: Snapshot | None = None
    ) -> Found:
        """Return the content of a history: `known`, if that is still it. Raises NoSuchFile.

        It is that of the moment of `within`.
        """
        if within:
            return _read(within, name, known)
        with lent(self._pool) as connection:
            return _read(connection, name, known)

    def create(self, name: BoardName, data: bytes) -> None:
        """Write a new history. Raises FileExistsError."""
        self.create_all({name: data})

    def create_all(self, contents: Mapping[BoardName, bytes]) -> None:
        """Write new histories in one transaction. Raises FileExistsError, and writes none then."""
        with self._writing() as connection:
            made = {
                name: connection.send(_MAKE, (*_key(name), len(data)))
                for name, data in contents.items()
            }
            connection.wait()
            for name, answer in made.items():
                if not answer.rows:
                    raise FileExistsError(str(name))
                connection.send_all(_ADD, _rows(name, 0, _LINES.findall(contents[name])))

    def extend(
        self,
        transaction: Transaction,
        name: BoardName,
        found: Found | None,
        data: bytes,
        otherwise: Exception,
    ) -> Callable[[], Found]:
        """Let a history that was `found` be `data`, which goes on from it, with a transaction.

        The work raises `otherwise` if it is another one by now, or if anything waits for it.
        Returns what tells how it is found then, once all that was sent has been carried out.
        """
        before, values = found.data if found else b"", (*_key(name), len(data))
        if found:
            answer = transaction.require(otherwise, _EXTEND, *values, found.stamp.mtime)
        else:
            answer = transaction.require(otherwise, _START, *values)
        for row in _rows(name, before.count(b"\n"), _LINES.findall(data, len(before))):
            transaction.send(_ADD, *row)

        def found_then() -> Found:
            ((version,),) = answer.rows
            return Found(data, Stamp(len(data), version), version, is_old=True)

        return found_then

    @contextmanager
    def held(self, name: BoardName, known: Found | None = None) -> Iterator[HeldRows]:
        """Lock a history, so that nobody else writes to it. Raises NoSuchFile.

        `known` is what was found before, if anything is known. What the body writes is durable
        after it.
        """
        with self._writing() as connection:
            yield HeldRows(connection, name, known)

    def held_folder(self, kind: str) -> AbstractContextManager[None]:
        """Do nothing: who makes a history that somebody else has made finds out."""
        return nullcontext()

    def close(self) -> None:
        """Close all connections, none of which may be in use. They are opened again when needed."""
        self._pool.close()

    @contextmanager
    def _writing(self) -> Iterator[PostgresqlConnection]:
        with lent(self._pool) as connection:
            connection.begin_to_hold()
            yield connection
            connection.commit()


def _opened(home: Path, url: str) -> HistoryRows:
    return HistoryRows(home, Server(url))


def _read(asker: PostgresqlConnection | Snapshot, name: BoardName, known: Found | None) -> Found:
    """Return the content of a history: `known`, if that is still it. Raises NoSuchFile."""
    version = known.stamp.mtime if known else NO_STAMP.mtime
    values = (*_key(name), version)
    if isinstance(asker, Snapshot):
        rows = asker.rows(_CONTENT, *values)
    else:
        rows = asker.execute(_CONTENT, values)
    if not rows:
        raise NoSuchFile(str(name))
    ((size, found, content),) = rows
    if known and found == version:
        return known
    return Found(bytes(content or b""), Stamp(size, found), found, is_old=True)


def _rows(name: BoardName, behind: int, lines: list[bytes]) -> list[tuple[Value, ...]]:
    """Return the rows of lines that come after so many others."""
    return [(*_key(name), number, line) for number, line in enumerate(lines, behind + 1)]


def _key(name: BoardName) -> tuple[str, int]:
    return name.kind, name.board

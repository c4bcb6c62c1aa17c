"""The boards of a home: their histories, kept line by line, and what is said about each.

    board = boards.read(snapshot, kind, 17)
    boards.append(transaction, board, board.game.act(..))

The rows are the truth about the games. A board's own row says what its history says, so that boards
are found without reading histories; both are written by the same transaction. What a transaction
has changed is in `transaction.boards` until it is published (`publishing.py`).
"""

import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct, structs

from pbm_oust.board import Game, Header
from pbm_oust.board.history import (
    BadHistory,
    format_records,
    read_header,
    read_history,
    userids_in,
    with_other_userid,
)
from pbm_oust.board.notation import format_header, format_outcome
from pbm_oust.board.ratings import finish_of
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import index
from pbm_oust.store.database import Snapshot, Transaction, Value, seconds
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import Stale
from pbm_oust.store.index import BoardName, Reading
from pbm_oust.store.ratings import note_change

K = TypeVar("K")
V = TypeVar("V")

MOST_RECORDS = 100_000
"""How many records all boards may have that are remembered."""
_BOARD = 50
"""To remember a board without records takes about as much memory as so many records."""
_RECORD = re.compile(rb"\n {0,3}([0-9]+) [xo*] ")
MICROSECONDS = 1_000_000
"""How many versions a second has: a version is a time, or higher than the one before."""

_MAKE = (
    "INSERT INTO boards (version, challenge, source, source_number, state, grid, x, o, to_move, "
    "result, is_rated, started, latest, records, due, kind, board) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_CHANGE = (
    "UPDATE boards SET version = ?, state = ?, x = ?, o = ?, to_move = ?, result = ?, "
    "latest = ?, records = ?, due = ? WHERE kind = ? AND board = ? AND version = ?"
)
_ADD = "INSERT INTO records (kind, board, number, lines) VALUES (?, ?, ?, ?)"
_ADD_DAMAGE = "INSERT INTO damages (kind, board, line, reason, x, o) VALUES (?, ?, ?, ?, ?, ?)"
_SET_LINES = "UPDATE records SET lines = ? WHERE kind = ? AND board = ? AND number = ?"


class NoSuchBoard(NotAllowedReason, frozen=True):
    """There is no board of this number."""

    kind: Kind
    board: int


class DamagedBoard(NotAllowedReason, frozen=True):
    """The history of a board is damaged, and the operator has to repair it."""

    kind: Kind
    board: int


class DamagedHistory(Exception):
    """A history does not replay.

    The operator has to repair it; nothing is written to it, and other boards go on.
    """

    def __init__(self, path: Path, error: BadHistory | OSError) -> None:
        is_bad = isinstance(error, BadHistory)
        super().__init__(f"{path}: {error}" if is_bad else str(error))
        self.path = path
        self.line = error.line if isinstance(error, BadHistory) else 0
        """The line at fault; 0 if its file as a whole cannot be read."""
        self.reason = error.reason if isinstance(error, BadHistory) else str(error.strerror)

    @property
    def name(self) -> BoardName:
        """The name of the board."""
        return BoardName(self.path.parent.name, int(self.path.stem))

    def refusal(self) -> NotAllowed:
        """Return what to tell somebody who only wants to look at the board."""
        return NotAllowed(DamagedBoard(KINDS[self.name.kind], self.name.board))


class BoardChanged(Stale):
    """A board is no longer as it was read; the command has to be carried out again."""


class Board(Struct, frozen=True):
    """A board as it was read."""

    game: Game
    data: bytes
    """Its history."""
    has_result_line: bool
    userids: frozenset[str]
    """All userids in the history."""
    version: int = 0
    """Another one after each change of the history; 0 for a board that is in no database."""

    @property
    def name(self) -> BoardName:
        """The kind and the number."""
        return BoardName.of(self.game.header)

    @property
    def state(self) -> index.BoardState:
        """Whether the game goes on."""
        return index.BoardState.OVER if self.game.result else index.BoardState.ACTIVE


WithLines = tuple[Reading, Sequence[bytes]]
"""What a history says, with its lines by records."""


def challenge_remark(key: str) -> bytes:
    """Return the line of a history with the key of the message that started the board."""
    return f"# challenge {key}\n".encode()


def read_board(name: BoardName, data: bytes) -> Board:
    """Return the board of a history, every record checked against the rules. Raises BadHistory."""
    history = read_history(data)
    header = history.game.header
    if header.kind.name != name.kind:
        raise BadHistory(2, f"in this folder the kind is {name.kind}")
    if header.board != name.board:
        raise BadHistory(3, f"by the name of the file this is board {name.board}")
    whole = data[: history.whole_length]
    return Board(history.game, whole, history.has_result_line, userids_in(whole))


def reading_of(name: BoardName, data: bytes) -> Reading:
    """Return what the history of a board says, damaged or not; if it may be, it is believed."""
    if reading := index.believe(name, data):
        return reading
    try:
        board = read_board(name, data)
    except BadHistory as error:
        return index.read_damage(name, data, error)
    return index.reading_with(index.entry_of(board.game), board.data)


def by_records(text: bytes, after: int = 0) -> list[bytes]:
    """Return the lines of a history, or its last ones, by the records to which they belong.

    What stands below a record belongs to it. The first part is what stands above the first record:
    the header, or what belongs to the record with the number `after`.
    """
    parts, begun = list[bytes](), 0
    for found in _RECORD.finditer(b"\n" + text):
        if int(found[1]) == after + len(parts) + 1:
            parts.append(text[begun : found.start()])
            begun = found.start()
    return [*parts, text[begun:]]


class Latest(Generic[K, V]):
    """Values by their keys; those that were used longest ago are forgotten.

    All that are kept weigh `most` together, or are one value that weighs more. `weight` weighs a
    value. Any number of threads may use it.
    """

    def __init__(self, most: int, weight: Callable[[V], int] = lambda _: 1) -> None:
        self._most = most
        self._weight = weight
        self._kept: OrderedDict[K, tuple[int, V]] = OrderedDict()
        self._weighs = 0
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, if it is kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[1]

    def put(self, key: K, value: V) -> None:
        """Keep a value in place of the one that its key had."""
        weight = self._weight(value)
        with self._lock:
            self._weighs += weight - self._kept.pop(key, (0, None))[0]
            self._kept[key] = weight, value
            while self._weighs > self._most and len(self._kept) > 1:
                _, (lost, _) = self._kept.popitem(last=False)
                self._weighs -= lost


class Boards:
    """The boards of a home. Any number of threads may use it.

    `folder` is the home, by which messages name histories; `time` gives the seconds since the
    epoch. The methods raise DamagedHistory if a history does not replay, and DatabaseFault.
    """

    def __init__(self, folder: Path, time: Callable[[], float]) -> None:
        self._folder = folder
        self._time = time
        self._version = 0
        """The highest version that was seen or given."""
        self._latest = Latest[tuple[object, BoardName], Board](
            MOST_RECORDS, lambda board: len(board.game.records) + _BOARD
        )

    def path(self, name: BoardName) -> Path:
        """Return the path of the file in which the history of a board is published."""
        return name.file_in(self._folder)

    # Reading

    def read(self, snapshot: Snapshot, kind: Kind, number: int) -> Board:
        """Return a board. Raises NotAllowed if there is none, and DamagedHistory."""
        name = BoardName(kind.name, number)
        if isinstance(snapshot, Transaction) and name in snapshot.boards:
            return snapshot.boards[name]
        row = snapshot.row(
            "SELECT version FROM boards WHERE kind = ? AND board = ?", kind.name, number
        )
        if row is None:
            raise NotAllowed(NoSuchBoard(kind, number), str(number))
        (version,) = row
        key = snapshot.identity, name
        known = self._latest.get(key)
        if known and known.version == version:
            return known
        board = structs.replace(self.replayed(name, self.history(snapshot, name)), version=version)
        self._latest.put(key, board)
        return board

    def history(self, snapshot: Snapshot, name: BoardName) -> bytes:
        """Return the history of a board, damaged or not. Raises NoSuchFile."""
        data = self.history_if_any(snapshot, name)
        if data is None:
            raise NoSuchFile(str(name))
        return data

    def history_if_any(self, snapshot: Snapshot, name: BoardName) -> bytes | None:
        """Return the history of a board, damaged or not; None if there is no such board."""
        rows = snapshot.rows(
            "SELECT lines FROM records WHERE kind = ? AND board = ? ORDER BY number", *name
        )
        return b"".join([lines for (lines,) in rows]) if rows else None

    def header(self, snapshot: Snapshot, name: BoardName) -> Header | None:
        """Return the header of a board's history; None if there is none, or it cannot be read."""
        search = "SELECT lines FROM records WHERE kind = ? AND board = ? AND number = 0"
        row = snapshot.row(search, *name)
        with suppress(BadHistory):
            return read_header(row[0]) if row else None
        return None

    def next_number(self, snapshot: Snapshot, kind: Kind) -> int:
        """Return the number that a new board will have."""
        return 1 + snapshot.number("SELECT max(board) FROM boards WHERE kind = ?", kind.name)

    def replayed(self, name: BoardName, data: bytes) -> Board:
        """Return the board of a history. Raises DamagedHistory."""
        try:
            return read_board(name, data)
        except BadHistory as error:
            raise DamagedHistory(self.path(name), error) from None

    def remember(self, transactions: Iterable[Transaction]) -> None:
        """Remember boards as transactions have left them, which are durable."""
        for transaction in transactions:
            for name, board in transaction.boards.items():
                self._latest.put((transaction.identity, name), board)

    # Writing

    def start(self, transaction: Transaction, game: Game, remarks: bytes = b"") -> Board:
        """Make a board of a game, which may have begun elsewhere, and return it.

        `remarks` are whole lines to go below the header. Raises BoardChanged if a board has that
        number already.
        """
        text = format_header(game.header).encode() + remarks + format_records(game, 0).encode()
        return self.start_from(transaction, game, text)

    def start_from(self, transaction: Transaction, game: Game, text: bytes) -> Board:
        """Make a board of a whole history, which replays to a game, and return the board.

        Raises BoardChanged if a board has that number already.
        """
        version = self._next_version(transaction)
        reading = index.reading_with(index.entry_of(game), text)
        board = Board(game, text, game.result is not None, reading.userids, version)
        if not transaction.run(_MAKE, *_row_of(reading, version)):
            raise BoardChanged(str(board.name))
        _fill(transaction, [(reading, by_records(text))])
        transaction.boards[board.name] = board
        note_change(transaction, None, finish_of(game))
        return board

    def append(self, transaction: Transaction, board: Board, acted: Game) -> Board:
        """Add the new records of a game to a board, and return the board after that.

        Without new records, a missing result line is added. Raises BoardChanged.
        """
        records, name = len(board.game.records), board.name
        text = b"" if board.has_result_line else format_records(acted, records).encode()
        if not text:
            return board
        after = structs.replace(
            board,
            game=acted,
            data=board.data + text,
            has_result_line=acted.result is not None,
            userids=board.userids | userids_in(b"\n" + text),
            version=self._next_version(transaction, board.version),
        )
        self._change(transaction, board, after)
        above, *added = by_records(text, records)
        if above:
            transaction.run(_SET_LINES, by_records(board.data)[-1] + above, *name, records)
        for number, lines in enumerate(added, records + 1):
            transaction.run(_ADD, *name, number, lines)
        transaction.boards[name] = after
        return after

    def rename(self, transaction: Transaction, board: Board, old: str, new: str) -> Board:
        """Give a player on a board another userid, and return the board after that.

        Raises BoardChanged, and DamagedHistory if the history would not replay then.
        """
        name, version = board.name, self._next_version(transaction, board.version)
        renamed = self.replayed(name, with_other_userid(board.data, old, new))
        renamed = structs.replace(renamed, version=version)
        self._change(transaction, board, renamed)
        before, after = by_records(board.data), by_records(renamed.data)
        for number, (said, lines) in enumerate(zip(before, after, strict=True)):
            if lines != said:
                transaction.run(_SET_LINES, lines, *name, number)
        transaction.run(
            "INSERT INTO renamed (kind, board, old, new, at) VALUES (?, ?, ?, ?, ?)",
            *name,
            old,
            new,
            int(self._time()),
        )
        transaction.boards[name] = renamed
        return renamed

    def rename_player(self, transaction: Transaction, old: str, new: str) -> int:
        """Give a player another userid on all boards, and return how many these are.

        Raises DamagedHistory for a board that must be repaired first, or that would not replay
        afterwards, for example because one player would have both sides.
        """
        names = index.boards_with(transaction, old)
        for name in names:
            board = self.read(transaction, KINDS[name.kind], name.board)
            self.rename(transaction, board, old, new)
        return len(names)

    def put(self, transaction: Transaction, data: bytes, reading: Reading) -> None:
        """Let a board have another history, damaged or not, or make it. `reading` is what it says.

        Nothing is published.
        """
        before = index.find_entry(transaction, reading.entry.name)
        self.put_all(transaction, [(reading, by_records(data))])
        note_change(transaction, before.finish if before else None, reading.entry.finish)

    def put_all(self, transaction: Transaction, histories: Sequence[WithLines]) -> None:
        """Let boards have other histories, damaged or not, or make them.

        Nothing is published, and no game is counted: whoever does this marks the ratings.
        """
        rows = [_row_of(reading, self._next_version(transaction)) for reading, _ in histories]
        for reading, _ in histories:
            self._remove(transaction, reading.entry.name)
            transaction.boards.pop(reading.entry.name, None)
        transaction.run_all(_MAKE, rows)
        _fill(transaction, histories)

    def remove_damaged(self, transaction: Transaction, kind: Kind, number: int) -> None:
        """Remove a board if it is damaged, so that another one can take its place."""
        with suppress(NotAllowed):
            try:
                self.read(transaction, kind, number)
            except DamagedHistory as damage:
                before = index.find_entry(transaction, damage.name)
                self._remove(transaction, damage.name)
                note_change(transaction, before.finish if before else None, None)

    def _remove(self, transaction: Transaction, name: BoardName) -> None:
        """Remove the rows of a board, if it is there."""
        row = transaction.row(
            "DELETE FROM boards WHERE kind = ? AND board = ? RETURNING state", *name
        )
        if row:
            _count(transaction, name.kind, index.BoardState(row[0]), -1)

    def _next_version(self, snapshot: Snapshot, before: int = 0) -> int:
        """Return a version that is higher than all that were given, as far as we know them.

        It is the time in microseconds, unless the clock was set back.
        """
        if not self._version:
            self._version = snapshot.number("SELECT max(version) FROM boards")
        now = int(self._time() * MICROSECONDS)
        self._version = max(self._version + 1, before + 1, now)
        return self._version

    def _change(self, transaction: Transaction, before: Board, after: Board) -> None:
        """Let the row of a board say what its history says now. Raises BoardChanged."""
        name, entry = after.name, index.entry_of(after.game)
        row = after.version, *_course(entry), *name, before.version
        if not transaction.run(_CHANGE, *row):
            raise BoardChanged(str(name))
        if before.state is not after.state:
            _count(transaction, name.kind, before.state, -1)
            _count(transaction, name.kind, after.state, 1)
        said = before.state, {before.game.x, before.game.o}, before.userids
        if said != (after.state, {entry.x, entry.o}, after.userids):
            forget = "DELETE FROM board_userids WHERE kind = ? AND board = ?"
            transaction.run(forget, *name)
            _add_userids(transaction, [(entry, after.userids)])
        if before.game.result or after.game.result:
            note_change(transaction, finish_of(before.game), finish_of(after.game))


def _count(transaction: Transaction, kind: str, state: index.BoardState, number: int) -> None:
    """Count a board, or one less."""
    transaction.run(
        "INSERT INTO board_counts (kind, state, number) VALUES (?, ?, ?) ON CONFLICT (kind, state) "
        "DO UPDATE SET number = board_counts.number + excluded.number",
        kind,
        state.value,
        number,
    )


def _fill(transaction: Transaction, histories: Iterable[WithLines]) -> None:
    """Write what belongs to the rows of boards that were made."""
    records, damages = list[tuple[Value, ...]](), list[tuple[Value, ...]]()
    for reading, parts in histories:
        entry = reading.entry
        kind, board = entry.name
        records += [(kind, board, number, lines) for number, lines in enumerate(parts)]
        if isinstance(entry, index.Damage):
            damages.append((kind, board, entry.line, entry.reason, entry.x, entry.o))
    transaction.run_all(_ADD, records)
    transaction.run_all(_ADD_DAMAGE, damages)
    for (kind, state), number in Counter(
        (reading.entry.name.kind, reading.entry.state) for reading, _ in histories
    ).items():
        _count(transaction, kind, state, number)
    _add_userids(transaction, [(reading.entry, reading.userids) for reading, _ in histories])


def _add_userids(
    transaction: Transaction, boards: Iterable[tuple[index.Entry | index.Damage, Iterable[str]]]
) -> None:
    transaction.run_all(
        "INSERT INTO board_userids (userid, kind, board, state, is_owner) VALUES (?, ?, ?, ?, ?)",
        [
            (userid, *entry.name, entry.state.value, int(userid in entry.owners))
            for entry, userids in boards
            for userid in sorted(userids)
        ],
    )


def _course(entry: index.Entry) -> tuple[Value, ...]:
    """Return those columns of a board that records change, after the version."""
    return (
        entry.state.value,
        entry.x,
        entry.o,
        entry.to_move,
        format_outcome(entry.result) if entry.result else None,
        seconds(entry.latest),
        entry.records,
        seconds(entry.due) if entry.due else None,
    )


def _row_of(reading: Reading, version: int) -> tuple[Value, ...]:
    """Return the columns of a board in their order."""
    entry, source = reading.entry, reading.source
    head = version, reading.challenge, *((source.word, source.number) if source else (None, None))
    if isinstance(entry, index.Damage):
        nothing = "", "", "", None, None, 0, 0, 0, 0, None
        return *head, index.BoardState.DAMAGED.value, *nothing, *entry.name
    state, x, o, to_move, result, *rest = _course(entry)
    started = int(entry.is_rated), seconds(entry.started)
    return *head, state, entry.grid, x, o, to_move, result, *started, *rest, *entry.name

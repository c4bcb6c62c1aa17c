"""The boards of a home: their histories, kept line by line, and what is said about each.

    board = boards.read(snapshot, kind, 17)
    boards.append(transaction, board, board.game.act(..))

The rows are the truth about the games. A board's own row says what its history says, so that boards
are found without reading histories; both are written by the same transaction. What a transaction
has changed is in `transaction.follows` until it is published (`publishing.py`).
"""

import os
import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct, structs

from pbm_oust.board import Game, Summary
from pbm_oust.board import history as histories
from pbm_oust.board.notation import format_header, format_outcome
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import index
from pbm_oust.store.database import Identity, Snapshot, Transaction, Value, seconds
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.index import BoardName, Source
from pbm_oust.store.ladders import catch_up, challenge_of, note_board
from pbm_oust.store.players import Player, drop_players, note_players, playing
from pbm_oust.store.ratings import note_change
from pbm_oust.store.tournaments import note_end
from pbm_oust.tournaments.ladder import SOURCE as LADDER
from pbm_oust.tournaments.ladder import Challenge

K = TypeVar("K")
V = TypeVar("V")

LONG = 300
"""The most records of a board that is read and written at once."""
MOST_RECORDS = 100_000
"""The most records of all remembered boards together."""
_BOARD = 50
"""The weight of a board without records, in records."""
_ACTIVE, _OVER = index.BoardState.ACTIVE.value, index.BoardState.OVER.value
_DAMAGED = (index.BoardState.DAMAGED.value, "", "", "", None, None, 0, 0, 0, 0, None)
"""The columns of a damaged board, from the state on."""
_NUMBER = rb"([1-9][0-9]{0,8})"
_STARTED = re.compile(
    rb"\n# challenge ([0-9a-f]{16})\n"
    rb"(?:# ([a-z]{1,16}) %b(?: round %b section %b)?\n)?" % (_NUMBER, _NUMBER, _NUMBER)
)
_RECORD = re.compile(rb"\n {0,3}([0-9]+) [xo*] ")
MICROSECONDS = 1_000_000
"""The number of versions in a second: a version is a time, or higher than the one before."""

_MAKE = (
    "INSERT INTO boards VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO NOTHING"
)
_CHANGE = (
    "UPDATE boards SET version = ?, state = ?, grid = ?, x = ?, o = ?, to_move = ?, result = ?, "
    "is_rated = ?, started = ?, latest = ?, records = ?, due = ? "
    "WHERE kind = ? AND board = ? AND version = ?"
)
_ADD = "INSERT INTO records (kind, board, number, lines) VALUES (?, ?, ?, ?)"
_ADD_USERID = (
    "INSERT INTO board_userids (userid, kind, board, state, is_owner) VALUES (?, ?, ?, ?, ?)"
)
_WANT_OPENINGS = "INSERT INTO openings_wanted (kind, board) VALUES (?, ?) ON CONFLICT DO NOTHING"
_SET_LINES = "UPDATE records SET lines = ? WHERE kind = ? AND board = ? AND number = ?"


class NoSuchBoard(NotAllowedReason, frozen=True):
    """A board number that does not exist."""

    kind: Kind
    board: int


class DamagedBoard(NotAllowedReason, frozen=True):
    """A board with a damaged history, which the operator has to repair."""

    kind: Kind
    board: int


class DamagedHistory(Exception):
    """A history that does not replay.

    The operator has to repair it; nothing is written to it, and other boards go on.
    """

    def __init__(self, path: Path, error: histories.BadHistory | OSError) -> None:
        is_bad = isinstance(error, histories.BadHistory)
        super().__init__(f"{path}: {error}" if is_bad else str(error))
        self.path = path
        self.line = error.line if isinstance(error, histories.BadHistory) else 0
        """The line at fault; 0 if its file as a whole cannot be read."""
        self.reason = (
            error.reason if isinstance(error, histories.BadHistory) else str(error.strerror)
        )

    @property
    def name(self) -> BoardName:
        """The name of the board."""
        return BoardName(self.path.parent.name, int(self.path.stem))

    def refusal(self) -> NotAllowed:
        """Return the refusal for somebody who only wants to look at the board."""
        return NotAllowed(DamagedBoard(KINDS[self.name.kind], self.name.board))


class BoardChanged(OSError):
    """A board changed since it was read; the command has to be carried out again."""


class Board(Struct, frozen=True):
    """A board as read from the database."""

    game: Game
    data: bytes
    """The history."""
    userids: frozenset[str]
    """All userids in the history."""
    version: int = 0
    """A number that changes with the history; 0 for a board that is in no database."""

    @property
    def name(self) -> BoardName:
        """The kind and the number."""
        return BoardName.of(self.game.header)

    @property
    def state(self) -> str:
        """The state of the game."""
        return _OVER if self.game.result else _ACTIVE


class Rows(Struct, frozen=True):
    """The rows of a board in all tables."""

    name: BoardName
    columns: tuple[Value, ...]
    """The columns after the version: see `columns_in`."""
    userids: list[tuple[Value, ...]]
    """The rows of the userids in the history."""
    records: list[bytes]
    """The lines of the history, by record."""
    challenge: Challenge | None = None
    """The ladder challenge that began the board, if any."""
    players: frozenset[Player] = frozenset()
    """The owners of the sides."""

    @property
    def state(self) -> str:
        """The state of the board."""
        return str(self.columns[5])

    @property
    def is_damaged(self) -> bool:
        """Whether its history does not replay."""
        return self.state == index.BoardState.DAMAGED.value


def challenge_remark(key: str) -> bytes:
    """Return the line with the message key of the mail that started a board."""
    return f"# challenge {key}\n".encode()


def board_of_history(name: BoardName, data: bytes) -> Board:
    """Return the board of a history, every record checked against the rules. Raises BadHistory."""
    history = histories.read_history(data)
    header = history.game.header
    if header.kind.name != name.kind:
        raise histories.BadHistory(2, f"in this folder the kind is {name.kind}")
    if header.board != name.board:
        raise histories.BadHistory(3, f"by the name of the file this is board {name.board}")
    whole = data[: history.whole_length]
    return Board(history.game, whole, histories.userids_in(whole))


def _continued(board: Board, data: bytes) -> Board | None:
    """Return what a board has become by a history that goes on where the board's own ends.

    None if it goes on elsewhere, if the game was over, or if a new record is damaged.
    """
    if board.game.result or not data.startswith(board.data):
        return None
    added = data[len(board.data) :]
    try:
        further = histories.read_further(board.game, added)
    except histories.BadHistory:
        return None
    whole = data[: len(board.data) + further.whole_length]
    return Board(further.game, whole, board.userids | histories.userids_in(b"\n" + added))


def read_rows(name: BoardName, data: bytes) -> Rows:
    """Return the rows for a history, damaged or not; a trusted one is not replayed."""
    said = index.believe(name, data)
    if not said:
        with suppress(histories.BadHistory):
            said = index.entry_of(board_of_history(name, data).game)
    return rows_of(name, said, data)


def rows_of(name: BoardName, said: Summary | None, data: bytes) -> Rows:
    """Return the rows for a history and its summary, which is None if the history is damaged."""
    key, source = started_in(data)
    state, *rest = _columns(said) if said else _DAMAGED
    columns = (key, *(structs.astuple(source) if source else (None,) * 4), state, *rest)
    userids = histories.userids_in(data)
    if not (said or _has_header(data)):
        userids |= {index.ANYBODY}
    rows = _userids(name, state, {said.x, said.o} if said else (), userids)
    players = playing(said) if said else frozenset[Player]()
    return Rows(name, columns, rows, by_records(data), _challenge(said, data), players)


def columns_in(snapshot: Snapshot, name: BoardName) -> tuple[Value, ...]:
    """Return the columns after the version in a board's row; none if there is no board."""
    row = snapshot.row("SELECT * FROM boards WHERE kind = ? AND board = ?", *name)
    return row[3:] if row else ()


def started_in(data: bytes) -> tuple[str | None, Source | None]:
    """Return the message key of the mail that started a board, and the board's source."""
    started = _STARTED.search(data)
    if not started:
        return None, None
    key, word, number, *place = started.groups()
    parts = (int(each) if each else None for each in place)
    return key.decode(), Source(word.decode(), int(number), *parts) if word else None


def without_source(data: bytes) -> bytes:
    """Return a history without the source of its board."""
    while (started := _STARTED.search(data)) and started[2]:
        data = data[: started.start(2) - len("# ")] + data[started.end() :]
    return data


def _note_end(transaction: Transaction, name: BoardName, data: bytes) -> None:
    """Mark the source of a board for a look, after its game has ended or changed."""
    _, source = started_in(data)
    if source and source.round:
        note_end(transaction, name.kind, source)


def _challenge(said: Summary | None, data: bytes) -> Challenge | None:
    """Return the ladder challenge that began a board, or None."""
    _, source = started_in(data)
    is_of_ladder = source is not None and source.word == LADDER
    return challenge_of(said, data) if is_of_ladder and said else None


def _has_header(data: bytes) -> bool:
    """Return whether a history has a readable header."""
    with suppress(histories.BadHistory):
        histories.read_header(data)
        return True
    return False


def by_records(text: bytes, after: int = 0) -> list[bytes]:
    """Return the lines of a history, or its last ones, by record.

    Lines below a record belong to it. The first part is what stands above the first record: the
    header, or what belongs to the record with the number `after`.
    """
    parts, begun = list[bytes](), 0
    for found in _RECORD.finditer(b"\n" + text):
        if int(found[1]) == after + len(parts) + 1:
            parts.append(text[begun : found.start()])
            begun = found.start()
    return [*parts, text[begun:]]


class Latest(Generic[K, V]):
    """A cache that forgets the values unused for longest.

    All values together weigh at most `most`, or there is a single one that weighs more. `weight`
    weighs a value. Any number of threads may use it.
    """

    def __init__(self, most: int, weight: Callable[[V], int] = lambda _: 1) -> None:
        self._most = most
        self._weight = weight
        self._kept: OrderedDict[K, tuple[int, V]] = OrderedDict()
        self._weighs = 0
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, or None."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[1]

    def put(self, key: K, value: V) -> None:
        """Store a value, in place of any earlier one."""
        weight = self._weight(value)
        with self._lock:
            self._weighs += weight - self._kept.pop(key, (0, None))[0]
            self._kept[key] = weight, value
            while self._weighs > self._most and len(self._kept) > 1:
                _, (lost, _) = self._kept.popitem(last=False)
                self._weighs -= lost


class Boards:
    """The boards of a home. Any number of threads may use it.

    `folder` is the home, used in messages about histories; `time` gives the seconds since the
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
        """Return the path of a board's published history."""
        return name.file_in(self._folder)

    # Reading

    def read(self, snapshot: Snapshot, kind: Kind, number: int) -> Board:
        """Return a board. Raises NotAllowed if there is none, and DamagedHistory."""
        name = BoardName(kind.name, number)
        if isinstance(snapshot, Transaction) and name in snapshot.follows:
            changed: Board = snapshot.follows[name]
            return changed
        version = snapshot.seen.get(name) or self.version(snapshot, name)
        if version is None:
            raise NotAllowed(NoSuchBoard(kind, number), str(number))
        snapshot.seen[name] = version
        key = snapshot.identity, name
        known = self._latest.get(key)
        if known and known.version == version:
            return known
        data = self.history(snapshot, name)
        board = (known and _continued(known, data)) or self.replayed(name, data)
        board = structs.replace(board, version=version)
        self._latest.put(key, board)
        return board

    def version(self, snapshot: Snapshot, name: BoardName) -> int | None:
        """Return the version of a board; None if there is no board."""
        row = snapshot.row("SELECT version FROM boards WHERE kind = ? AND board = ?", *name)
        return row[0] if row else None

    def is_long(self, snapshot: Snapshot, name: BoardName) -> bool:
        """Return whether a board has so many records that all work on it takes time.

        A damaged board counts as long, as it is read anew each time.
        """
        search = "SELECT state = 'damaged' OR records > ? FROM boards WHERE kind = ? AND board = ?"
        row = snapshot.row(search, LONG, *name)
        return bool(row and row[0])

    def is_remembered(self, snapshot: Snapshot, name: BoardName) -> bool:
        """Return whether a board is remembered in its present state."""
        known = self._latest.get((snapshot.identity, name))
        return known is not None and known.version == self.version(snapshot, name)

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

    def next_number(self, snapshot: Snapshot, kind: Kind) -> int:
        """Return the number for a new board.

        No row and no file has it: a file without a row may be all that is left of a board.
        """
        number = 1 + snapshot.number("SELECT max(board) FROM boards WHERE kind = ?", kind.name)
        while os.path.lexists(self.path(index.BoardName(kind.name, number))):
            number += 1
        return number

    def replayed(self, name: BoardName, data: bytes) -> Board:
        """Return the board with a history. Raises DamagedHistory."""
        try:
            return board_of_history(name, data)
        except histories.BadHistory as error:
            raise DamagedHistory(self.path(name), error) from None

    def remember(self, identity: Identity | None, board: Board) -> None:
        """Remember a board of a database, as a durable transaction has changed it."""
        self._latest.put((identity, board.name), board)

    # Writing

    def start(self, transaction: Transaction, game: Game, remarks: bytes = b"") -> Board:
        """Make a board of a game, which may have begun elsewhere, and return it.

        `remarks` are whole lines to go below the header. Raises BoardChanged if the number is
        taken.
        """
        text = (
            format_header(game.header).encode()
            + remarks
            + histories.format_records(game, 0).encode()
        )
        return self.start_from(transaction, game, text)

    def start_from(self, transaction: Transaction, game: Game, text: bytes) -> Board:
        """Make a board of a whole history, which replays to a game, and return it.

        Raises BoardChanged if the number is taken.
        """
        version, said = self._next_version(transaction), index.entry_of(game)
        board = Board(game, text, histories.userids_in(text), version)
        rows = rows_of(board.name, said, text)
        if not transaction.run(_MAKE, *board.name, version, *rows.columns):
            raise BoardChanged(str(board.name))
        _fill(transaction, [rows])
        transaction.follows[board.name] = board
        note_change(transaction, None, said)
        if rows.challenge:
            note_board(transaction, board.name, rows.challenge)
            catch_up(transaction, board.name.kind)
        return board

    def append(self, transaction: Transaction, board: Board, acted: Game) -> Board:
        """Add the new records of a game to a board, and return the changed board.

        Raises BoardChanged.
        """
        records, name = len(board.game.records), board.name
        if len(acted.records) == records:
            return board
        text = histories.format_records(acted, records).encode()
        after = structs.replace(
            board,
            game=acted,
            data=board.data + text,
            userids=board.userids | histories.userids_in(b"\n" + text),
            version=self._next_version(transaction, board.version),
        )
        self._change(transaction, board, after)
        for number, lines in enumerate(by_records(text, records)[1:], records + 1):
            transaction.run(_ADD, *name, number, lines)
        transaction.follows[name] = after
        return after

    def rename(self, transaction: Transaction, board: Board, old: str, new: str) -> Board:
        """Change a player's userid on a board, and return the changed board.

        Raises BoardChanged, and DamagedHistory if the history would not replay then.
        """
        name, version = board.name, self._next_version(transaction, board.version)
        renamed = self.replayed(name, histories.with_other_userid(board.data, old, new))
        renamed = structs.replace(renamed, version=version)
        self._change(transaction, board, renamed, is_renamed=True)
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
        transaction.follows[name] = renamed
        return renamed

    def rename_player(self, transaction: Transaction, old: str, new: str) -> int:
        """Change a player's userid on all boards, and return their number.

        Raises DamagedHistory for a board that must be repaired first, or that would not replay
        afterwards, for example because one player would have both sides.
        """
        names = index.boards_with(transaction, old)
        for name in names:
            board = self.read(transaction, KINDS[name.kind], name.board)
            self.rename(transaction, board, old, new)
        return len(names)

    def put(
        self, transaction: Transaction, name: BoardName, said: Summary | None, data: bytes
    ) -> None:
        """Write a board with a history, new or in place of another: see `rows_of`.

        Nothing is published.
        """
        before = index.find_entry(transaction, name)
        self.put_all(transaction, [rows_of(name, said, data)])
        note_change(transaction, before, said)
        catch_up(transaction, name.kind)

    def put_all(self, transaction: Transaction, boards: Sequence[Rows]) -> None:
        """Write boards with histories, damaged or not, new or in place of others.

        Nothing is published, and no game is counted: the caller marks the ratings. Ladders follow
        with the next sweep.
        """
        made = [(*board.name, self._next_version(transaction), *board.columns) for board in boards]
        for board in boards:
            was_there = self.remove(transaction, board.name)
            transaction.follows.pop(board.name, None)
            if was_there or board.challenge:
                note_board(transaction, board.name, board.challenge)
        transaction.run_all(_MAKE, made)
        _fill(transaction, boards)
        for board in boards:
            _note_end(transaction, board.name, b"".join(board.records[:1]))

    def remove(self, transaction: Transaction, name: BoardName) -> bool:
        """Remove the rows of a board; return whether there was one. The ratings stay."""
        row = transaction.row(
            "DELETE FROM boards WHERE kind = ? AND board = ? RETURNING state, x, o", *name
        )
        if row:
            transaction.seen.pop(name, None)
            state, *owners = row
            _count(transaction, name.kind, state, -1)
            drop_players(transaction, owners)
        return row is not None

    def _next_version(self, snapshot: Snapshot, before: int = 0) -> int:
        """Return a version higher than all given before, as far as they are known.

        It is the time in microseconds, unless the clock was set back.
        """
        if not self._version:
            self._version = snapshot.number("SELECT max(version) FROM boards")
        now = int(self._time() * MICROSECONDS)
        self._version = max(self._version + 1, before + 1, now)
        return self._version

    def _change(
        self, transaction: Transaction, before: Board, after: Board, *, is_renamed: bool = False
    ) -> None:
        """Update a board's row for its changed history. Raises BoardChanged."""
        name, said = after.name, index.entry_of(after.game)
        row = after.version, *_columns(said), *name, before.version
        if not transaction.run(_CHANGE, *row):
            raise BoardChanged(str(name))
        was, state = before.state, after.state
        if was != state:
            _count(transaction, name.kind, was, -1)
            _count(transaction, name.kind, state, 1)
        said_before = was, before.game.x, before.game.o, before.userids
        if said_before != (state, said.x, said.o, after.userids):
            forget = "DELETE FROM board_userids WHERE kind = ? AND board = ?"
            transaction.run(forget, *name)
            userids = _userids(name, state, {said.x, said.o}, after.userids)
            transaction.run_all(_ADD_USERID, userids)
        note_players(transaction, playing(said) - playing(before.game.summary))
        drop_players(transaction, {before.game.x, before.game.o} - {said.x, said.o})
        if after.game.result and not before.game.result:
            transaction.run(_WANT_OPENINGS, *name)
        if before.game.result or after.game.result:
            note_change(transaction, before.game.summary, after.game.summary)
            _note_end(transaction, name, before.data)
        if before.game.result or after.game.result or is_renamed:
            challenge = _challenge(said, after.data)
            if challenge:
                note_board(transaction, name, challenge, is_renamed=is_renamed)
                if not is_renamed:
                    catch_up(transaction, name.kind)


def _count(transaction: Transaction, kind: str, state: str, number: int) -> None:
    """Add a number, perhaps -1, to the count of boards in a state."""
    transaction.run(
        "INSERT INTO board_counts (kind, state, number) VALUES (?, ?, ?) ON CONFLICT (kind, state) "
        "DO UPDATE SET number = board_counts.number + excluded.number",
        kind,
        state,
        number,
    )


def _fill(transaction: Transaction, boards: Sequence[Rows]) -> None:
    """Write the rows of new boards in all other tables."""
    lines = [(*each.name, *line) for each in boards for line in enumerate(each.records)]
    transaction.run_all(_ADD, lines)
    for (kind, state), number in Counter((each.name.kind, each.state) for each in boards).items():
        _count(transaction, kind, state, number)
    transaction.run_all(_ADD_USERID, [row for each in boards for row in each.userids])
    note_players(transaction, (player for each in boards for player in each.players))
    transaction.run_all(_WANT_OPENINGS, [(*each.name,) for each in boards if each.state == _OVER])


def _columns(said: Summary) -> tuple[Value, ...]:
    """Return the columns of a board from its state on, by its summary."""
    return (
        _OVER if said.result else _ACTIVE,
        str(said.grid),
        said.x,
        said.o,
        said.to_move,
        format_outcome(said.result) if said.result else None,
        int(said.is_rated),
        seconds(said.started),
        seconds(said.latest),
        said.records,
        seconds(said.due) if said.due else None,
    )


def _userids(
    name: BoardName, state: Value, owners: Collection[str], userids: Iterable[str]
) -> list[tuple[Value, ...]]:
    return [(userid, *name, state, int(userid in owners)) for userid in sorted(userids)]

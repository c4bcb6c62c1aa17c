"""The boards of a home: read, started and continued.

    board = boards.read(snapshot, kind, 17)
    acted = board.game.act(..)
    database.write(lambda transaction: boards.append(transaction, board, acted, key))
    settle(database, boards)

What is written waits in the database until it is in the histories (`settling.py`).
"""

import threading
from contextlib import AbstractContextManager, suppress

from pbm_oust.accounts.clock import earliest_ruling
from pbm_oust.board.game import Game
from pbm_oust.board.history import BadHistory, History, format_records
from pbm_oust.board.notation import format_header
from pbm_oust.board.rename import with_other_userid
from pbm_oust.board.summary import Summary, summary_of
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store import index
from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.entries import (
    Due,
    Entry,
    Reading,
    believe,
    read_damage,
    read_entry,
    read_told,
)
from pbm_oust.store.histories import (
    NO_STAMP,
    DamagedHistory,
    Found,
    HeldHistory,
    Histories,
    NoSuchBoard,
    Stamp,
)
from pbm_oust.store.joining import Joined, join
from pbm_oust.store.replays import Replay, Replays
from pbm_oust.store.seen import (
    MISSING,
    Board,
    BoardChanged,
    Seen,
    SeenBoards,
    name_of,
    settled,
)
from pbm_oust.store.waiting import BoardName, Lines, Waiting, add_lines, add_rewriting, waiting_for


def challenge_remark(key: str) -> bytes:
    """Return the line of a history with the key of the message that started the board."""
    return f"# challenge {key}\n".encode()


class Boards:
    """The boards of a home. Any number of threads may use it.

    The methods raise DamagedHistory if a history cannot be read or does not replay, and
    DatabaseFault.
    """

    def __init__(self, histories: Histories, due: Due = earliest_ruling) -> None:
        self.histories = histories
        self._due = due
        self._replays = Replays()
        self._seen = SeenBoards(histories)
        self._doubtful = set[BoardName]()
        self._lock = threading.Lock()

    def read(self, snapshot: Snapshot, kind: Kind, number: int) -> Board:
        """Return a board. Raises NotAllowed if there is none, and DamagedHistory."""
        name = BoardName(kind.name, number)
        seen = self._seen.look(snapshot, name)
        if not seen.is_there:
            raise NotAllowed(NoSuchBoard(kind, number), str(number))
        if index.stamp_in(snapshot, name) != seen.stamp:
            with self._lock:
                self._doubtful.add(name)
        return Board(self.replayed(name, seen.data).replay, seen)

    def summary(self, snapshot: Snapshot, entry: Entry) -> Summary:
        """Return what a list says about a board in the index.

        Its history is read only if it is not the one that the index knows. Raises NotAllowed if
        there is none, and DamagedHistory.
        """
        with suppress(OSError):
            stamp = self.histories.stamp(entry.name, snapshot)
            if index.stamp_in(snapshot, entry.name) == stamp:
                return entry.summary
        return summary_of(self.read(snapshot, KINDS[entry.name.kind], entry.name.board).game)

    def read_file(self, kind: Kind, number: int) -> Board:
        """Return a board from its file alone, without a database. Raises as `read` does."""
        name = BoardName(kind.name, number)
        try:
            found = self.histories.read(name)
        except NoSuchFile:
            raise NotAllowed(NoSuchBoard(kind, number), str(number)) from None
        except OSError as error:
            raise DamagedHistory(self.histories.path(name), error) from None
        return self.replayed(name, join(found.data, Waiting()).content)

    def next_number(self, snapshot: Snapshot, kind: Kind) -> int:
        """Return the number that a new board will have."""
        number = index.highest_number(snapshot, kind.name) + 1
        while self.histories.stamp(BoardName(kind.name, number), snapshot) != NO_STAMP:
            number += 1  # a history that the index does not know yet
        return number

    def start(self, transaction: Transaction, game: Game, key: str, remarks: bytes = b"") -> Board:
        """Make a board of a game, which may have begun elsewhere, and return it.

        `remarks` are whole lines to go below the header. Raises BoardChanged if a board has that
        number already.
        """
        text = format_header(game.header).encode() + remarks + format_records(game, 0).encode()
        return self.start_from(transaction, game, text, key)

    def start_from(self, transaction: Transaction, game: Game, text: bytes, key: str) -> Board:
        """Make a board of a whole history, which replays to a game, and return the board.

        Raises BoardChanged if a board has that number already.
        """
        seen = MISSING
        if not self.histories.is_within_database:
            seen = self._seen.look(transaction, name_of(game))
        if seen.is_there:
            raise BoardChanged(str(name_of(game)))
        history = History(game, game.result is not None, len(text))
        replay = Replay(text, history, read_told(text))
        return self._write(transaction, Lines(0, text, key), seen, replay)

    def history(self, snapshot: Snapshot, name: BoardName) -> bytes:
        """Return the history of a board, with what waits for it, damaged or not.

        Raises NoSuchFile.
        """
        seen = self._seen.look(snapshot, name)
        if not seen.is_there:
            raise NoSuchFile(str(name))
        return seen.data

    def is_there(self, snapshot: Snapshot, name: BoardName) -> bool:
        """Return whether there is a board, damaged or not."""
        return self._seen.look(snapshot, name).is_there

    def append(self, transaction: Transaction, board: Board, acted: Game, key: str) -> Board:
        """Add the new records of a game to a board, and return the board after that.

        Without new records, a missing result line is added. Raises BoardChanged.
        """
        after = self.after(board, acted)
        text = after.data[len(board.data) :]
        seen = board.seen if text else None
        if not (seen and self._extends(seen)):
            seen = self._see_unchanged(transaction, board)
        if not text:
            return board
        lines = Lines(len(board.game.records) + 1, text, key)
        return self._write(transaction, lines, seen, after.replay)

    def after(self, board: Board, acted: Game) -> Board:
        """Return a board with the records of a game added."""
        text = format_records(acted, len(board.game.records)).encode()
        if board.has_result_line or not text:
            return board
        return Board(board.replay.with_records(text, acted))

    def rename(self, transaction: Transaction, board: Board, old: str, new: str) -> Board:
        """Give a player on a board another userid, and return the board after that.

        Raises BoardChanged, and DamagedHistory if the history would not replay then.
        """
        seen = self._see_unchanged(transaction, board)
        renamed = self.renamed(board, old, new)
        add_rewriting(transaction, board.name, old, new)
        index.put(transaction, self._reading_of(renamed.replay), seen.stamp)
        return renamed

    def renamed(self, board: Board, old: str, new: str) -> Board:
        """Return a board on which a player has another userid. Raises DamagedHistory."""
        return self.replayed(board.name, with_other_userid(board.data, old, new))

    def replayed(self, name: BoardName, data: bytes) -> Board:
        """Return the board of a history. Raises DamagedHistory."""
        try:
            return Board(self._replays.replay(name, data))
        except BadHistory as error:
            raise DamagedHistory(self.histories.path(name), error) from None

    def look(
        self, snapshot: Snapshot, name: BoardName, *, believes: bool = True
    ) -> tuple[Reading, Stamp] | None:
        """Return what the index should say about a board, and the stamp of its file.

        None if there is no such board. A history that ends with its result may be believed.
        """
        waiting = waiting_for(snapshot, name)
        return self.look_with(name, waiting, believes=believes, within=snapshot)

    def look_with(
        self,
        name: BoardName,
        waiting: Waiting,
        *,
        believes: bool = True,
        within: Snapshot | None = None,
    ) -> tuple[Reading, Stamp] | None:
        """Return what `look` does, given what waits for the board."""
        try:
            seen = self._seen.look_with(name, waiting, within)
        except DamagedHistory as damage:
            return read_damage(name, None, damage.line, damage.reason), NO_STAMP
        if not seen.is_there:
            return None
        return self._reading(name, seen.data, believes=believes), seen.stamp

    def held(self, name: BoardName) -> AbstractContextManager[HeldHistory]:
        """Lock the history of a board, so that nobody else writes to it. Raises NoSuchFile."""
        return self.histories.held(name, self._seen.known_file(name))

    def joined(self, name: BoardName, found: Found, waiting: Waiting) -> Joined:
        """Return what the file of a board and what waits for it say."""
        return self._seen.joined(name, found, waiting).joined

    def take_doubtful(self) -> frozenset[BoardName]:
        """Return the boards that were read since the last call and do not fit the index."""
        with self._lock:
            taken, self._doubtful = frozenset(self._doubtful), set()
        return taken

    def _see_unchanged(self, snapshot: Snapshot, board: Board) -> Seen:
        seen = self._seen.look(snapshot, board.name)
        if not seen.is_there or seen.data != board.data:
            raise BoardChanged(str(board.name))
        return seen

    def _reading(self, name: BoardName, data: bytes, *, believes: bool) -> Reading:
        if believes and not self._replays.recall(name, data):
            reading = believe(name, data)
            if reading:
                return reading
        try:
            return self._reading_of(self._replays.replay(name, data))
        except BadHistory as error:
            return read_damage(name, data, error.line, error.reason)

    def _reading_of(self, replay: Replay) -> Reading:
        return read_entry(replay.told, replay.history.game, self._due)

    def _write(self, transaction: Transaction, lines: Lines, seen: Seen, replay: Replay) -> Board:
        """Let a history have lines, with which it replays, and write that into the index.

        They wait for the history if that is not within the database.
        """
        name, written = name_of(replay.history.game), None
        if self._extends(seen):
            changed = BoardChanged(str(name))
            written = self.histories.extend(transaction, name, seen.found, replay.data, changed)
        else:
            add_lines(transaction, name, lines)
        index.put(transaction, self._reading_of(replay), seen.stamp)
        after = settled(written()) if written else seen.with_lines(lines, replay.data)
        if after.stamp != seen.stamp:
            index.note_stamp(transaction, name, after.stamp)
        self._replays.remember(name, replay)
        self._seen.remember(name, after)
        return Board(replay, after)

    def _extends(self, seen: Seen) -> bool:
        """Return whether lines are written into a history itself, with their transaction."""
        return self.histories.is_within_database and seen.is_settled

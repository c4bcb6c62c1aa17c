"""The boards of a home: histories read, checked and continued."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from pbm_oust.board.game import Game
from pbm_oust.board.header import Header
from pbm_oust.board.history import BadHistory, History, format_records, read_header, read_history
from pbm_oust.board.notation import format_result
from pbm_oust.board.rename import userids_in, with_other_userid
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.histories import NoSuchBoard
from pbm_oust.store.home import HistoryFile, Home

MOST_REMEMBERED = 2000
"""Of how many histories a process remembers what they replay to, those read last."""

_SEEK = re.compile(rb"^# seek ([1-9][0-9]*)$", re.MULTILINE)


class DamagedHistory(Exception):
    """A history that cannot be read or does not replay.

    The operator has to mend it; nothing is written to it, and other boards are not disturbed.
    `line` is 0 where the file as a whole cannot be read.
    """

    def __init__(self, path: Path, error: BadHistory | OSError) -> None:
        super().__init__(f"{path}: {error}" if isinstance(error, BadHistory) else str(error))
        self.path = path
        self.line = error.line if isinstance(error, BadHistory) else 0
        self.reason = error.reason if isinstance(error, BadHistory) else str(error.strerror)


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """A board that is held for writing, and its game."""

    game: Game
    _file: HistoryFile
    _history: History

    def append(self, game: Game) -> None:
        """Add the records that `game` has beyond those of the board, all of them or none."""
        self._file.append(
            format_records(game, since=len(self.game.records)), self._history.whole_length
        )

    def rename(self, old: str, new: str) -> None:
        """Write the history whole with another userid for a player; nothing may follow.

        The numbering of the kind must be held. Raises DamagedHistory where the new one would not
        replay, as it does not for two sides of one player; nothing has changed then.
        """
        data = with_other_userid(self._file.data, old, new)
        try:
            read_history(data)
        except BadHistory as error:
            raise DamagedHistory(self._file.path, error) from None
        self._file.replace(data)

    def complete(self) -> None:
        """Write the result line if a crash came between it and the last record."""
        if self.game.result and not self._history.has_result_line:
            result = format_result(self.game.result)
            self._file.append(f"{result}\n", self._history.whole_length)


def read_game(home: Home, kind: Kind, board: int) -> Game:
    """Return the game of a board. Raises NotAllowed if there is none, and DamagedHistory."""
    with _readable_board(home, kind, board):
        data = home.read_history(kind.name, board)
    return _checked(home, kind, board, data).game


@contextmanager
def open_board(home: Home, kind: Kind, board: int) -> Iterator[OpenBoard]:
    """Hold a board for writing. Raises NotAllowed if there is none, and DamagedHistory."""
    with ExitStack() as held:
        with _readable_board(home, kind, board):
            file = held.enter_context(home.locked_history(kind.name, board))
        history = _checked(home, kind, board, file.data)
        yield OpenBoard(history.game, file, history)


def challenge_remark(cause: str) -> str:
    """Return the line of a new history that names the message which started the board.

    It stands where records name theirs, so that the same challenge is known when it comes again.
    """
    return f"# challenge {cause}\n"


def seek_remark(number: int) -> str:
    """Return the line of a new history that names the open challenge which it takes."""
    return f"# seek {number}\n"


def seeks_taken(home: Home, kind: Kind, since: datetime) -> set[int]:
    """Return the numbers of the open challenges that boards started after a time took."""
    return {
        int(number) for _, data in _histories(home, kind, since) for number in _SEEK.findall(data)
    }


def find_remark(home: Home, kind: Kind, remark: str, since: datetime) -> Game | None:
    """Return the game whose history has a remark, among those started after a time, or None."""
    line = f"\n{remark}".encode()
    for board, data in _histories(home, kind, since):
        if line in data:
            return read_game(home, kind, board)
    return None


def _histories(home: Home, kind: Kind, since: datetime) -> Iterator[tuple[int, bytes]]:
    """Yield the boards started after a time and what their files hold, the latest number first.

    Boards that were imported may have later numbers than younger ones, so all are looked at.
    """
    for board in reversed(home.boards(kind.name)):
        try:
            data = home.read_history(kind.name, board)
            is_late = read_header(data).started >= since
        except (BadHistory, OSError):
            continue
        if is_late:
            yield board, data


def each_header(home: Home, kind: Kind) -> Iterator[Header | DamagedHistory]:
    """Yield the headers of all boards of a kind in order of their numbers."""
    for board in home.boards(kind.name):
        try:
            yield read_header(home.read_history(kind.name, board))
        except (BadHistory, OSError) as error:
            yield DamagedHistory(home.history_path(kind.name, board), error)


def finished_games(home: Home) -> Iterator[Game]:
    """Yield the games of all boards that are over, damaged ones left out."""
    for kind in KINDS.values():
        for board in home.boards(kind.name):
            with suppress(DamagedHistory, NotAllowed, NoSuchFile, OSError):
                # A board that goes on has no line of a result, and need not be replayed.
                if b"\n= " in home.read_history(kind.name, board):
                    yield read_game(home, kind, board)


def has_played(userid: str, home: Home) -> bool:
    """Return whether this userid has ever been on a board, account or not."""
    return any(userid in userids for _, _, userids in each_userids(home))


def each_userids(home: Home) -> Iterator[tuple[Kind, int, frozenset[str]]]:
    """Yield each board, and the userids that stand in its history, damaged or not."""
    for kind in KINDS.values():
        for board in home.boards(kind.name):
            with suppress(OSError):
                yield kind, board, userids_in(home.read_history(kind.name, board))


@contextmanager
def _readable_board(home: Home, kind: Kind, board: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DamagedHistory(home.history_path(kind.name, board), error) from None
    except NoSuchFile:
        raise NotAllowed(NoSuchBoard(kind, board), str(board)) from None


def _checked(home: Home, kind: Kind, board: int, data: bytes) -> History:
    try:
        history = _replayed(data)
        header = history.game.header
        if header.kind is not kind:
            raise BadHistory(2, f"in this folder the kind is {kind.name}")
        if header.board != board:
            raise BadHistory(3, f"by the name of the file this is board {board}")
    except BadHistory as error:
        raise DamagedHistory(home.history_path(kind.name, board), error) from None
    return history


@lru_cache(maxsize=MOST_REMEMBERED)
def _replayed(data: bytes) -> History:
    """Return what a history says, which depends on its bytes alone. Raises BadHistory.

    Whoever looks at all boards would replay them all each time: sweeps, lists, ratings.
    """
    return read_history(data)

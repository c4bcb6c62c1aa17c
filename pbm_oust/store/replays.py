"""What the histories of boards replay to, remembered for those that were read last.

A history that continues a remembered one is replayed only from there on.
"""

import threading
from collections import OrderedDict

from pbm_oust.board.game import Game, redo
from pbm_oust.board.history import BadHistory, History, read_history
from pbm_oust.board.notation import format_result, parse_record
from pbm_oust.board.record import Record
from pbm_oust.refusal import Refusal
from pbm_oust.store.waiting import BoardName

MOST_REMEMBERED = 2000


class Replays:
    """What histories replay to. Any number of threads may use it.

    It depends only on the bytes of a history, so what is remembered never gets old.
    """

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._remembered: OrderedDict[BoardName, tuple[bytes, History]] = OrderedDict()
        self._lock = threading.Lock()

    def replay(self, name: BoardName, data: bytes) -> History:
        """Return what a history says, every record checked against the rules. Raises BadHistory."""
        with self._lock:
            known, history = self._remembered.get(name, (b"", None))
        if history is None or not data.startswith(known):
            history = _replayed(name, data)
        elif len(data) > len(known):
            history = _continued(history, data[len(known) :]) or _replayed(name, data)
        self.remember(name, data, history)
        return history

    def recall(self, name: BoardName, data: bytes) -> History | None:
        """Return what a history says, if that is remembered."""
        with self._lock:
            known, history = self._remembered.get(name, (b"", None))
        return history if known == data else None

    def remember(self, name: BoardName, data: bytes, history: History) -> None:
        """Keep what a history replays to."""
        with self._lock:
            self._remembered[name] = (data, history)
            self._remembered.move_to_end(name)
            while len(self._remembered) > self._most:
                self._remembered.popitem(last=False)


def _replayed(name: BoardName, data: bytes) -> History:
    """Return what the whole history of a board says. Raises BadHistory."""
    history = read_history(data)
    header = history.game.header
    if header.kind.name != name.kind:
        raise BadHistory(2, f"in this folder the kind is {name.kind}")
    if header.board != name.board:
        raise BadHistory(3, f"by the name of the file this is board {name.board}")
    return history


def _continued(history: History, data: bytes) -> History | None:
    """Return what a history says after more whole lines; None for all but records and a result."""
    game, has_result_line = history.game, history.has_result_line
    try:
        for line in data.decode().split("\n")[:-1]:
            if has_result_line:
                return None
            if game.result and line == format_result(game.result):
                has_result_line = True
            else:
                game = _with_record(game, parse_record(line))
    except (ValueError, Refusal):
        return None
    return History(game, has_result_line, history.whole_length + len(data))


def _with_record(game: Game, record: Record) -> Game:
    """Return a game with one more record. Raises Refusal, and ValueError if it does not fit."""
    following = redo(game, record)
    if following.records[-1] != record:
        raise ValueError("by the rules the record is another one")
    if record.at < game.latest or game.has_message_key(record.message_key):
        raise ValueError("the record does not follow the others")
    return following

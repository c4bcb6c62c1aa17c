"""What the histories of boards replay to, remembered for those that were read last.

A history that continues a remembered one is replayed only from there on.
"""

from pbm_oust.board.game import Game, redo
from pbm_oust.board.history import BadHistory, History, read_history
from pbm_oust.board.notation import format_result, parse_record
from pbm_oust.board.over import format_over
from pbm_oust.board.record import Record
from pbm_oust.frozen import frozen
from pbm_oust.refusal import Refusal
from pbm_oust.store.entries import Told, read_told
from pbm_oust.store.latest import Latest
from pbm_oust.store.waiting import BoardName

MOST_RECORDS = 100_000
"""How many records all remembered boards may have."""
_BOARD = 50
"""To remember a board without records takes about as much memory as so many records."""


@frozen
class Replay:
    """A history, with what it says and what it tells."""

    data: bytes
    history: History
    told: Told

    def goes_on_to(self, data: bytes) -> bool:
        """Return whether a history is this one, or goes on from it."""
        return data.startswith(self.data)

    def with_records(self, text: bytes, game: Game) -> "Replay":
        """Return a history with more lines, which lead to a game and its result."""
        data = self.data + text
        history = History(game, game.result is not None, len(data))
        return Replay(data, history, self.told.with_records(text))


class Replays:
    """What histories replay to. Any number of threads may use it.

    It depends only on the bytes of a history, so what is remembered never gets old.
    """

    def __init__(self, most: int = MOST_RECORDS) -> None:
        self._latest = Latest[BoardName, Replay](
            most, lambda replay: len(replay.history.game.records) + _BOARD
        )

    def replay(self, name: BoardName, data: bytes) -> Replay:
        """Return what a history says, every record checked against the rules. Raises BadHistory."""
        known = self._latest.get(name)
        if known and data == known.data:
            return known
        replay = known and known.goes_on_to(data) and _continued(known, data)
        if not replay:
            replay = Replay(data, _replayed(name, data), read_told(data))
        self.remember(name, replay)
        return replay

    def recall(self, name: BoardName, data: bytes) -> Replay | None:
        """Return what a history says, if that is remembered."""
        known = self._latest.get(name)
        return known if known and known.data == data else None

    def latest_game(self, name: BoardName) -> Game | None:
        """Return the game of a board as it was replayed last, if that is remembered."""
        known = self._latest.get(name)
        return known.history.game if known else None

    def remember(self, name: BoardName, replay: Replay) -> None:
        """Keep what a history replays to."""
        self._latest.put(name, replay)


def _replayed(name: BoardName, data: bytes) -> History:
    """Return what the whole history of a board says. Raises BadHistory."""
    history = read_history(data)
    header = history.game.header
    if header.kind.name != name.kind:
        raise BadHistory(2, f"in this folder the kind is {name.kind}")
    if header.board != name.board:
        raise BadHistory(3, f"by the name of the file this is board {name.board}")
    return history


def _continued(known: Replay, data: bytes) -> Replay | None:
    """Return what a history says that goes on; None if it goes on with other lines than records."""
    game, has_result_line = known.history.game, known.history.has_result_line
    more = data[len(known.data) :]
    try:
        for line in more.decode().split("\n")[:-1]:
            if has_result_line:
                return None
            if game.result and line == format_result(game.result):
                has_result_line = True
            elif game.result and line == format_over(game):
                continue
            else:
                game = _with_record(game, parse_record(line))
    except (ValueError, Refusal):
        return None
    return Replay(data, History(game, has_result_line, len(data)), known.told.with_records(more))


def _with_record(game: Game, record: Record) -> Game:
    """Return a game with one more record. Raises Refusal, and ValueError if it does not fit."""
    following = redo(game, record)
    if following.records[-1] != record:
        raise ValueError("by the rules the record is another one")
    if record.at < game.latest or game.records.has_message_key(record.message_key):
        raise ValueError("the record does not follow the others")
    return following

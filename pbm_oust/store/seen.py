"""What there is of a board: its file and what waits for it, remembered for those looked at last."""

from dataclasses import field

from pbm_oust.board.game import Game
from pbm_oust.frozen import frozen
from pbm_oust.store.connections import Snapshot
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import Stale
from pbm_oust.store.histories import NO_STAMP, DamagedHistory, Found, Histories, Stamp
from pbm_oust.store.joining import Joined, join
from pbm_oust.store.latest import Latest
from pbm_oust.store.replays import Replay
from pbm_oust.store.waiting import NOTHING, BoardName, Lines, Waiting, waiting_for

MOST_BYTES = 16 * 1024 * 1024
"""How much of the histories is remembered."""
_ENTRY = 500
"""About how many bytes it takes to remember an empty one."""


@frozen
class Seen:
    """What was found of a board: nothing, or a history."""

    found: Found | None
    """The file; None if it is missing."""
    waiting: Waiting
    joined: Joined

    @property
    def is_there(self) -> bool:
        """Whether there is such a board."""
        return bool(self.found or self.waiting.lines)

    @property
    def data(self) -> bytes:
        """The whole lines of the file, rewritten, and those that wait."""
        return self.joined.content

    @property
    def stamp(self) -> Stamp:
        """The stamp of the file."""
        return self.found.stamp if self.found else NO_STAMP

    def with_lines(self, lines: Lines, content: bytes) -> "Seen":
        """Return what there is when more lines wait, with which the history is `content`."""
        waiting = Waiting(self.waiting.rewritings, (*self.waiting.lines, lines))
        missing = self.joined.missing + lines.text
        return Seen(self.found, waiting, Joined(self.joined.whole, missing, content))

    @property
    def is_settled(self) -> bool:
        """Whether the file is all there is of the board."""
        return self.data == (self.found.data if self.found else b"") and not self.waiting


MISSING = Seen(None, NOTHING, Joined(0, b"", b""))
"""What there is of a board that nobody has started."""


def settled(found: Found) -> Seen:
    """Return what there is of a board for which nothing waits, and whose lines are whole."""
    return Seen(found, NOTHING, Joined(len(found.data), b"", found.data))


def name_of(game: Game) -> BoardName:
    """Return the kind and the number of a game's board."""
    return BoardName(game.header.kind.name, game.header.board)


class BoardChanged(Stale):
    """A board is no longer as it was read; the unit of work has to start again."""


@frozen
class Board:
    """A board as it was read."""

    replay: Replay
    """Of the whole lines of its history and those that wait."""
    seen: Seen | None = field(default=None, compare=False, repr=False)
    """What was there of it; None for a board that is not to be written."""

    @property
    def game(self) -> Game:
        """The game."""
        return self.replay.history.game

    @property
    def data(self) -> bytes:
        """The history: what is compared at the commit."""
        return self.replay.data

    @property
    def has_result_line(self) -> bool:
        """Whether the history ends with its result."""
        return self.replay.history.has_result_line

    @property
    def name(self) -> BoardName:
        """The kind and the number."""
        return name_of(self.game)


class SeenBoards:
    """Looks at boards. Any number of threads may use it.

    What is remembered depends only on the bytes of a file and on what waits, so it never gets old.
    """

    def __init__(self, histories: Histories, most: int = MOST_BYTES) -> None:
        self._histories = histories
        self._latest = Latest[BoardName, Seen](most, lambda seen: len(seen.data) + _ENTRY)

    def look(self, snapshot: Snapshot, name: BoardName) -> Seen:
        """Return what there is of a board. What waits is read first, as it moves into the file.

        Raises DamagedHistory if the file cannot be read.
        """
        return self.look_with(name, waiting_for(snapshot, name), snapshot)

    def look_with(self, name: BoardName, waiting: Waiting, within: Snapshot | None = None) -> Seen:
        """Return what there is of a board, given what waits for it. Raises as `look` does."""
        known = self._latest.get(name)
        try:
            found = self._histories.read(name, known.found if known else None, within)
        except NoSuchFile:
            found = None
        except OSError as error:
            raise DamagedHistory(self._histories.path(name), error) from None
        return self._joined(name, known, found, waiting)

    def joined(self, name: BoardName, found: Found | None, waiting: Waiting) -> Seen:
        """Return what a file and what waits for it say."""
        return self._joined(name, self._latest.get(name), found, waiting)

    def _joined(
        self, name: BoardName, known: Seen | None, found: Found | None, waiting: Waiting
    ) -> Seen:
        """Return what a file and what waits for it say, given what is remembered."""
        if known and known.found is found and known.waiting == waiting:
            return known
        data = found.data if found else b""
        same = known and known.found and known.found.data == data and known.waiting == waiting
        seen = Seen(found, waiting, known.joined if known and same else join(data, waiting))
        self.remember(name, seen)
        return seen

    def remember(self, name: BoardName, seen: Seen) -> None:
        """Keep what there may be of a board."""
        self._latest.put(name, seen)

    def known_file(self, name: BoardName) -> Found | None:
        """Return what was found in the file of a board, if that is remembered."""
        known = self._latest.get(name)
        return known.found if known else None

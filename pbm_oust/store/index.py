"""The index of boards: summaries, and queries for boards.

A summary is made from a history. A history that ends with its result is trusted: the header is
read, each record is checked for its form, number, time and message key, and the owners follow from
the records that change them. All of it is replayed if the game goes on or a turn was taken back.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from enum import Enum
from functools import lru_cache
from itertools import product
from pathlib import Path

from msgspec import Struct, structs

from pbm_oust.accounts.clock import earliest_ruling
from pbm_oust.board import Deed, Game, Header, Summary, Verb, notation
from pbm_oust.board.game import AHEAD
from pbm_oust.board.history import BadHistory, read_header
from pbm_oust.board.notation import USERID, format_time, parse_outcome, parse_time
from pbm_oust.rules import KINDS, Result, Side, parse_grid
from pbm_oust.store import database

_RECORDS = re.compile(
    rb"(?: {0,3}+[0-9]++ [xo*] \S.{24,}? [0-9]{4}-[0-9][0-9]-[0-9][0-9]"
    rb"T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z [0-9a-f]{16}\n|#.*\n)*+"
)
"""Records and remarks. In a record, the following groups have a fixed place from one end."""
_NUMBER, _FIRST, _ACTION = slice(4), 7, slice(7, -38)
_TIME, _KEY = slice(-37, -17), slice(-16, None)
_HASH, _Z = b"#Z"
_CONTINUES = f"\n{notation.FROM}: ".encode()
"""The mark in the header of a board that continues another one."""
_ADOPTION = re.compile(rf"{Verb.ADOPT.value} ([xo]) ({USERID.pattern})")
_ASKS_THE_RULES = re.compile(rf"{Deed.ACCEPT.value}|{Deed.RETRACT.value}|{Verb.UNDO.value} [0-9]+")


class BoardName(Struct, frozen=True):
    """A board by its kind and number; boards are in the order of the registry of kinds."""

    kind: str
    board: int

    @classmethod
    def of(cls, board: Header | Summary) -> "BoardName":
        """Return the name of a board by its header or summary."""
        return cls(board.kind.name, board.board)

    def __lt__(self, other: "BoardName") -> bool:
        return self._place < other._place

    @property
    def _place(self) -> tuple[int, int]:
        return list(KINDS).index(self.kind), self.board

    def __iter__(self) -> Iterator[str | int]:
        return iter((self.kind, self.board))

    def __str__(self) -> str:
        return f"{self.kind} {self.board}"

    def file_in(self, folder: Path) -> Path:
        """Return the path of a board's history file below a folder."""
        return folder / self.kind / f"{self.board}.txt"


class BoardState(Enum):
    """The state of a board."""

    ACTIVE = "active"
    OVER = "over"
    DAMAGED = "damaged"


class Source(Struct, frozen=True):
    """The source of a board: open challenge 5 of its game, or a section of tournament 3."""

    word: str
    """The kind of source, in small letters: `seek`."""
    number: int
    round: int | None = None
    """The round of a tournament, with its section; several boards may have this source."""
    section: int | None = None

    @property
    def remark(self) -> bytes:
        """The line for a history, right below the line with the message key."""
        part = f" round {self.round} section {self.section}" if self.round else ""
        return f"# {self.word} {self.number}{part}\n".encode()


def entry_of(game: Game) -> Summary:
    """Return the index entry for the board of a game."""
    return structs.replace(game.summary, due=earliest_ruling(game))


def believe(name: BoardName, data: bytes) -> Summary | None:
    """Return the index entry for a finished history, without replaying it.

    None for any other history, and if all of it has to be replayed.
    """
    head, _, body = data.partition(b"\n\n")
    records, is_ended, end = body.rpartition(b"= ")
    if not is_ended or not end.endswith(b"\n") or not _RECORDS.fullmatch(records):
        return None
    try:
        result = parse_outcome(KINDS[name.kind], end[:-1].decode())
        header = read_header(head + b"\n\n")
        if BoardName.of(header) != name:
            return None
        return _told(records.split(b"\n")[:-1], header, result)
    except (BadHistory, ValueError):
        return None


def _told(lines: Iterable[bytes], header: Header, result: Result) -> Summary:
    """Return the index entry for records and a result. Raises ValueError if they need a replay."""
    records = [line for line in lines if line[0] != _HASH]
    numbers, keys = [line[_NUMBER] for line in records], {line[_KEY] for line in records}
    times = [format_time(header.started).encode(), *[line[_TIME] for line in records]]
    are_next = numbers == _numbers(len(records))
    if not (are_next and len(keys) == len(records) and sorted(times) == times):
        raise ValueError("these are not records that follow one another")
    x, o = header.x, header.o
    actions = [line[_ACTION] for line in records if line[_FIRST] > _Z]  # all but placements
    for action in (each.rstrip().decode() for each in actions):
        adoption = _ADOPTION.fullmatch(action)
        if adoption:
            x, o = (adoption[2], o) if adoption[1] == Side.X.value else (x, adoption[2])
        elif action == Deed.SWAP.value:
            x, o = o, x
        elif _ASKS_THE_RULES.fullmatch(action):
            raise ValueError("the owners may have changed by this")
    return Summary(
        header.kind,
        header.board,
        header.grid,
        x,
        o,
        None,
        result,
        header.terms.rated,
        header.started,
        parse_time(times[-1].decode()),
        len(records),
    )


@lru_cache
def _numbers(most: int) -> list[bytes]:
    """Return the numbers from 1 to `most` as histories write them."""
    return [b"%4d" % number for number in range(1, most + 1)]


# Finding boards

ENTRIES = "SELECT b.* FROM"
"""The beginning of a query for `read_entries`; it calls the boards `b`."""


def all_names(snapshot: database.Snapshot) -> list[BoardName]:
    """Return all boards, damaged or not, by game and number."""
    return _names(snapshot, "boards ORDER BY kind, board")


def names_of(snapshot: database.Snapshot, kind: str) -> list[BoardName]:
    """Return all boards of a kind, damaged or not, in order."""
    return _names(snapshot, "boards WHERE kind = ? ORDER BY board", kind)


def _names(snapshot: database.Snapshot, boards: str, *values: database.Value) -> list[BoardName]:
    rows = snapshot.rows(database.selection(boards, ("kind", "board")), *values)
    return [BoardName(*row) for row in rows]


def count_all(snapshot: database.Snapshot) -> int:
    """Return the number of all boards, damaged or not."""
    return snapshot.number("SELECT count(*) FROM boards")


def worth_a_look(
    snapshot: database.Snapshot, kind: str, most: int, ahead: datetime, known: Collection[str]
) -> set[BoardName]:
    """Return boards of a game that may have faults: at most `most` of each sort.

    These are damaged ones, those that changed last, those with records after a moment, and active
    ones of players who have no account and are not among those known.
    """
    lacks = "{0} NOT IN (SELECT userid FROM accounts)"
    lacks += " AND {0} NOT IN (SELECT value FROM json_each(?))"
    words = database.words_list(known)
    sorts: tuple[tuple[str, tuple[database.Value, ...]], ...] = (
        ("state = 'damaged'", ()),
        ("true ORDER BY version DESC", ()),
        ("latest > ?", (database.seconds(ahead),)),
        (f"state = 'active' AND {lacks.format('x')}", (words,)),
        (f"state = 'active' AND {lacks.format('o')}", (words,)),
    )
    found = set[BoardName]()
    for sort, values in sorts:
        found.update(
            _names(snapshot, f"boards WHERE kind = ? AND {sort} LIMIT ?", kind, *values, most)
        )
    return found


def find_entry(snapshot: database.Snapshot, name: BoardName) -> Summary | None:
    """Return the entry of a board; None if it is damaged or does not exist."""
    found = read_entries(
        snapshot, f"{ENTRIES} boards b WHERE kind = ? AND board = ? AND state <> 'damaged'", *name
    )
    return found[0] if found else None


def boards_of_player(snapshot: database.Snapshot, userid: str) -> list[Summary]:
    """Return the active boards of a player, by game and number."""
    search = (
        f"{ENTRIES} board_userids u JOIN boards b USING (kind, board) "
        "WHERE u.userid = ? AND u.state = 'active' AND u.is_owner = 1"
    )
    return sorted(read_entries(snapshot, search, userid), key=BoardName.of)


def count_active(snapshot: database.Snapshot, userid: str) -> int:
    """Return the number of a player's active boards."""
    search = "board_userids WHERE userid = ? AND state = 'active' AND is_owner = 1"
    return _count(snapshot, search, userid)


def count_active_against(snapshot: database.Snapshot, userid: str, others: Collection[str]) -> int:
    """Return the number of a player's active boards against some others."""
    boards = boards_of_player(snapshot, userid)
    return sum(each.x in others or each.o in others for each in boards)


def progress_of(snapshot: database.Snapshot, userids: Iterable[str]) -> database.Row | None:
    """Return a value that changes with each event on these players' active boards."""
    return snapshot.row(
        "SELECT count(*), sum(records) FROM board_userids u JOIN boards USING (kind, board) WHERE "
        "u.userid IN (SELECT value FROM json_each(?)) AND u.state = 'active' AND is_owner = 1",
        database.words_list(userids),
    )


def boards_between(snapshot: database.Snapshot, one: str, other: str) -> list[BoardName]:
    """Return the boards with both userids in their histories, including damaged ones."""
    boards = "board_userids JOIN board_userids b USING (kind, board)"
    search = f"{boards} WHERE board_userids.userid = ? AND b.userid = ?"
    return sorted(_names(snapshot, search, one, other))


def boards_with(snapshot: database.Snapshot, userid: str) -> list[BoardName]:
    """Return the boards with a userid in their histories, including damaged ones, in order."""
    return sorted(_names(snapshot, "board_userids WHERE userid = ?", userid))


def latest_results(
    snapshot: database.Snapshot, userid: str, kind: str, most: int
) -> list[database.Row]:
    """Return x, o and the result of the latest finished boards of a player, by number."""
    return snapshot.rows(
        "SELECT b.x, b.o, b.result FROM board_userids u JOIN boards b USING (kind, board) "
        "WHERE u.userid = ? AND u.state = 'over' AND u.is_owner = 1 AND u.kind = ? "
        "ORDER BY u.board DESC LIMIT ?",
        *(userid, kind, most),
    )


def count_finished(snapshot: database.Snapshot, userid: str, most: int) -> int:
    """Return the number of a player's games that are over and count; at most `most`."""
    return len(
        snapshot.rows(
            "SELECT 1 FROM board_userids u JOIN boards b USING (kind, board) WHERE u.userid = ? "
            "AND u.state = 'over' AND u.is_owner = 1 AND b.result <> 'draw void' LIMIT ?",
            *(userid, most),
        )
    )


def has_played(snapshot: database.Snapshot, userid: str) -> bool:
    """Return whether a userid is in any history."""
    row = snapshot.row("SELECT 1 FROM board_userids WHERE userid = ? LIMIT 1", userid)
    return row is not None


def due_by(snapshot: database.Snapshot, moment: datetime) -> list[BoardName]:
    """Return the boards that may need a ruling by a moment, the earliest first.

    Whether one is due depends on the vacations of the player to move. Boards with a record far in
    the future, from a wrong clock, come last.
    """
    due = "boards WHERE due <= ? ORDER BY due, kind, board"
    names = _names(snapshot, due, database.seconds(moment))
    ahead = "boards WHERE kind = ? AND state = 'active' AND latest > ?"
    for kind in KINDS:
        names += _names(snapshot, ahead, kind, database.seconds(moment + AHEAD))
    return names


def started_by(snapshot: database.Snapshot, key: str) -> BoardName | None:
    """Return the board started by the mail with a message key."""
    search = "boards WHERE challenge = ? ORDER BY kind, board LIMIT 1"
    return next(iter(_names(snapshot, search, key)), None)


def started_from(snapshot: database.Snapshot, kind: str, source: Source) -> BoardName | None:
    """Return the board of a game with this source."""
    search = "boards WHERE kind = ? AND source = ? AND source_number = ? ORDER BY board LIMIT 1"
    return next(iter(_names(snapshot, search, kind, source.word, source.number)), None)


def highest_source(snapshot: database.Snapshot, kind: str, word: str) -> int:
    """Return the highest number among the sources of this word; 0 if there are none."""
    return snapshot.number(
        "SELECT max(source_number) FROM boards WHERE kind = ? AND source = ?", kind, word
    )


ANYBODY = ""
"""Stands for all userids where the players of a damaged board are unknown."""


def damaged_boards(
    snapshot: database.Snapshot, kind: str, userids: Collection[str] = ()
) -> list[BoardName]:
    """Return the damaged boards of a game in order: all, or those perhaps of some players.

    The history names the players. A board whose header cannot be read may be anybody's.
    """
    if not userids:
        return sorted(_names(snapshot, "boards WHERE kind = ? AND state = 'damaged'", kind))
    named = (
        "board_userids WHERE userid IN (SELECT value FROM json_each(?)) "
        "AND state = 'damaged' AND is_owner = 0 AND kind = ?"
    )
    return sorted({*_names(snapshot, named, database.words_list((ANYBODY, *userids)), kind)})


def read_entries(
    snapshot: database.Snapshot, statement: str, *values: database.Value
) -> list[Summary]:
    """Return the summaries in the rows of a query."""
    return [_entry(row) for row in snapshot.rows(statement, *values)]


def _entry(row: database.Row) -> Summary:
    kind, board, *_, grid, x, o, to_move, result, is_rated, started, latest, records, due = row
    return Summary(
        KINDS[kind],
        board,
        parse_grid(grid),
        x,
        o,
        to_move,
        parse_outcome(KINDS[kind], result) if result else None,
        bool(is_rated),
        database.moment_of(started),
        database.moment_of(latest),
        records,
        None if due is None else database.moment_of(due),
    )


_COUNT = "SELECT count(*) FROM"
_IN_STATE = "boards b WHERE b.kind = ? AND b.state = ? AND b.latest > ?"
_OWNED = (
    "boards b WHERE (b.kind, b.board) IN ("
    "SELECT u.kind, u.board FROM board_userids u "
    "WHERE u.userid IN (SELECT value FROM json_each(?)) "
    "AND u.state IN (SELECT value FROM json_each(?)) AND u.is_owner = 1 AND u.kind = ?)"
)
_TO_MOVE = (
    # The kind is no column here, or SQLite would go through all boards of the kind.
    "boards b WHERE b.to_move IN (SELECT value FROM json_each(?)) AND b.kind || '' = ?"
)
_WITH = (
    "boards b WHERE (b.kind, b.board) IN (SELECT u.kind, u.board FROM board_userids u "
    "WHERE u.userid = ? AND u.kind = ? AND u.state = ? AND u.is_owner = 1)"
)
_LATEST_OF_ARM = "ORDER BY b.latest DESC, b.board DESC LIMIT ?"
_ARM = "SELECT * FROM ({}) AS arm"
_IN_PLACE = "ORDER BY latest DESC, board DESC, kind DESC LIMIT ?"
_RECORDS_EACH = 3
"""The number of records read for each of the first placements: some are swaps, or words."""
_LATEST = "ORDER BY latest DESC, board DESC LIMIT ? OFFSET ?"


class Window(Struct, frozen=True):
    """A part of a list: at most so many entries, after so many others."""

    most: int
    skipped: int = 0


def boards_in(
    snapshot: database.Snapshot,
    kinds: Collection[str],
    states: Collection[BoardState],
    part: Window,
    userids: Collection[str] = (),
    *,
    to_move: bool = False,
    since: datetime | None = None,
) -> tuple[list[Summary], int]:
    """Return boards of some games in some states, and the number of all.

    The latest change comes first.

    With `userids`, they are those on which any of these players owns a side, or is to move; without
    them, `since` leaves only those with a record after it.
    """
    wanted = list[tuple[str, tuple[database.Value, ...]]]()
    players, words = map(database.words_list, (userids, (state.value for state in states)))
    after = database.seconds(since) if since else -1
    for kind in kinds:
        if not userids:
            wanted += [(_IN_STATE, (kind, state.value, after)) for state in states]
        elif to_move:
            wanted.append((_TO_MOVE, (players, kind)))
        else:
            wanted.append((_OWNED, (players, words, kind)))
    if userids or since:
        count = sum(_count(snapshot, boards, *values) for boards, values in wanted)
    else:
        count = sum(count_in(snapshot, kind, state) for kind in kinds for state in states)
    if part.skipped >= count or not part.most:
        return [], count
    search = f" UNION ALL {ENTRIES} ".join(boards for boards, _ in wanted)
    values = [value for _, each in wanted for value in each]
    latest = f"{ENTRIES} {search} {_LATEST}"
    return read_entries(snapshot, latest, *values, part.most, part.skipped), count


class Mark(Struct, frozen=True):
    """A place in the list of all boards, the latest change first.

    A search continues after it.
    """

    latest: int
    """The time of the latest change, in seconds since 1970 in UTC."""
    board: int
    kind: str

    @classmethod
    def of(cls, board: Summary) -> "Mark":
        """Return the place of a board."""
        return cls(database.seconds(board.latest), board.board, board.kind.name)


def walk_back(
    snapshot: database.Snapshot,
    kinds: Collection[str],
    states: Collection[BoardState],
    players: Sequence[str],
    most: int,
    after: Mark | None = None,
) -> list[Summary]:
    """Return at most `most` boards of some games in some states, the latest change first.

    Each of the players, two at most, owns a side on all of them. Of each game and state so many
    boards are taken: those of everybody off an index, those of a player out of all of theirs.
    """
    arms, values = list[str](), list[database.Value]()
    for kind, state in product(kinds, states):
        boards = _WITH if players else _IN_STATE
        values += [*players[:1], kind, state.value, *([] if players else [-1])]
        if after:
            boards += " AND (b.latest, b.board) < (?, ?)"
            values += [after.latest, after.board + (kind < after.kind)]
        if players[1:]:
            boards += " AND ? IN (b.x, b.o)"
            values += players[1:]
        arms.append(f"{ENTRIES} {boards} {_LATEST_OF_ARM}")
        values.append(most)
    search = " UNION ALL ".join(map(_ARM.format, arms))
    return read_entries(snapshot, f"{search} {_IN_PLACE}", *values, most)


def first_placements(
    snapshot: database.Snapshot, boards: Iterable[Summary], count: int
) -> dict[BoardName, tuple[str, ...]]:
    """Return the cells of the first placements on boards.

    They are at most `count`, from the first few records. Boards that continue others are left out.
    """
    numbers = defaultdict[str, list[str]](list)
    for board in boards:
        numbers[board.kind.name].append(str(board.board))
    found = dict[BoardName, tuple[str, ...]]()
    for kind, own in numbers.items():
        rows = snapshot.rows(
            "SELECT board, number, lines FROM records WHERE kind = ? AND board IN "
            "(SELECT CAST(value AS BIGINT) FROM json_each(?)) AND number <= ? "
            "ORDER BY board, number",
            *(kind, database.words_list(own), _RECORDS_EACH * count),
        )
        for board, number, lines in rows:
            name = BoardName(kind, board)
            if number == 0:
                if _CONTINUES not in lines:
                    found[name] = ()
            elif name in found and len(found[name]) < count:
                action = notation.parse_record(lines.partition(b"\n")[0].decode()).action
                cells = [each.cell for each in action] if isinstance(action, tuple) else ()
                found[name] = (*found[name], *cells)[:count]
    return found


def _count(snapshot: database.Snapshot, boards: str, *values: database.Value) -> int:
    return snapshot.number(f"{_COUNT} {boards}", *values)


def count_in(snapshot: database.Snapshot, kind: str, state: BoardState) -> int:
    """Return the number of boards of a game in a state."""
    return snapshot.number(
        "SELECT number FROM board_counts WHERE kind = ? AND state = ?", kind, state.value
    )

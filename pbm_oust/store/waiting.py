"""What waits in the database for the histories: lines, and replacements of userids.

Both are committed with their unit of work. When a rewriting is committed, it also replaces the
userid in the lines that wait. So rewritings come before lines.
"""

from collections.abc import Iterable

from pbm_oust.board.rename import with_other_userid
from pbm_oust.frozen import frozen
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.connections import Database, Snapshot, Transaction


@frozen
class BoardName:
    """A board by its kind and number; boards are in the order of the registry of kinds."""

    kind: str
    board: int

    def __lt__(self, other: "BoardName") -> bool:
        return self._place < other._place

    @property
    def _place(self) -> tuple[int, int]:
        return list(KINDS).index(self.kind), self.board

    def __str__(self) -> str:
        return f"{self.kind} {self.board}"


@frozen
class Lines:
    """Lines that wait for a history."""

    record: int
    """The number of the first record; 0 for a history from its header on."""
    text: bytes
    key: str
    """The message key of the unit of work."""


@frozen
class Rewriting:
    """A userid to be replaced in a history."""

    id: int
    old: str
    new: str


@frozen
class Waiting:
    """What waits for a history, in order: the rewritings before the lines."""

    rewritings: tuple[Rewriting, ...] = ()
    lines: tuple[Lines, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rewritings or self.lines)


NOTHING = Waiting()
"""Where nothing waits."""


def waiting_for(snapshot: Snapshot, name: BoardName) -> Waiting:
    """Return what waits for a history."""
    rows = snapshot.rows(
        "SELECT id, old, new, NULL FROM waiting_rewritings WHERE kind = ?1 AND board = ?2 "
        "UNION ALL "
        "SELECT record, message_key, '', lines FROM waiting_lines WHERE kind = ?1 AND board = ?2",
        name.kind,
        name.board,
    )
    if not rows:
        return NOTHING
    rows.sort(key=lambda row: row[0])
    return Waiting(
        tuple(Rewriting(number, old, new) for number, old, new, text in rows if text is None),
        tuple(Lines(number, text, key) for number, key, _, text in rows if text is not None),
    )


def boards_with_waiting(snapshot: Snapshot) -> list[BoardName]:
    """Return the boards with something waiting for their histories, in order."""
    rows = snapshot.rows(
        "SELECT kind, board FROM waiting_lines UNION SELECT kind, board FROM waiting_rewritings"
    )
    return sorted(BoardName(*row) for row in rows)


def latest_rewriting(snapshot: Snapshot, database: Database) -> int:
    """Return the id of the latest rewriting that ever waited, or 0."""
    return database.latest_id(snapshot, "waiting_rewritings")


def is_about_to_go(snapshot: Snapshot, userid: str) -> bool:
    """Return whether a userid waits to be replaced in some history."""
    row = snapshot.row("SELECT 1 FROM waiting_rewritings WHERE old = ? LIMIT 1", userid)
    return row is not None


def add_lines(transaction: Transaction, name: BoardName, lines: Lines) -> None:
    """Let lines wait for a history."""
    transaction.run(
        "INSERT INTO waiting_lines (kind, board, record, lines, message_key) "
        "VALUES (?, ?, ?, ?, ?)",
        name.kind,
        name.board,
        lines.record,
        lines.text,
        lines.key,
    )


def remove_lines(transaction: Transaction, name: BoardName, lines: Iterable[Lines]) -> None:
    """Remove lines that wait. Others that were added meanwhile stay."""
    for each in lines:
        transaction.run(
            "DELETE FROM waiting_lines "
            "WHERE kind = ? AND board = ? AND record = ? AND message_key = ?",
            name.kind,
            name.board,
            each.record,
            each.key,
        )


def add_rewriting(transaction: Transaction, name: BoardName, old: str, new: str) -> None:
    """Let a rewriting wait for a history, and apply it to the lines that wait for it."""
    transaction.run(
        "INSERT INTO waiting_rewritings (kind, board, old, new) VALUES (?, ?, ?, ?)",
        name.kind,
        name.board,
        old,
        new,
    )
    for lines in waiting_for(transaction, name).lines:
        transaction.run(
            "UPDATE waiting_lines SET lines = ? WHERE kind = ? AND board = ? AND record = ?",
            _rewritten(lines, old, new),
            name.kind,
            name.board,
            lines.record,
        )


def remove_rewriting(transaction: Transaction, rewriting: Rewriting) -> None:
    """Remove a rewriting that waits."""
    transaction.run("DELETE FROM waiting_rewritings WHERE id = ?", rewriting.id)


def _rewritten(lines: Lines, old: str, new: str) -> bytes:
    """Return the text of lines with a player's userid replaced."""
    if lines.record == 0:
        return with_other_userid(lines.text, old, new)
    return with_other_userid(b"\n" + lines.text, old, new)[1:]

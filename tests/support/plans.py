"""Statements that would read a whole table are refused where tests carry them out."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

import apsw

from pbm_oust.store.migrations import migrate


class ReadsWholeTable(AssertionError):
    """A statement that no index serves."""


@contextmanager
def served_by_indexes(but: Collection[str] = ()) -> Iterator[set[str]]:
    """Refuse statements on connections opened meanwhile that read a whole table.

    `but` are those that mean everything, and the partial indexes that hold just what is meant.
    Gives the statements that were looked at.
    """
    explaining = apsw.Connection(":memory:")
    migrate(explaining)
    seen: set[str] = set()

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = look_at

    def look_at(_cursor: apsw.Cursor, statement: str, values: object) -> bool:
        if statement not in seen and statement.startswith(("SELECT", "INSERT", "UPDATE", "DELETE")):
            seen.add(statement)
            plan = explaining.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()  # type: ignore[arg-type]
            for _, _, _, step in plan:
                is_meant = statement in but or str(step).endswith(tuple(but))
                if str(step).startswith("SCAN") and not is_meant:
                    raise ReadsWholeTable(f"{statement}: {step}")
        return True

    apsw.connection_hooks.append(watch)
    try:
        yield seen
    finally:
        apsw.connection_hooks.remove(watch)
        explaining.close()

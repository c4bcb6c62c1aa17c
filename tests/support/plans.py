"""Refusing statements of the program that would read a whole table."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import apsw

import pbm_oust
from pbm_oust.store.sqlite import make_tables
from tests.support import tables

VERBS = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ")
LISTINGS = tables.words(__file__, "listings")
"""Statements that read everything on purpose."""
_NO_TABLE = re.compile(r"SCAN (?:[0-9]+ )?CONSTANT ROWS?")
"""How a plan says that rows are made of values."""
PARTIAL = ("letters_unwritten", "letters_file", "VIRTUAL TABLE INDEX 1:", "SCAN arm")
"""Indexes that hold only what is wanted, lists of values that the program gives, and the few rows
that an arm of a statement has found."""

_PROGRAM = pbm_oust.__path__[0]
_PASSES_ON = ("store/database.py", "sqlite.py", "plans.py")


class ReadsWholeTable(AssertionError):
    """No index serves a statement."""


def check_plan(connection: apsw.Connection, statement: str, values: "apsw.Bindings | None") -> None:
    """Raise ReadsWholeTable for a statement that reads a whole table by mistake."""
    plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)
    for step in (str(row[3]) for row in plan.fetchall()):
        is_meant = statement in LISTINGS or step.endswith(PARTIAL) or _NO_TABLE.fullmatch(step)
        if step.startswith("SCAN") and not is_meant:
            raise ReadsWholeTable(f"{statement}: {step}")


@contextmanager
def served_by_indexes() -> Iterator[None]:
    """Refuse statements of the program that read a whole table, on connections opened meanwhile."""
    explaining = apsw.Connection(":memory:")
    make_tables(explaining)
    seen: set[str] = set()

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = look_at

    def look_at(_cursor: apsw.Cursor, statement: str, values: "apsw.Bindings | None") -> bool:
        if statement not in seen and statement.startswith(VERBS):
            if _is_of_program(sys._getframe(1)):
                check_plan(explaining, statement, values)
            seen.add(statement)
        return True

    apsw.connection_hooks.append(watch)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(watch)
        explaining.close()


def _is_of_program(frame: FrameType | None) -> bool:
    """Return whether the program itself asks for something, and not a test."""
    while frame and frame.f_code.co_filename.endswith(_PASSES_ON):
        frame = frame.f_back
    path = frame.f_code.co_filename if frame else ""
    return path.startswith(_PROGRAM)

"""What a home costs the database and the disk, and homes of different sizes to compare it in."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import apsw

from pbm_oust.play.notices import MOST_LISTED
from pbm_oust.store.disk import Disk
from pbm_oust.store.home import Home
from pbm_oust.store.ratings import count_marked
from tests.support.histories import lay_histories, short_history
from tests.support.home_by_mail import ALICE, BOB, home_of
from tests.support.opened import opened_in

OWN = 4
"""How many boards alice and bob have; half of them are over."""
CLOCK_STEP = 0.2
"""Seconds; a history that was written less long ago is read again, for its time may be the same."""
FEW, MANY = MOST_LISTED + 10, 10 * (MOST_LISTED + 10)
"""How many boards others have, of those that go on and of those that are over."""
SLACK = 1.25
"""How much more the database may do among ten times the boards: its trees are deeper."""


@dataclass
class Costs:
    """What the thread did that handled a mail."""

    statements: int = 0
    reads: int = 0
    commits: int = 0
    syncs: int = 0
    steps: int = 0
    """Of the virtual machine that carries out statements: they show how much is read."""
    written: int = 0
    """Bytes in files."""


class CountingDisk(Disk):
    """A disk that counts what one thread writes and syncs."""

    def __init__(self) -> None:
        self.costs = Costs()
        self.thread = threading.get_ident()

    def step_sync(self, handle: int) -> None:
        self.costs.syncs += threading.get_ident() == self.thread
        super().step_sync(handle)

    def step_write(self, handle: int, data: bytes, at: int) -> int:
        written = super().step_write(handle, data, at)
        self.costs.written += written if threading.get_ident() == self.thread else 0
        return written

    def look_at(
        self, _cursor: apsw.Cursor, statement: str, _values: "apsw.Bindings | None"
    ) -> bool:
        """Count a statement."""
        if threading.get_ident() == self.thread:
            self.costs.statements += 1
            self.costs.reads += statement.partition(";")[0] == "BEGIN"
            self.costs.commits += statement == "COMMIT"
        return True

    def look_back(self, event: dict[str, Any]) -> None:
        """Count the steps of a statement that has been carried out."""
        if threading.get_ident() == self.thread:
            self.costs.steps += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]


@contextmanager
def counting() -> Iterator[CountingDisk]:
    """Count what is asked of the databases that are opened meanwhile."""
    disk = CountingDisk()

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = disk.look_at
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, disk.look_back)

    apsw.connection_hooks.append(watch)
    try:
        yield disk
    finally:
        apsw.connection_hooks.remove(watch)


def history(board: int, x: str, o: str, *, is_over: bool) -> str:
    """Return a history; those of others ended at different times of a day."""
    ended = f"2026-11-19T{board % 24:02d}:00:00Z" if is_over else ""
    terms = f"nagtime={7 if x == 'alice' else 90} forfeittime=900"
    return short_history(board, "2026-11-19T00:00:00Z", ended, x=x, o=o, terms=terms)


@dataclass(frozen=True)
class Cost:
    """What a mail or a sweep takes."""

    statements: int
    histories: int
    """How many were opened, or folders listed."""
    steps: int = field(compare=False)
    """Of the database, in carrying out the statements."""


class Beside:
    """A home of alice and bob beside boards of others, and what each thing takes there."""

    def __init__(self, path: Path, disk: CountingDisk) -> None:
        self.home = Home(path, disk)
        self.found = dict[str, Cost]()
        self._disk = disk

    def note(self, what: str, do: Callable[[], object]) -> None:
        """Do something, which must return a true value, and note what it takes."""
        before = replace(self._disk.costs)
        with opened_in(self.home.path) as opened:
            assert do()
        after = self._disk.costs
        statements, steps = after.statements - before.statements, after.steps - before.steps
        self.found[what] = Cost(statements, len(opened), steps)


@contextmanager
def beside(path: Path, others: int) -> Iterator[Beside]:
    """Make a home with so many boards of others that go on, and as many that are over."""
    histories = {
        number: history(number, "alice", "bob", is_over=number > OWN // 2)
        for number in range(1, OWN + 1)
    }
    for number in range(OWN + 1, OWN + 1 + 2 * others):
        x, o = f"x{number % others}", f"o{number % others}"
        histories[number] = history(number, x, o, is_over=number % 2 == 0)
    made = home_of(path, ALICE, BOB)
    lay_histories(made, histories)
    count_marked(made.database)
    made.database.close()
    time.sleep(CLOCK_STEP)
    with counting() as disk:
        found = Beside(path, disk)
        yield found
        found.home.database.close()

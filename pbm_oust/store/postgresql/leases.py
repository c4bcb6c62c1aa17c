"""Leases: which host does what, where one is enough.

A host has a lease as long as it renews it, so one that is dead, cut off or stopped loses it. It
notices that by its own clock, but not while it is at something. So a lease saves work, and what
must be done once is made so otherwise.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress

from pbm_oust.store.columns import words_list
from pbm_oust.store.database import LEASE_SECONDS, Row
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.postgresql.connection import PostgresqlConnection

_RENEWALS = 3
"""How often it is renewed meanwhile."""

_NOW = "CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)"
_IS_OVER = f"(until <= {_NOW} OR until > {_NOW} + ?)"
"""Whether a lease has ended; one that lasts longer than any is given was made by a wrong clock."""
_NAMED = "SELECT json_array_elements_text(CAST(? AS JSON))"
_NOTE = (
    "INSERT INTO leases (task, holder, until) SELECT task, '', 0"  # noqa: S608 - the words are ours # nosec B608
    f" FROM ({_NAMED} AS task) named ORDER BY task ON CONFLICT DO NOTHING"
)
_TAKE = (
    f"UPDATE leases SET holder = ?, until = {_NOW} + ? WHERE task IN (SELECT task FROM leases"  # noqa: S608 - the words are ours # nosec B608
    f" WHERE task IN ({_NAMED}) AND {_IS_OVER} FOR UPDATE SKIP LOCKED) RETURNING task"
)
_RENEW = f"UPDATE leases SET until = {_NOW} + ? WHERE holder = ? RETURNING task"  # noqa: S608 - the words are ours # nosec B608
_GIVE_BACK = f"DELETE FROM leases WHERE holder = ? AND task IN ({_NAMED})"  # noqa: S608 - the words are ours # nosec B608
_END = f"DELETE FROM leases WHERE holder = ? OR until < {_NOW} - ?"  # noqa: S608 - the words are ours # nosec B608

Lend = Callable[[], AbstractContextManager[PostgresqlConnection]]


class Holder(AbstractContextManager["Holder"]):
    """Takes tasks for a host of those that share a database, and renews its leases of them.

    `lend` lends a connection. The methods may raise DatabaseFault.
    """

    def __init__(self, lend: Lend, seconds: float = LEASE_SECONDS) -> None:
        self._lend = lend
        self._seconds = seconds
        self._name = secrets.token_hex(8)
        self._held = frozenset[str]()
        self._has_lost = False
        """Whether another host has a task that is taken to be ours."""
        self._renewed = 0.0
        """When all leases were taken or renewed, by a clock that goes on while the host sleeps."""
        self._is_over = threading.Event()
        self._renewing: threading.Thread | None = None

    @property
    def is_sure(self) -> bool:
        """Whether the leases cannot have ended."""
        if self._has_lost:
            return False
        return not self._renewing or _clock() < self._renewed + self._seconds

    def take(self, tasks: Iterable[str]) -> frozenset[str]:
        """Take those of some tasks that nobody has, and return them."""
        begun, named = _clock(), words_list(tasks)
        with self._lend() as connection:
            connection.begin_to_hold()
            connection.send(_NOTE, (named,))
            values = self._name, self._seconds, named, self._seconds
            rows = connection.execute(_TAKE, values)
            connection.commit()
        taken = frozenset(task for (task,) in rows)
        self._held |= taken
        if taken and not self._renewing:
            self._renewed = begun
            self._renewing = threading.Thread(target=self._renew, name="leases", daemon=True)
            self._renewing.start()
        return taken

    def give_back(self, tasks: Iterable[str]) -> None:
        """Let others have tasks again."""
        given = frozenset(tasks)
        self._held -= given
        self._do(_GIVE_BACK, self._name, words_list(given))

    def __exit__(self, *_: object) -> None:
        """Let others have all tasks again."""
        if self._renewing:
            self._is_over.set()
            self._renewing.join()
            with suppress(DatabaseFault):
                self._do(_END, self._name, self._seconds)

    def _renew(self) -> None:
        while not self._is_over.wait(self._seconds / _RENEWALS) and self.is_sure:
            begun, held = _clock(), self._held
            with suppress(DatabaseFault):
                renewed = {task for (task,) in self._do(_RENEW, self._seconds, self._name)}
                # What was given back meanwhile is not missed.
                self._has_lost = not held & self._held <= renewed
                self._renewed = begun

    def _do(self, statement: str, *values: str | float) -> list[Row]:
        with self._lend() as connection:
            connection.begin_to_hold()
            rows = connection.execute(statement, values)
            connection.commit()
        return rows


def _clock() -> float:
    """Return seconds that also pass while the host sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)

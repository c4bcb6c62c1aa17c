"""What the threads of a process read of the database, and the connections that they read with."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pbm_oust.store.connections import Connection, Snapshot
from pbm_oust.store.faults import DatabaseFault


class _Here(threading.local):
    """What one thread reads at present."""

    snapshot: Snapshot | None = None
    """The snapshot of a `read` that has not ended."""
    sharing = 0
    """How many times `sharing` has begun and not ended."""
    shared: tuple[Connection, Snapshot] | None = None
    """What the questions share."""


class Snapshots:
    """Gives each thread what the database holds at one moment. The methods may raise DatabaseFault.

    `connect` opens a connection; `is_sound` tells whether one can be used again.
    """

    def __init__(
        self, connect: Callable[[], Connection], is_sound: Callable[[Connection], bool]
    ) -> None:
        self._connect = connect
        self._is_sound = is_sound
        self._idle: list[Connection] = []
        """Connections that nobody reads with at present."""
        self._here = _Here()

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """Give what the database holds at one moment; nested calls give the same."""
        here = self._here
        if here.snapshot:
            yield here.snapshot
        elif here.sharing:
            with self._ended_by_fault():
                yield self._shared()
        else:
            with self.latest() as snapshot:
                here.snapshot = snapshot
                try:
                    yield snapshot
                finally:
                    here.snapshot = None

    @contextmanager
    def latest(self) -> Iterator[Snapshot]:
        """Give what the database holds now, even within another `read`."""
        with self.connection() as connection:
            connection.begin("BEGIN")
            yield Snapshot(connection)

    @contextmanager
    def sharing(self) -> Iterator[None]:
        """Let all that this thread reads in the body be of one moment, until `renew`.

        Within another body, what follows that is of a later moment.
        """
        self.renew()
        self._here.sharing += 1
        try:
            yield
        finally:
            self._here.sharing -= 1
            self.renew()

    def renew(self) -> None:
        """Let what this thread reads from now on be of a later moment."""
        if self._here.shared:
            connection, _ = self._here.shared
            self._here.shared = None
            self._put_back(connection)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection that only reads."""
        connection = self._take()
        try:
            yield connection
        finally:
            self._put_back(connection)

    def close(self) -> None:
        """Close all connections, none of which may be in use."""
        while self._idle:
            self._idle.pop().close()

    def _shared(self) -> Snapshot:
        if self._here.shared is None:
            connection = self._take()
            self._here.shared = connection, Snapshot(connection)
            connection.begin("BEGIN")
        return self._here.shared[1]

    @contextmanager
    def _ended_by_fault(self) -> Iterator[None]:
        try:
            yield
        except DatabaseFault:
            self.renew()
            raise

    def _take(self) -> Connection:
        with suppress(IndexError):
            while True:
                connection = self._idle.pop()
                if self._is_sound(connection):
                    return connection
                connection.close()
        return self._connect()

    def _put_back(self, connection: Connection) -> None:
        with suppress(DatabaseFault):
            connection.end("ROLLBACK")
        if connection.is_broken:
            connection.close()
        else:
            self._idle.append(connection)

"""What the threads of a process read of the database, and the connections that they read with."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, Generic, Protocol, TypeVar

from pbm_oust.store.connections import Connection, Snapshot, Value
from pbm_oust.store.faults import DatabaseFault

C = TypeVar("C", bound=Connection)
Moment = tuple[Connection, Value]
"""A connection, and its number of what others have committed."""


class Pool(Protocol[C]):
    """Connections that read, for those who need one for a while."""

    def take(self) -> C:
        """Return a connection that works. Raises DatabaseFault."""

    def put_back(self, connection: C) -> None:
        """Take a connection that is no longer used, in whatever state it is."""

    def close(self) -> None:
        """Close all connections that are not in use."""


class Idle(Generic[C]):
    """A pool that opens as many connections as are used at once, and keeps them."""

    def __init__(self, connect: Callable[[], C]) -> None:
        self._connect = connect
        self._idle: list[C] = []

    def take(self) -> C:
        """Return a connection that works. Raises DatabaseFault."""
        with suppress(IndexError):
            while True:
                connection = self._idle.pop()
                if connection.is_sound:
                    return connection
                connection.close()
        return self._connect()

    def put_back(self, connection: C) -> None:
        """Take a connection that is no longer used, in whatever state it is."""
        with suppress(DatabaseFault):
            connection.roll_back()
        if connection.is_broken:
            connection.close()
        else:
            self._idle.append(connection)

    def close(self) -> None:
        """Close all connections that are not in use."""
        while self._idle:
            self._idle.pop().close()


@contextmanager
def lent(pool: Pool[C]) -> Iterator[C]:
    """Give a connection for the body. Raises DatabaseFault."""
    connection = pool.take()
    try:
        yield connection
    finally:
        pool.put_back(connection)


class _Here(Generic[C], threading.local):
    """What one thread reads at present."""

    snapshot: Snapshot | None = None
    """The snapshot of a `read` that has not ended."""
    sharing = 0
    """How many times `sharing` has begun and not ended."""
    shared: tuple[C, Snapshot] | None = None
    """What the questions share."""


class Snapshots(Generic[C]):
    """Gives each thread what the database holds at one moment. The methods may raise DatabaseFault.

    `pool` has the connections.
    """

    def __init__(self, pool: Pool[C]) -> None:
        self._pool = pool
        self._here = _Here[C]()
        self._lock = threading.Lock()
        self._watching: C | None = None
        """What tells whether anybody has committed; it is never within a transaction."""

    def moment(self) -> Moment:
        """Return what is another value after each commit, whoever has committed."""
        with self._lock:
            if self._watching is None or not self._watching.is_sound:
                self._end_watching()
                self._watching = self._pool.take()
            return self._watching, self._watching.moment()

    def read(self) -> AbstractContextManager[Snapshot]:
        """Give what the database holds at one moment; nested calls give the same."""
        here = self._here
        if here.snapshot:
            return nullcontext(here.snapshot)
        return _Sharing(self) if here.sharing else self._read_now()

    @contextmanager
    def _read_now(self) -> Iterator[Snapshot]:
        with self.latest() as snapshot:
            self._here.snapshot = snapshot
            try:
                yield snapshot
            finally:
                self._here.snapshot = None

    @contextmanager
    def latest(self) -> Iterator[Snapshot]:
        """Give what the database holds now, even within another `read`."""
        with self.connection() as connection:
            connection.begin_to_read()
            yield Snapshot(connection)

    @contextmanager
    def sharing(self) -> Iterator[None]:
        """Let all that this thread reads in the body be of one moment, until `renew`.

        Within another body, what follows that is of a later moment.
        """
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
            self._pool.put_back(connection)

    def connection(self) -> AbstractContextManager[C]:
        """Lend a connection that only reads."""
        return lent(self._pool)

    def close(self) -> None:
        """Close all connections, none of which may be in use."""
        with self._lock:
            self._end_watching()
        self._pool.close()

    def _end_watching(self) -> None:
        if self._watching:
            self._pool.put_back(self._watching)
            self._watching = None

    def shared(self) -> Snapshot:
        """Return what the questions of this thread share."""
        if self._here.shared is None:
            connection = self._pool.take()
            self._here.shared = connection, Snapshot(connection)
            try:
                connection.begin_to_read()
            except DatabaseFault:
                self.renew()
                raise
        return self._here.shared[1]


class _Sharing(AbstractContextManager[Snapshot]):
    """Gives what the questions of a thread share; after a fault, that is of a later moment."""

    __slots__ = ("_snapshots",)

    def __init__(self, snapshots: Snapshots[Any]) -> None:
        self._snapshots = snapshots

    def __enter__(self) -> Snapshot:
        return self._snapshots.shared()

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, DatabaseFault):
            self._snapshots.renew()

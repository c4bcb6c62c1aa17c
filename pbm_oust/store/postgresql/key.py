"""The key of a home that several hosts share: a row of the database."""

import secrets

from pbm_oust.store.database import Snapshot, Transaction
from pbm_oust.store.engines import NotWhole
from pbm_oust.store.postgresql.database import PostgresqlDatabase

_COPYING = "SELECT 1 FROM leases WHERE task = 'copying a home'"
_WITHHOLD = "INSERT INTO leases VALUES ('copying a home', '', 'Infinity') ON CONFLICT DO NOTHING"
_GO_ON = "DELETE FROM leases WHERE task = 'copying a home'"
"""A lease that no host has, and that does not end: the home is no whole copy yet."""


class SharedKey:
    """The key in a database. Its methods may raise DatabaseFault, an OSError."""

    def __init__(self, database: PostgresqlDatabase) -> None:
        self._database = database
        self._known: bytes | None = None

    @property
    def is_made(self) -> bool:
        """Whether there is a key."""
        return self._find() is not None

    @property
    def is_withheld(self) -> bool:
        """Whether there is no key because the home is no whole copy of another one yet."""
        with self._database.read_latest() as snapshot:
            return _key_in(snapshot) is None and bool(snapshot.rows(_COPYING))

    def make(self) -> None:
        """Make a key if there is none, and none is withheld. Raises OSError."""
        if not self.is_made:
            self._database.write(self._make)

    def withhold(self) -> None:
        """Let nobody make a key until one is put."""
        self._database.write(lambda transaction: transaction.run(_WITHHOLD))

    def put(self, key: bytes) -> None:
        """Take a key, unless there is one."""
        self._database.write(lambda transaction: _put(transaction, key))

    def read(self) -> bytes:
        """Return the key, 32 bytes. Raises OSError if there is none."""
        if self._known is None:
            self._known = self._find()
        if self._known is None:
            raise OSError(f"{self._database.server.where} has no key yet")
        return self._known

    def _make(self, transaction: Transaction) -> None:
        if transaction.rows(_COPYING):
            raise NotWhole(self._database.server.where)
        _put(transaction, secrets.token_bytes(32))

    def _find(self) -> bytes | None:
        with self._database.read_latest() as snapshot:
            return _key_in(snapshot)


def _key_in(snapshot: Snapshot) -> bytes | None:
    row = snapshot.row("SELECT key FROM home_key WHERE id = 1")
    return bytes(row[0]) if row else None


def _put(transaction: Transaction, key: bytes) -> None:
    transaction.run("INSERT INTO home_key VALUES (1, ?) ON CONFLICT DO NOTHING", key)
    transaction.run(_GO_ON)

"""The key of a home that several hosts share: a row of the database."""

import secrets

from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.postgresql.database import PostgresqlDatabase


class SharedKey:
    """The key in a database. Its methods may raise DatabaseFault, an OSError."""

    def __init__(self, database: PostgresqlDatabase) -> None:
        self._database = database
        self._known: bytes | None = None

    @property
    def is_made(self) -> bool:
        """Whether there is a key."""
        return self._find() is not None

    def make(self) -> None:
        """Make a key if there is none."""
        if not self.is_made:
            self.put(secrets.token_bytes(32))

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

    def _find(self) -> bytes | None:
        with self._database.read_latest() as snapshot:
            return _key_in(snapshot)


def _key_in(snapshot: Snapshot) -> bytes | None:
    row = snapshot.row("SELECT key FROM home_key WHERE id = 1")
    return bytes(row[0]) if row else None


def _put(transaction: Transaction, key: bytes) -> None:
    transaction.run("INSERT INTO home_key VALUES (1, ?) ON CONFLICT DO NOTHING", key)

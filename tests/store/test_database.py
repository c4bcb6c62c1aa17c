"""The database of a home: what one thread, many threads and several processes see of it."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.database import Database
from pbm_oust.store.faults import DatabaseDamaged, DatabaseLocked, DatabaseTooNew
from pbm_oust.store.migrations import LATEST


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "pbm_oust.db")
    yield database
    database.close()


def add(transaction: Transaction, key: str) -> str:
    transaction.run("INSERT INTO message_keys VALUES (?, 'done', 0, '')", key)
    return key


def keys(database: Database) -> list[str]:
    with database.read() as snapshot:
        return keys_in(snapshot)


def keys_in(snapshot: Snapshot) -> list[str]:
    return [key for key, in snapshot.rows("SELECT message_key FROM message_keys")]


def test_smoke(database: Database) -> None:
    assert keys(database) == []
    assert not database.path.exists()
    assert database.write(lambda transaction: add(transaction, "a")) == "a"
    assert keys(database) == ["a"]

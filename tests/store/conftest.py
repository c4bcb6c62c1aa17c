"""What tests of the store start from: a database, and no statement that reads a whole table."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbm_oust.store.database import Database
from tests.store.kept import Kept
from tests.support.plans import served_by_indexes

LISTINGS = (
    "SELECT count(*) FROM message_keys",
    "SELECT address, at, status, letter, subject, normal FROM bounces ORDER BY normal, id",
    "SELECT state, count(*) FROM letters GROUP BY state",
    "SELECT kind, board FROM waiting_lines UNION SELECT kind, board FROM waiting_rewritings",
    "USING COVERING INDEX histories_believed",
    "USING INDEX letters_unwritten",
    "USING INDEX letters_file",
)
"""What means everything: statements, and partial indexes that hold just what is meant."""


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 20, 15, 36, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "pbm_oust.db", patience=0.2)
    yield database
    database.close()


@pytest.fixture
def indexed() -> Iterator[set[str]]:
    """Refuse statements that no index serves; gives those that were looked at."""
    with served_by_indexes(LISTINGS) as seen:
        yield seen


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "home")

"""What several tests of the store start from."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbm_oust.store.database import Database
from pbm_oust.store.disk import Disk
from pbm_oust.store.home import open_database
from pbm_oust.store.sqlite import SqliteDatabase
from tests.store.disturbed import Begun, begun_homes
from tests.store.kept import Kept
from tests.support.plans import served_by_indexes
from tests.support.postgresql import database_on
from tests.support.rings import first_is_fast
from tests.support.waiting import PATIENCE

ENGINES = first_is_fast(["sqlite", "postgresql"])


@pytest.fixture(autouse=True)
def indexed() -> Iterator[None]:
    """Refuse statements that no index serves."""
    with served_by_indexes():
        yield


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 20, 15, 36, tzinfo=UTC)


@contextmanager
def database_named(name: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[Database]:
    """Give a database by the name of its engine, for a home in a folder."""
    if name == "postgresql":
        with database_on(request.getfixturevalue("postgresql"), folder) as database:
            yield database
        return
    database = open_database(folder, Disk())
    yield database
    database.close()


@pytest.fixture(params=ENGINES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """The database of a home, once in files and once on a server."""
    with database_named(request.param, tmp_path, request) as database:
        yield database


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[SqliteDatabase]:
    database = SqliteDatabase(tmp_path / "pbm_oust.db")
    database.patience = PATIENCE
    yield database
    database.close()


@pytest.fixture(scope="module", params=ENGINES)
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """A database for many works that are undone."""
    with database_named(request.param, tmp_path_factory.mktemp("home"), request) as database:
        database.write(lambda _: None)
        yield database


@pytest.fixture
def memory_path() -> Iterator[Path]:
    """Give a folder in memory where there is such a thing: nobody waits for the disk there."""
    memory = Path("/dev/shm")  # noqa: S108 - the test has a folder of its own there
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def homes() -> Iterator[Begun]:
    """Give what makes homes, to be copied, in which some commands have been carried out."""
    with begun_homes() as homes:
        yield homes


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "home")

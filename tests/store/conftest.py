"""What several tests of the store start from."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from pbm_oust.store.database import Database
from pbm_oust.store.disk import Disk
from pbm_oust.store.engines import Engine, open_engine
from pbm_oust.store.sqlite import SqliteDatabase
from tests.store.disturbed import Begun, begun_homes
from tests.store.kept import Kept
from tests.support.plans import served_by_indexes
from tests.support.postgresql import engine_on
from tests.support.rings import first_is_fast
from tests.support.waiting import PATIENCE

# A busy machine takes longer for an example than hypothesis usually lets it.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


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
def engine_named(name: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Give an engine by its name, for a home in a folder."""
    if name == "postgresql":
        with engine_on(request.getfixturevalue("postgresql"), folder) as engine:
            yield engine
        return
    engine = open_engine(folder, Disk())
    yield engine
    engine.close()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """What keeps a home, once in files and once on a server."""
    with engine_named(request.param, tmp_path, request) as engine:
        yield engine


@pytest.fixture
def database(engine: Engine) -> Database:
    return engine.database


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[SqliteDatabase]:
    database = SqliteDatabase(tmp_path / "pbm_oust.db", patience=PATIENCE)
    yield database
    database.close()


@pytest.fixture(scope="module", params=ENGINES)
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """A database for many works that are undone."""
    with engine_named(request.param, tmp_path_factory.mktemp("home"), request) as engine:
        engine.database.write(lambda _: None)
        yield engine.database


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

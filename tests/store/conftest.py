"""What several tests of the store start from."""

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from pbm_oust.store.embedded import EmbeddedDatabase
from tests.store.disturbed import Begun, begun_homes
from tests.store.kept import Kept
from tests.support.plans import served_by_indexes

# A busy machine takes longer for an example than hypothesis usually lets it.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(autouse=True)
def indexed() -> Iterator[None]:
    """Refuse statements that no index serves."""
    with served_by_indexes():
        yield


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 20, 15, 36, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[EmbeddedDatabase]:
    database = EmbeddedDatabase(tmp_path / "pbm_oust.db", patience=0.2)
    yield database
    database.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedDatabase]:
    """A database for many works that are undone."""
    database = EmbeddedDatabase(tmp_path_factory.mktemp("home") / "pbm_oust.db")
    database.write(lambda _: None)
    yield database
    database.close()


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

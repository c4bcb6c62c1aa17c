"""The rings of the tests, and what tests of several rooms start from."""

import gc
import hashlib
import os
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from pbm_oust.accounts import password
from pbm_oust.store.home import Home
from tests.support.listening import listening
from tests.support.passwords import CHEAP
from tests.support.postgresql import DatabaseServer, database_server
from tests.support.rings import first_is_fast

SLOW = {"peers", "chaos", "league", "siege", "fuzz"}
"""The folders of the slow rings, which only `scripts/test all` runs."""
LONGEST = ("league", "chaos", "peers/packages", "peers/web_servers", "peers/mail_games", "siege")
"""The folders whose tests take longest, in the order in which the processes are given them."""
MANY_FILES = 200
"""How many files more a process of the tests may leave open until garbage is collected."""

HERE = Path(__file__).parent

UMASK = os.umask(0o022)
"""Who may not use what tests make; commands let nobody but its owner."""
os.umask(UMASK)

_kept = [0]
"""How many files were open behind the latest collection of garbage."""

# A busy machine takes longer to make an example, and for it, than hypothesis usually lets it.
settings.register_profile("all", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fast", settings.get_profile("all"), max_examples=10)
settings.load_profile("all")

# scrypt is made to be slow.
password._SCRYPT = CHEAP

# All modules and tests are here to stay: nothing of them is garbage.
gc.disable()

# A shell lets what it begins in the background ignore Ctrl-C, and so would all that tests begin.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the slow rings unread where none of their tests would run."""
    is_slow = collection_path.parent == HERE and collection_path.name in SLOW
    return True if is_slow and config.option.markexpr == "not slow" else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of the slow rings."""
    if item.path.relative_to(HERE).parts[0] in SLOW:
        item.add_marker("slow")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each process of the tests begin with a folder that takes long, so that none is last.

    Each is given as many tests as the others, in this order, and whoever has done its own takes
    some from the end of another's. Pages come early, too: they wait for much, and others fill that
    time.
    """
    items.sort(key=lambda item: item.path.parent != HERE / "web")
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long: list[list[pytest.Item]] = [[] for _ in range(processes)]
    others = list[pytest.Item]()
    for item in items:
        folder = item.path.parent.relative_to(HERE).as_posix()
        (long[LONGEST.index(folder) % processes] if folder in LONGEST else others).append(item)
    left = len(items)
    items.clear()
    for nth, first in enumerate(long):
        share = left // (processes - nth)
        left -= share
        room = max(0, share - len(first))
        items += first + others[:room]
        del others[:room]
    items += others


def pytest_collection_finish() -> None:
    """Collect the garbage of tests alone: it is not looked for among all modules and tests."""
    gc.enable()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _hashed_once() -> Iterator[None]:
    """Hash the same password with the same salt once, however it is hashed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashlib, "scrypt", cache(hashlib.scrypt))
        yield


@pytest.fixture(scope="session", autouse=True)
def _frozen_once() -> Iterator[None]:
    """Leave it at that, whatever tests do.

    Commands that end soon tell the collector of garbage to leave alone what there is: here it would
    keep the homes of all tests before, with their open files.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "freeze", lambda: None)
        yield


@pytest.fixture(autouse=True)
def _own_process() -> Iterator[None]:
    """Keep what commands do to their process from other tests.

    Homes that tests have left open are collected before their files are too many.
    """
    os.umask(UMASK)  # commands that a fixture of many tests carries out change it, too
    yield
    os.umask(UMASK)
    if len(os.listdir("/dev/fd")) > _kept[-1] + MANY_FILES:
        gc.collect()
        _kept.append(len(os.listdir("/dev/fd")))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[DatabaseServer]:
    """A server for databases that no test asks about durability."""
    with database_server() as server:
        yield server


@pytest.fixture(params=first_is_fast(["files", "database"]))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder for a home: of one that files keep, and once more of one that a server keeps."""
    if request.param == "database":
        server: DatabaseServer = request.getfixturevalue("postgresql")
        settings = f'store = "{server.empty_tables()}"\nrelay = "smtp://127.0.0.1:1"\n'
        (tmp_path / "pbm_oust.toml").write_text(settings)
    return tmp_path


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.prepare()
    return home


@pytest.fixture
def port(home: Home) -> Iterator[int]:
    with listening(home) as port:
        yield port

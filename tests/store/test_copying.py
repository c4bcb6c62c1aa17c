"""Copying a home into another one, between any two engines."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from pbm_oust.doctor import Examiner
from pbm_oust.doctor.home import check_database
from pbm_oust.rules import KINDS
from pbm_oust.store.backup import Copied, NotCopied, copied_tables, copy_home
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, names_of
from pbm_oust.store.letters import LetterState
from pbm_oust.store.sqlite import UNFINISHED, make_tables
from pbm_oust.store.upkeep import UNREACHABLE, find_trouble
from tests.support import tables
from tests.support.accounts import account_of
from tests.support.home_by_mail import ALICE, BOB, CAROL, home_of, mailed
from tests.support.outbox import letters
from tests.support.rings import slow

MAILS = tables.of(__file__)["mails"]
ENGINES = [
    ("sqlite", "sqlite"),
    slow("sqlite", "postgresql"),
    slow("postgresql", "sqlite"),
    slow("postgresql", "postgresql"),
]


class Interrupted(Exception):
    """Ends a copying."""


def nobody(_done: int, _of: int) -> None:
    """Let nobody know how far something is."""


@pytest.fixture(autouse=True)
def indexed() -> None:
    """Allow statements that no index serves: a copy takes everything."""


@pytest.fixture
def homes(
    request: pytest.FixtureRequest, tmp_path: Path, source: str, target: str
) -> Iterator[tuple[Home, Home]]:
    """A home in which something has happened, and a new one."""
    for name, engine in (("source", source), ("target", target)):
        (tmp_path / name).mkdir(mode=0o700)
        if engine == "postgresql":
            url = request.getfixturevalue("postgresql").make_database()
            (tmp_path / name / "pbm_oust.toml").write_text(f'store = "{url}"\n')
    there = home_of(tmp_path / "source", ALICE, BOB, CAROL, mails=MAILS)
    here = Home(tmp_path / "target")
    yield there, here
    there.close()
    here.close()


def histories(home: Home) -> dict[BoardName, bytes]:
    """Return all histories."""
    names = [name for kind in KINDS for name in home.ask(names_of, kind)]
    return {name: home.ask(home.boards.history, name) for name in names}


def published(home: Home) -> dict[BoardName, bytes]:
    """Return what the files of all histories hold."""
    return {name: home.history_path(name).read_bytes() for name in home.publisher.names()}


@contextmanager
def interrupted() -> Iterator[None]:
    """Let a copying be broken off in the body."""
    with pytest.raises(Interrupted):
        yield


def test_every_table_is_copied_or_counted_by_triggers() -> None:
    connection = apsw.Connection(":memory:")
    make_tables(connection)
    names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'"
    counted = {"board_counts"}
    assert {name for (name,) in connection.execute(names)} == {*copied_tables(), *counted}
    connection.close()


@pytest.mark.parametrize(("source", "target"), ENGINES)
def test_a_home_is_copied_as_it_is(homes: tuple[Home, Home]) -> None:
    there, here = homes
    waiting = len(letters(there))
    copied = copy_home(there, here, nobody)
    assert copied == Copied(2, 3, waiting, copied.rows)
    assert histories(here) == histories(there)
    if not here.is_on_server:
        assert published(here) == histories(there)
    assert here.key() == there.key()
    for userid in ("alice", "bob", "carol"):
        assert account_of(here, userid) == account_of(there, userid)
    assert len(here.outbox.letters(LetterState.HELD)) == waiting


@pytest.mark.parametrize(("source", "target"), ENGINES)
def test_players_go_on_in_the_copy(homes: tuple[Home, Home]) -> None:
    there, here = homes
    copy_home(there, here, nobody)
    mailed(here, ALICE, "oust move 1 alice wonderland H8")
    mailed(here, BOB, "oust challenge bob carol lookingglass")
    name = BoardName("oust", 1)
    before, after = there.ask(there.boards.history, name), here.ask(here.boards.history, name)
    assert after.startswith(before)
    assert b"x H8" in after[len(before) :]
    assert BoardName("oust", 2) in histories(here)


@pytest.mark.parametrize(("source", "target"), ENGINES)
def test_a_copying_that_is_broken_off_leaves_nothing_and_can_be_repeated(
    homes: tuple[Home, Home],
) -> None:
    there, here = homes
    before = sorted(here.path.rglob("*"))

    def interrupt(done: int, _of: int) -> None:
        if done == (0 if here.is_on_server else 1):
            raise Interrupted

    with interrupted():
        copy_home(there, here, interrupt)
    assert sorted(here.path.rglob("*")) == before
    assert not here.database.has_key
    assert histories(here) == {}
    mailed(there, ALICE, "oust move 1 alice wonderland H8")
    copy_home(there, here, nobody)
    assert histories(here) == histories(there)
    here.prepare()
    assert here.key() == there.key()


@pytest.mark.parametrize(("source", "target"), ENGINES[::2])
def test_a_copying_that_was_killed_leaves_a_home_that_nobody_uses(
    homes: tuple[Home, Home],
) -> None:
    there, here = homes
    (here.path / UNFINISHED).touch()
    with pytest.raises(OSError, match="restoring it, or copying it, was broken off; empty it"):
        here.prepare()
    assert find_trouble(here, lasts=False) is UNREACHABLE
    on = Examiner(here, "database", here.configured, here.now())
    assert "was broken off" in next(iter(check_database(on))).text
    with pytest.raises(NotCopied, match="is not empty; copy into a new home"):
        copy_home(there, here, nobody)


@pytest.mark.parametrize(("source", "target"), ENGINES[::2])
def test_a_home_without_a_key_that_holds_something_is_not_written_over(
    homes: tuple[Home, Home],
) -> None:
    there, here = homes
    precious = here.path / "oust" / "1.txt"
    precious.parent.mkdir()
    precious.write_text("precious\n")
    with pytest.raises(NotCopied, match="is not empty; copy into a new home"):
        copy_home(there, here, nobody)
    assert precious.read_text() == "precious\n"


@pytest.mark.parametrize(("source", "target"), ENGINES[:1])
def test_a_home_that_is_in_use_is_not_written_over(homes: tuple[Home, Home]) -> None:
    there, here = homes
    here.prepare()
    with pytest.raises(NotCopied, match="is in use already"):
        copy_home(there, here, nobody)
    assert histories(here) == {}

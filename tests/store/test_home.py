"""The home directory: what is in it, who may read it, and what becomes of drafts."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pbm_oust.store.accounts import all_userids, whole_account
from pbm_oust.store.disk import Disk, NoSuchFile, locked_file
from pbm_oust.store.home import REBUILDING, Home
from pbm_oust.store.index import BoardName
from pbm_oust.store.publishing import REACHED
from pbm_oust.store.sqlite import files_of
from tests.store.disturbed import ALICE, BOB
from tests.support.accounts import make_account
from tests.support.games import EXAMPLE
from tests.support.home_by_mail import home_of, mailed
from tests.support.processes import files
from tests.support.waiting import PATIENCE

DRAFTS = [".17.txt.4711.0.draft", ".key.4711.12.draft"]
OTHERS = [".hidden", ".17.txt.swp", ".17.txt.1", ".gitignore", ".1.2", ".17.txt.4711.0"]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_players_say_is_private_and_histories_are_not(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        home = home_of(tmp_path / "home", ALICE, BOB)
        mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")
    finally:
        os.umask(before)
    (letter, _) = home.outbox.letters()
    boxes = [home.outbox.path / box for box in ("tmp", "new", "cur")]
    assert mode(home.history_path(BoardName("oust", 1))) == 0o644
    assert {mode(path) for path in files_of(home.database_path)} == {0o600}
    assert mode(home.outbox.path / "new" / letter) == mode(home.key_path) == 0o600
    assert [mode(folder) for folder in (home.outbox.path, *boxes)] == [0o700] * 4


def test_a_replaced_history_is_open_to_the_same_people(tmp_path: Path) -> None:
    home = home_of(tmp_path, ALICE, BOB)
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")
    path = home.history_path(BoardName("oust", 1))
    path.chmod(0o600)
    mailed(home, ALICE, "forget alice wonderland really")
    assert "alice" not in path.read_text()
    assert mode(path) == 0o600


def test_the_database_of_a_new_home_knows_the_games_that_are_there(tmp_path: Path) -> None:
    home = home_of(tmp_path, ALICE, BOB)
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")
    home.database.close()
    home.database_path.unlink()
    again = Home(tmp_path)
    again.prepare()
    assert again.ask(all_userids) == []
    assert again.ask(whole_account, "not a userid") is None
    with pytest.raises(NoSuchFile):
        again.ask(again.boards.history, BoardName("oust", 2))
    make_account(again, "bob", "lookingglass", BOB)
    (answer,) = mailed(again, BOB, "oust games bob")
    assert "oust 1" in answer.text


def home_with_a_game(path: Path) -> Home:
    """Return a home that is not prepared, with the history of one board."""
    (path / "oust").mkdir(parents=True)
    (path / "oust" / "17.txt").write_text(EXAMPLE)
    return Home(path)


def players(home: Home) -> list[tuple[object, ...]]:
    with home.database.read() as snapshot:
        return snapshot.rows("SELECT x, o FROM boards")


def test_a_database_that_a_dead_process_has_begun_is_finished(tmp_path: Path) -> None:
    home = home_with_a_game(tmp_path)
    (tmp_path / REBUILDING).touch()
    home.do(lambda _transaction: None)
    assert players(home) == []
    home.prepare()
    assert len(players(home)) == 1
    assert not (tmp_path / REBUILDING).exists()


def test_nobody_works_with_a_part_of_a_database(tmp_path: Path) -> None:
    home = home_with_a_game(tmp_path)
    (tmp_path / REBUILDING).touch()
    home.do(lambda _transaction: None)
    with ThreadPoolExecutor(1) as pool:
        with locked_file(tmp_path / REBUILDING):
            prepared = pool.submit(Home(tmp_path).prepare)
            with pytest.raises(TimeoutError):
                prepared.result(0.3)
            (tmp_path / REBUILDING).unlink()
        prepared.result(PATIENCE)


# Drafts


@pytest.mark.parametrize("folder", ["oust", "churn", "."])
def test_drafts_go_from_every_folder_and_other_hidden_files_stay(folder: str, home: Home) -> None:
    for name in [*OTHERS, *DRAFTS]:
        (home.path / folder / name).touch()
    home.remove_drafts()
    hidden = {path.name for path in (home.path / folder).glob(".*")}
    assert hidden - {REACHED} == {*OTHERS}


class SharedDisk(Disk):
    """A disk on which another process begins before the first draft has got its name."""

    others: Home | None = None

    def step_link(self, path: Path, target: Path) -> None:
        self._begin()
        super().step_link(path, target)

    def step_rename(self, path: Path, target: Path) -> None:
        self._begin()
        super().step_rename(path, target)

    def _begin(self) -> None:
        others, self.others = self.others, None
        if others:
            others.remove_drafts()


@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("folder", ["oust", "."])
def test_who_begins_takes_no_file_from_a_living_process(
    folder: str, replaces: bool, home: Home
) -> None:
    disk, path = SharedDisk(), home.path / folder / "17.txt"
    disk.others = home
    disk.create(path, b"new", 0o600, replaces=replaces)
    assert path.read_bytes() == b"new"
    assert not disk.others
    assert not list(path.parent.glob("*.draft"))


def test_a_home_in_order_stays_as_it_is(tmp_path: Path) -> None:
    home = home_of(tmp_path, ALICE, BOB)
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")
    for name in ("1700000000.R123.mutt", ".hidden", "notes.txt"):
        (home.outbox.path / "tmp" / name).touch()
    home.recover()
    before = {name: (home.path / name).read_bytes() for name in files(home.path)}
    home.recover()
    home.remove_drafts()
    assert {name: (home.path / name).read_bytes() for name in files(home.path)} == before


# Several processes

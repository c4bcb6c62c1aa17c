"""The home is its owner's alone, and a folder that is no home of ours is left as it is."""

import fcntl
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbm_oust.store.disk import set_mode
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from tests.support.accounts import make_account
from tests.support.command_line import run
from tests.support.histories import SAMPLES
from tests.support.home_by_mail import ALICE, mailed

BOARD = BoardName("oust", 1)
NOBODY = 65534
LOCK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'rb+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def modes(path: Path) -> dict[str, int]:
    """Return the modes of a folder and all below it."""
    return {str(each.relative_to(path)): mode(each) for each in [path, *path.rglob("*")]}


def readable_by_others(path: Path) -> set[str]:
    return {name for name, each in modes(path).items() if each & 0o044}


def play_a_board(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", "bob@example.net")
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")


@contextmanager
def as_user(uid: int) -> Iterator[None]:
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


def test_commands_that_only_read_change_no_permissions(home: Home) -> None:
    home.path.chmod(0o755)
    assert run(home.path, "games", "list").exit_code == 0
    assert mode(home.path) == 0o755


@pytest.mark.parametrize("before", [0o700, 0o755, 0o775, 0o777])
def test_a_home_is_closed_to_others(before: int, tmp_path: Path) -> None:
    tmp_path.chmod(before)
    assert run(tmp_path, "sweep").exit_code == 0
    assert mode(tmp_path) == 0o700


def test_the_default_home_of_a_fresh_copy_is_used_and_closed(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES, tmp_path / "oust")
    (tmp_path / "README.md").touch()
    (tmp_path / "oust").chmod(0o775)
    tmp_path.chmod(0o775)
    assert run(tmp_path, "sweep").exit_code == 0
    assert (mode(tmp_path), mode(tmp_path / "oust")) == (0o700, 0o755)


def test_readers_see_the_histories_and_nothing_else(home: Home) -> None:
    play_a_board(home)
    home.configuration.write_text("readers = true\n")
    (home.path / "players.jsonl").write_text("a copy of all accounts\n")
    home.history_path(BOARD).chmod(0o600)
    (home.path / "oust").chmod(0o700)
    home.prepare()
    assert readable_by_others(home.path) >= {"oust", "oust/1.txt", "churn"}
    reachable = {
        name for name, each in modes(home.path).items() if each & 0o007 and "outbox/" not in name
    }
    assert reachable == {".", "oust", "oust/1.txt", "churn"}
    assert (mode(home.path), mode(home.outbox.path)) == (0o711, 0o700)
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")
    assert mode(home.history_path(BoardName("oust", 2))) == 0o644


def test_without_readers_the_home_is_closed_again(home: Home) -> None:
    home.configuration.write_text("readers = true\n")
    home.prepare()
    home.configuration.write_text("readers = false\n")
    home.prepare()
    assert mode(home.path) == 0o700


def make_shared(path: Path) -> None:
    path.chmod(0o1777)


def put_other_things(path: Path) -> None:
    (path / "letters to a friend").touch()
    (path / "oust").mkdir()


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (make_shared, "all users share it; name a folder of its own, as in --home"),
        (put_other_things, "it holds other things and no games; name an empty folder or a new one"),
    ],
)
def test_a_folder_that_is_no_home_is_refused_and_left_alone(
    spoil: Callable[[Path], None], why: str, tmp_path: Path
) -> None:
    tmp_path.chmod(0o755)
    spoil(tmp_path)
    before = modes(tmp_path)
    refused = run(tmp_path, "sweep")
    assert refused.exit_code == 1
    assert refused.output.startswith(f"Error: cannot use {tmp_path} as home: {why}")
    assert modes(tmp_path) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_the_home_of_another_user_is_refused(home: Home) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        shutil.copytree(home.path, Path(folder) / "home")
        (Path(folder) / "home").chmod(0o755)
        with as_user(NOBODY):
            refused = run(Path(folder) / "home", "sweep")
        assert mode(Path(folder) / "home") == 0o755
    assert refused.exit_code == 1
    assert "it belongs to root; do this as root, or name another folder" in refused.output


def test_permissions_are_given_without_opening_files(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.touch()
    link.symlink_to(path)
    with path.open("rb+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        set_mode(path, 0o600)
        assert mode(path) == 0o600
        asked = subprocess.run([sys.executable, "-c", LOCK, path], stderr=subprocess.PIPE)
        assert b"BlockingIOError" in asked.stderr
    with pytest.raises(OSError, match="it is a link"):
        set_mode(link, 0o644)
    assert mode(path) == 0o600


def test_what_commands_write_is_for_the_owner_alone(home: Home) -> None:
    before = os.umask(0o022)
    run(home.path, "games", "list")
    assert os.umask(before) == 0o077

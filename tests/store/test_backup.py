"""A backup is what a home held at one moment, whatever happens while it is made."""

import errno
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from pbm_oust.rules import KINDS
from pbm_oust.store.accounts import all_userids
from pbm_oust.store.backup import Copied, NotCopied, back_up, restore
from pbm_oust.store.disk import Disk
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, names_of
from pbm_oust.store.letters import LetterState, all_letters
from pbm_oust.store.open_boards import read_game
from pbm_oust.store.sqlite import UNFINISHED
from tests.support.games import EXAMPLE
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed

OUST = KINDS["oust"]
CHALLENGE = (ALICE, "oust challenge alice bob wonderland -size=5")


def quiet(_done: int, _of: int) -> None:
    """Draw no progress."""


@pytest.fixture(autouse=True)
def indexed() -> None:
    """Allow statements that no index serves: a backup looks at everything."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with two boards, a move on the first of them, and the letters about all that."""
    return home_of(
        tmp_path / "home", ALICE, BOB, mails=[CHALLENGE, CHALLENGE, (ALICE, move(1, "C3"))]
    )


def move(board: int, cell: str) -> str:
    return f"oust move {board} alice wonderland {cell}"


def answer(board: int, cell: str) -> str:
    return f"oust move {board} bob lookingglass {cell}"


def restored(folder: Path, path: Path) -> Home:
    restore(folder, path, quiet)
    return Home(path)


def records(home: Home, board: int) -> int:
    return len(read_game(home, OUST, board).records)


def boards(home: Home) -> list[int]:
    return [name.board for name in home.ask(names_of, "oust")]


def held(home: Home) -> list[str]:
    letters = home.ask(all_letters, LetterState.HELD)
    return [f"{letter.head.recipient}: {letter.head.subject}" for letter in letters]


def contents(path: Path) -> dict[str, bytes]:
    return {str(each.relative_to(path)): each.read_bytes() for each in files(path)}


def files(path: Path) -> list[Path]:
    return [each for each in sorted(path.rglob("*")) if each.is_file()]


def test_a_home_is_restored_with_boards_accounts_letters_key_and_configuration(
    home: Home, tmp_path: Path
) -> None:
    home.configuration.write_text('address = "pbmserv@example.com"\n')
    assert back_up(home, tmp_path / "copy", quiet) == Copied(2, 2, 6)
    again = restored(tmp_path / "copy", tmp_path / "again")
    for kept in ("oust/1.txt", "oust/2.txt", "key", "pbm_oust.toml"):
        assert (again.path / kept).read_bytes() == (home.path / kept).read_bytes()
    assert again.ask(all_userids) == ["alice", "bob"]
    assert held(again) == [
        "alice@example.org: oust 1 #1: your turn, alice",
        "bob@example.net: alice challenges you: oust 1",
        "alice@example.org: oust 2 #1: your turn, alice",
        "bob@example.net: alice challenges you: oust 2",
        "alice@example.org: oust 1 #2: bob to move",
        "bob@example.net: oust 1 #2: your turn, bob",
    ]


def test_a_mail_that_came_before_the_backup_is_known_after_it(home: Home, tmp_path: Path) -> None:
    mailed(home, BOB, answer(1, "A1"), number=7)
    back_up(home, tmp_path / "copy", quiet)
    again = restored(tmp_path / "copy", tmp_path / "again")
    (letter,) = mailed(again, BOB, answer(1, "A1"), number=7)
    assert "Your mail came before, and this command was carried out then." in letter.words
    assert records(again, 1) == 2


def test_what_players_do_meanwhile_is_in_no_part_of_the_backup(home: Home, tmp_path: Path) -> None:
    def play_on(done: int, _of: int) -> None:
        if done == 1:
            mailed(home, ALICE, move(2, "C3"))
            mailed(home, BOB, answer(1, "A1"))
            mailed(home, *CHALLENGE)

    back_up(home, tmp_path / "copy", play_on)
    again = restored(tmp_path / "copy", tmp_path / "again")
    assert [records(again, board) for board in boards(again)] == [1, 0]
    assert [records(home, board) for board in boards(home)] == [2, 1, 0]
    assert len(held(again)) == 6


def test_what_is_not_published_yet_is_in_the_copied_history(home: Home, tmp_path: Path) -> None:
    path = home.history_path(BoardName("oust", 1))
    whole = path.read_bytes()
    path.write_bytes(whole.partition(b"   1 ")[0])
    back_up(home, tmp_path / "copy", quiet)
    assert (tmp_path / "copy" / "oust" / "1.txt").read_bytes() == whole
    again = restored(tmp_path / "copy", tmp_path / "again")
    assert records(again, 1) == 1
    assert again.history_path(BoardName("oust", 1)).read_bytes() == whole


def test_a_backup_is_private(home: Home, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy", quiet)
    modes = {path.stat().st_mode & 0o077 for path in (tmp_path / "copy").rglob("*")}
    assert modes | {(tmp_path / "copy").stat().st_mode & 0o077} == {0}


def test_a_backup_changes_nothing_in_the_home(home: Home, tmp_path: Path) -> None:
    home.database.close()
    before = contents(home.path)
    back_up(home, tmp_path / "copy", quiet)
    home.database.close()
    assert contents(home.path) == before


def test_a_home_of_files_alone_is_backed_up_with_its_games(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (home.path / "oust").mkdir(parents=True)
    (home.path / "oust" / "17.txt").write_text(EXAMPLE)
    assert back_up(home, tmp_path / "copy", quiet) == Copied(1, 0, 0)
    assert boards(restored(tmp_path / "copy", tmp_path / "again")) == [17]


@pytest.mark.parametrize("name", ["precious", ".hidden"])
def test_no_folder_that_holds_something_is_filled(name: str, home: Home, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy", quiet)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / name).write_text("mine")
    with pytest.raises(NotCopied, match="is not empty"):
        back_up(home, tmp_path / "full", quiet)
    with pytest.raises(NotCopied, match="is not empty"):
        restore(tmp_path / "copy", tmp_path / "full", quiet)
    assert contents(tmp_path / "full") == {name: b"mine"}


class Overtaken(Disk):
    """A disk on which somebody else does something just before the first file is made."""

    def __init__(self, deed: Callable[[], object]) -> None:
        self._deeds = [deed]

    def create(self, path: Path, data: bytes, mode: int, **named: bool) -> None:
        """Write a file that does not exist."""
        while self._deeds:
            self._deeds.pop()()
        super().create(path, data, mode, **named)


def test_a_backup_that_is_finished_meanwhile_is_left_as_it_is(home: Home, tmp_path: Path) -> None:
    late = Home(home.path, Overtaken(lambda: back_up(home, tmp_path / "copy", quiet)))
    with pytest.raises(NotCopied, match="is not empty"):
        back_up(late, tmp_path / "copy", quiet)
    assert len(held(restored(tmp_path / "copy", tmp_path / "again"))) == 6


def test_a_backup_that_is_begun_meanwhile_is_left_as_it_is(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "copy" / UNFINISHED
    late = Home(home.path, Overtaken(lambda: path.write_text("a part of it")))
    with pytest.raises(NotCopied, match="somebody else fills"):
        back_up(late, tmp_path / "copy", quiet)
    assert contents(tmp_path / "copy") == {UNFINISHED: b"a part of it"}


def test_a_home_that_somebody_begins_to_use_is_left_to_them(home: Home, tmp_path: Path) -> None:
    def begun(_done: int, _of: int) -> None:
        (tmp_path / "again" / "pbm_oust.db-wal").write_text("a mail that was done")

    back_up(home, tmp_path / "copy", quiet)
    with pytest.raises(NotCopied, match="somebody else uses"):
        restore(tmp_path / "copy", tmp_path / "again", begun)
    assert contents(tmp_path / "again")["pbm_oust.db-wal"] == b"a mail that was done"
    with pytest.raises(OSError, match="restoring it, or copying it, was broken off"):
        Home(tmp_path / "again").prepare()


def test_a_damaged_backup_leaves_nothing_behind(home: Home, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy", quiet)
    os.truncate(tmp_path / "copy" / "pbm_oust.db", 8192)
    with pytest.raises(NotCopied, match=r"cannot be used: .*/copy/pbm_oust\.db is damaged"):
        restore(tmp_path / "copy", tmp_path / "again", quiet)
    assert list((tmp_path / "again").iterdir()) == []


class FullOfHistories(Disk):
    """A disk on which there is no room for histories."""

    def write(self, path: Path, data: bytes, mode: int, *, syncs: bool = True) -> None:
        """Write a file that nobody looks for yet."""
        if path.suffix == ".txt":
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write(path, data, mode, syncs=syncs)


def test_a_backup_that_fails_leaves_nothing_behind(home: Home, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left"):
        back_up(Home(home.path, FullOfHistories()), tmp_path / "copy", quiet)
    assert list((tmp_path / "copy").iterdir()) == []


@pytest.mark.parametrize(("key", "told"), [(None, "holds no key"), ("cafe\n", "64 hexadecimal")])
def test_a_backup_without_a_whole_key_is_not_restored(
    key: str | None, told: str, home: Home, tmp_path: Path
) -> None:
    back_up(home, tmp_path / "copy", quiet)
    (tmp_path / "copy" / "key").unlink()
    if key:
        (tmp_path / "copy" / "key").write_text(key)
    with pytest.raises(NotCopied, match=told):
        restore(tmp_path / "copy", tmp_path / "again", quiet)
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER strange AFTER INSERT ON letters BEGIN DELETE FROM letters; END",
        "CREATE VIEW strange AS SELECT userid FROM accounts",
        "CREATE TABLE strange (at INTEGER)",
        "CREATE INDEX strange ON boards (grid)",
    ],
)
def test_a_backup_with_something_of_somebody_else_is_not_restored(
    statement: str, home: Home, tmp_path: Path
) -> None:
    back_up(home, tmp_path / "copy", quiet)
    with closing(apsw.Connection(str(tmp_path / "copy" / "pbm_oust.db"))) as connection:
        connection.execute(statement)
    with pytest.raises(NotCopied, match=rf"has the {statement.split()[1].lower()} strange, which"):
        restore(tmp_path / "copy", tmp_path / "again", quiet)
    assert list((tmp_path / "again").iterdir()) == []

"""A database that has gone back: an older copy in its place, or one that has lost its log."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from tests.support.command_line import run
from tests.support.histories import board_numbers, history_text
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed

CHALLENGE = "oust challenge alice bob wonderland -size=5"
BEFORE = "pbm_oust.db.before"


def moved(home: Path) -> None:
    """Put the older copy in the place of the database, as another file."""
    for path in home.glob("pbm_oust.db-*"):
        path.unlink()
    (home / BEFORE).replace(home / "pbm_oust.db")


def copied(home: Path) -> None:
    """Write the older copy over the database."""
    for path in home.glob("pbm_oust.db-*"):
        path.unlink()
    shutil.copyfile(home / BEFORE, home / "pbm_oust.db")


def without_log(home: Path) -> None:
    """Leave the database as it is without its log."""
    assert (home / "pbm_oust.db-wal").stat().st_size > 0
    for path in home.glob("pbm_oust.db-*"):
        path.unlink()


GONE_BACK = [moved, copied, without_log]


@pytest.fixture(params=GONE_BACK)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A home whose database lacks a move and a board that its files have.

    Its server was killed, so nothing was synced or noted at its end.
    """
    home = home_of(tmp_path / "served", ALICE, BOB, mails=[(ALICE, CHALLENGE)])
    home.database.close()
    shutil.copyfile(home.path / "pbm_oust.db", home.path / BEFORE)
    mailed(home, ALICE, "oust move 1 alice wonderland C3")
    mailed(home, ALICE, CHALLENGE)
    killed = Path(shutil.copytree(home.path, tmp_path / "home", symlinks=True))
    home.close()
    spoil: Callable[[Path], None] = request.param
    spoil(killed)
    return killed


def files(home: Path) -> dict[str, bytes]:
    """Return all files of histories."""
    return {path.name: path.read_bytes() for path in (home / "oust").iterdir()}


def test_nothing_begins_to_use_it_and_no_file_is_touched(home: Path) -> None:
    before = files(home)
    for words in (
        ("sweep",),
        ("games", "void", "oust", "1"),
        ("games", "accept", "oust", "1"),
        ("serve", "--smtp", "127.0.0.1:0"),
    ):
        refused = run(home, *words)
        assert refused.exit_code == 1, words
        assert "pbm_oust.db has gone back: its boards end at " in str(refused.exception)
        assert f"pbm-oust --home {home} home rebuild" in str(refused.exception)
    mail = f"From: {ALICE}\nSubject: oust move 1 alice wonderland B2\n\n"
    delivered = run(home, "deliver", "--recipient", "pbmserv@localhost", stdin=mail)
    assert delivered.exit_code == 75
    assert files(home) == before


def test_doctor_says_so_and_games_are_shown_from_their_files(home: Path) -> None:
    told = run(home, "doctor")
    assert told.exit_code == 1
    assert "pbm_oust.db has gone back" in told.output
    assert "1 x C3 " in run(home, "games", "history", "oust", "1").output


def test_it_gets_what_the_files_have_and_goes_on(home: Path) -> None:
    before = files(home)
    assert "the database holds 2 boards\n" in run(home, "home", "rebuild").output
    again = Home(home)
    again.prepare()
    assert again.ask(lambda each: each.number("SELECT count(*) FROM letters")) == again.ask(
        lambda each: each.number("SELECT count(*) FROM letters WHERE state = 'held'")
    )
    assert "1 x C3 " in history_text(again)
    mailed(again, ALICE, CHALLENGE, number=77)
    assert board_numbers(again) == [1, 2, 3]
    assert {name: files(home)[name] for name in before} == before
    again.close()
    assert run(home, "games", "verify").exit_code == 0


def test_what_does_not_replay_there_is_named(home: Path) -> None:
    path = home / "oust" / "1.txt"
    path.write_text(path.read_text().replace("x C3", "x Z9"))
    done = run(home, "home", "rebuild")
    assert done.exit_code == 1
    assert f"no history: {path}: line 11: Z9 by x" in done.output
    assert "Z9" not in history_text(Home(home))
    assert run(home, "sweep").exit_code == 0
    assert "Z9" in next((home / "oust").glob("1.txt.edited-*")).read_text()


def test_without_files_it_goes_on_as_it_is(home: Path) -> None:
    shutil.rmtree(home / "oust")
    assert "the database holds 1 board\n" in run(home, "home", "rebuild").output
    assert run(home, "sweep").exit_code == 0


def test_a_file_with_a_line_added_by_hand_is_no_sign_of_it(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", ALICE, BOB, mails=[(ALICE, CHALLENGE)])
    path = home.history_path(BoardName("oust", 1))
    with path.open("a") as file:
        file.write("   1 x C3                        2026-11-28T12:00:00Z 0123456789abcdef\n")
    home.close()
    assert run(tmp_path / "home", "sweep").exit_code == 0
    assert list(path.parent.glob("1.txt.edited-*"))

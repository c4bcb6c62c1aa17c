"""`pbm-oust home copy` as an operator sees it."""

import contextlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbm_oust.cli.main import main
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from tests.support.home_by_mail import ALICE, BOB, home_of

CHALLENGE = [(ALICE, "oust challenge alice bob wonderland")]


def copied(source: Path, target: Path) -> tuple[int, str]:
    """Copy a home; return the exit status, and what was printed."""
    done = CliRunner().invoke(main, ["home", "copy", str(source), str(target)])
    return done.exit_code, done.output


def test_a_home_is_copied_into_a_new_folder(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    home_of(source, ALICE, BOB, mails=CHALLENGE).close()
    target.mkdir()
    status, told = copied(source, target)
    assert status == 0
    assert f"{target} holds 1 board, 2 accounts and " in told
    assert f"to send them:  pbm-oust --home {target} outbox resume" in told
    name = BoardName("oust", 1)
    homes = Home(source), Home(target)
    assert homes[0].history(name) == homes[1].history(name)
    for home in homes:
        home.close()


def test_a_home_is_not_copied_over_another_one(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    for path in (source, target):
        home_of(path, ALICE).close()
    status, told = copied(source, target)
    assert status == 1
    assert f"{target} is in use already: it has a key; copy into a new home" in told


def test_histories_that_are_files_already_are_not_copied_again(tmp_path: Path) -> None:
    home_of(tmp_path / "home").close()
    words = ["home", "copy", str(tmp_path / "home"), "--follow", str(tmp_path / "copy")]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, "are files already" in done.output) == (1, True)
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "name either a home TO, or a folder with --follow"),
        (["TO", "--follow", "DIR"], "name either a home TO, or a folder with --follow"),
        (["TO", "--once"], "--once goes with --follow"),
    ],
)
def test_a_copy_goes_to_one_place(words: list[str], told: str, tmp_path: Path) -> None:
    for name in ("FROM", "TO"):
        (tmp_path / name).mkdir()
    with contextlib.chdir(tmp_path):
        done = CliRunner().invoke(main, ["home", "copy", "FROM", *words])
    assert (done.exit_code, told in done.output) == (2, True)

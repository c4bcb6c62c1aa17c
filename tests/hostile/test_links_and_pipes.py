"""Links and pipes below the home lead nowhere, and what is imported has a limit."""

import os
from pathlib import Path

import pytest

from pbm_oust.cli.common import LARGEST_IMPORT
from pbm_oust.mail.clients import S250_DONE
from pbm_oust.store.accounts import all_userids
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from tests.support.accounts import make_account
from tests.support.command_line import run
from tests.support.home_by_mail import ALICE, mailed
from tests.support.listening import command, deliver

BOARD = BoardName("oust", 1)


@pytest.fixture
def playing(home: Home) -> Home:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", "bob@example.net")
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")
    return home


def replace_by_link(path: Path) -> None:
    elsewhere = path.parent.parent.parent / f"elsewhere {path.name}"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("replace", [replace_by_link, replace_by_pipe])
def test_a_history_that_is_a_link_or_a_pipe_is_set_aside_and_hangs_nobody(
    playing: Home, port: int, replace: object
) -> None:
    assert callable(replace)
    replace(playing.history_path(BOARD))
    assert deliver(port, command("oust show 1")) == S250_DONE
    assert deliver(port, command("oust move 1 alice wonderland C3")) == S250_DONE
    assert playing.history_path(BOARD).read_bytes() == playing.ask(playing.boards.history, BOARD)
    assert not playing.history_path(BOARD).is_symlink()
    assert len(playing.publisher.edited(BOARD)) == 1


def test_nothing_is_written_through_a_history_that_is_a_link(playing: Home) -> None:
    path = playing.history_path(BOARD)
    replace_by_link(path)
    elsewhere = path.resolve()
    before = elsewhere.read_bytes()
    assert run(playing.path, "games", "void", "oust", "1", "--yes").exit_code == 0
    assert elsewhere.read_bytes() == before
    assert path.read_bytes() == playing.ask(playing.boards.history, BOARD) != before


def test_a_folder_that_is_a_link_is_not_used(playing: Home) -> None:
    playing.database.close()
    replace_by_link(playing.path / "oust")
    prepared = run(playing.path, "sweep")
    assert (prepared.exit_code, "links in the home are not followed" in prepared.output) == (
        1,
        True,
    )
    elsewhere = (playing.path / "oust" / "1.txt").resolve()
    before = elsewhere.read_bytes()
    run(playing.path, "games", "void", "oust", "1", "--yes")
    assert elsewhere.read_bytes() == before


@pytest.mark.parametrize("folder", ["outbox", "outbox/new", "outbox/tmp", "outbox/cur"])
def test_letters_are_not_written_through_a_folder_that_is_a_link(
    playing: Home, tmp_path: Path, folder: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (playing.path / folder).rename(elsewhere)
    (playing.path / folder).symlink_to(elsewhere)
    before = sorted(elsewhere.rglob("*"))
    mailed(playing, ALICE, "oust show 1")
    assert sorted(elsewhere.rglob("*")) == before
    prepared = run(playing.path, "sweep")
    assert (prepared.exit_code, "links in the home are not followed" in prepared.output) == (
        1,
        True,
    )
    examined = run(playing.path, "doctor")
    assert examined.exit_code == 1
    assert f"{folder} is a link" in examined.output
    assert sorted(elsewhere.rglob("*")) == before


@pytest.mark.parametrize("replace", [replace_by_link, replace_by_pipe])
def test_a_key_that_is_a_link_or_a_pipe_is_refused(home: Home, replace: object) -> None:
    assert callable(replace)
    replace(home.key_path)
    with pytest.raises(OSError, match=r"a link|not a regular file"):
        home.key()


@pytest.mark.parametrize("replace", [replace_by_link, replace_by_pipe])
def test_a_configuration_that_is_a_link_or_a_pipe_is_refused(home: Home, replace: object) -> None:
    assert callable(replace)
    home.configuration.write_text('address = "pbmserv@example.org"\n')
    replace(home.configuration)
    answered = run(home.path, "serve")
    assert answered.exit_code == 2
    assert "pbm_oust.toml" in answered.output


def test_a_database_that_is_a_link_is_refused(playing: Home, tmp_path: Path) -> None:
    linked = Home(tmp_path / "linked")
    linked.path.mkdir()
    linked.database_path.symlink_to(playing.database_path)
    with pytest.raises(DatabaseFault, match="is a link"):
        linked.ask(all_userids)


def test_a_draft_is_not_written_through_a_link(home: Home, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (home.path / "draft").symlink_to(victim)
    with pytest.raises(OSError, match="symbolic"):
        home.disk.write(home.path / "draft", b"other", 0o600)
    assert victim.read_text() == "precious"


@pytest.mark.slow
@pytest.mark.parametrize("what", ["games", "players"])
def test_what_is_imported_has_a_limit_unless_it_is_known_to_be_large(home: Home, what: str) -> None:
    text = b"\n" * (LARGEST_IMPORT + 1)
    refused = run(home.path, what, "import", "--dry-run", stdin=text)
    assert (refused.exit_code, "give --large" in refused.output) == (1, True)
    assert (
        "--large" not in run(home.path, what, "import", "--large", "--dry-run", stdin=text).output
    )
    assert "--large" not in run(home.path, what, "import", "--dry-run", stdin=text[1:]).output

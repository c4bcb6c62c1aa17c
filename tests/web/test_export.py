"""Pages as files: written by a real process, and handed out by a plain file server."""

import os
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import feedparser
import pytest

from pbm_oust.store.home import Home
from pbm_oust.store.published import OWN
from tests.support.exported import Export, exported
from tests.support.file_server import file_server
from tests.support.games import history_of, new_game, play
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, BOB, Talk, home_of, mailed
from tests.support.server import PROGRAM
from tests.support.waiting import wait_until
from tests.support.website import website

BASE = "https://host.example/games"
MAILS = (
    (ALICE, "oust challenge alice bob wonderland -size=5"),
    (ALICE, "oust move 1 alice wonderland C3"),
    (BOB, "oust move 1 bob lookingglass A1"),
    (ALICE, "oust replay 1 1 alice bob wonderland"),
    (ALICE, "oust challenge alice bob wonderland -size=3"),
    (ALICE, "oust move 3 alice wonderland B2"),
    (BOB, "oust resign 3 bob lookingglass"),
    (ALICE, "churn seek alice wonderland hex 4"),
)
NAMED = re.compile(r'\s(?:href|src|action|data-[a-z]+|content)="([^"]*[/.][^"]*)"')
UNNAMED = re.compile(r"\w+/\d+\.svg|robots\.txt")
"""Pages name the picture of the latest position, and robots look by themselves."""
FILES = {"oust/1.png", "oust/1.atom", "oust/1.sgf", "oust/1.json", "oust/1.txt", "oust/1/2.svg"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Export:
    """All pages of a home with a board in play, one that continues it, and one that is over.

    They lie below the path of a server.
    """
    path = tmp_path_factory.mktemp("export")
    home_of(path / "home", ALICE, BOB, mails=MAILS, at=datetime.now(UTC)).database.close()
    (path / "served").mkdir()
    return exported(path / "home", path / "served" / "games", "--address", BASE)


@pytest.fixture
def large(tmp_path: Path) -> Home:
    """A home whose boards fill more than a page."""
    made = home_of(tmp_path / "home", ALICE, BOB, mails=MAILS, at=datetime.now(UTC))
    text = history_of(play(new_game("square 3x3"), "x A1", "o C3", "x resign")).decode()
    numbers = range(10, 62)
    lay_histories(made, {each: text.replace("Board: 17", f"Board: {each}") for each in numbers})
    made.database.close()
    return made


@pytest.fixture
def small(tmp_path: Path) -> Home:
    """A home with few boards, which a test may change."""
    made = home_of(tmp_path / "home", ALICE, BOB, mails=MAILS, at=datetime.now(UTC))
    made.database.close()
    return made


def reached(folder: Path, start: str) -> set[str]:
    """Follow all links from a page at a file server; return the paths of what is there."""
    seen, waiting = set[str](), {start}
    with file_server(folder) as server:
        while waiting:
            path = waiting.pop()
            seen.add(path)
            got = server.get(path)
            assert got.status == 200, path
            if path.endswith(".html"):
                for named in map(unescape, NAMED.findall(got.text)):
                    if named.startswith(("mailto:", "#", "width=")):
                        continue
                    there = named.replace(BASE, start.removesuffix("/index.html"))
                    parts = urlsplit(urljoin(path, there))
                    assert not parts.netloc, (path, named)
                    if parts.path not in seen:
                        waiting.add(parts.path)
    return {unquote(each) for each in seen}


def test_no_link_is_dead_and_none_leads_outside(whole: Export) -> None:
    assert whole.done.returncode == 0, whole.done.stderr
    found = reached(whole.folder.parent, "/games/index.html")
    assert all(each.startswith("/games/") for each in found)
    assert not {f"/games/{each}" for each in whole.files if not UNNAMED.fullmatch(each)} - found
    assert {f"/games/{each}" for each in FILES} <= found
    assert {"/games/players/bob.html", "/games/oust/1/0.html"} <= found


@pytest.mark.slow
def test_lists_of_many_pages_are_whole(large: Home, tmp_path: Path) -> None:
    exported(large.path, tmp_path / "out", "--positions", "none")
    found = reached(tmp_path / "out", "/index.html")
    assert {f"/oust/{board}.html" for board in range(10, 62)} <= found
    assert "/history/game-oust/page-2.html" in found


def test_positions_can_be_left_out_and_still_no_link_is_dead(small: Home, tmp_path: Path) -> None:
    export = exported(small.path, tmp_path / "out", "--positions", "none", "--address", BASE)
    found = reached(tmp_path / "out", "/index.html")
    assert {f"/{each}" for each in export.files} == {*found, "/robots.txt"}
    assert {"/oust/1.svg", "/oust/1.png"} <= found
    assert not [each for each in found if re.search(r"/oust/\d+/", each)]
    assert f'{BASE}/oust/1.html"' in export.text("oust/1.atom")
    assert BASE not in export.text("oust/1.atom").replace(f"{BASE}/oust/1", "")


def test_a_file_is_what_the_server_answers(small: Home, tmp_path: Path) -> None:
    export = exported(small.path, tmp_path / "out")
    with website(small.path) as pages:
        for path in ("/oust/1.svg", "/oust/1.sgf", "/oust/1.json", "/oust/1.txt", "/oust/1/1.svg"):
            assert (export.folder / path[1:]).read_bytes() == pages.get(path).content
        shown, answered = (
            re.sub(r"<[^>]*>", " ", text)
            for text in (export.text("oust/1/1.html"), pages.get("/oust/1/1").text)
        )
    assert shown.split() == answered.split()


def test_nothing_is_there_that_only_a_server_can_do(whole: Export) -> None:
    for path, (_, content) in whole.files.items():
        if path.endswith(".html"):
            assert b"<form" not in content, path
            assert b"data-live" not in content, path


def test_feeds_and_previews_name_files_by_their_whole_address(whole: Export) -> None:
    feed = feedparser.parse((whole.folder / "oust" / "1.atom").read_bytes())
    links = [feed.feed.link, *(entry.link for entry in feed.entries)]
    assert len(links) == 3
    for link in [*links, *re.findall(r'content="(https:[^"]*)"', whole.text("oust/1.html"))]:
        assert link.startswith(f"{BASE}/")
        assert link.removeprefix(f"{BASE}/") in whole.files


def test_pages_are_in_one_language_and_have_no_feeds_without_an_address(
    small: Home, tmp_path: Path
) -> None:
    export = exported(small.path, tmp_path / "out", "--language", "fr")
    assert '<html lang="fr">' in export.text("index.html")
    assert "Après le coup 1 sur 2" in export.text("oust/1/1.html")
    assert "https:" not in export.text("oust/1.html")
    assert not [each for each in export.files if each.endswith(".atom")]


def test_files_can_be_read_by_a_web_server_and_the_list_by_nobody_else(whole: Export) -> None:
    assert (whole.folder / "oust" / "1.html").stat().st_mode & 0o777 == 0o644
    assert (whole.folder / "oust").stat().st_mode & 0o777 == 0o755
    assert (whole.folder / OWN).stat().st_mode & 0o777 == 0o700


def test_what_has_not_changed_is_not_touched(small: Home, tmp_path: Path) -> None:
    first = exported(small.path, tmp_path / "out")
    before = first.files
    again = exported(small.path, tmp_path / "out")
    assert again.files == before
    assert "0 files written, 0 removed" in again.done.stdout


def test_a_move_changes_its_board_and_the_lists(small: Home, tmp_path: Path) -> None:
    options = ("--positions", "png")
    before = exported(small.path, tmp_path / "out", *options).files
    mailed(small, ALICE, "oust move 1 alice wonderland E5", at=datetime.now(UTC))
    small.database.close()
    after = exported(small.path, tmp_path / "out", *options).files
    changed = {path for path, file in after.items() if before.get(path) != file}
    assert {"oust/1.html", "oust/1/0.html", "oust/1/3.png", "oust/1.sgf", "boards.html"} <= changed
    assert "oust/1/1.png" not in changed
    assert not [path for path in changed if path.startswith(("oust/2", "oust/3", "rules", "help"))]


@pytest.mark.slow
def test_who_is_forgotten_is_gone_from_the_files(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    for sender, line in MAILS[:3]:
        talk.send(sender, line)
    talk.send(BOB, "oust resign 1 bob lookingglass")
    assert "players/alice.html" in exported(talk.home.path, tmp_path / "out").files
    talk.send(ALICE, "forget alice wonderland really")
    talk.sweep()
    talk.home.database.close()
    export = exported(talk.home.path, tmp_path / "out")
    assert "players/gone-1.html" in export.files
    said = {path for path, (_, content) in export.files.items() if b"alice" in content}
    assert not [path for path in said if not path.startswith("help")]  # which has her as example
    assert not [path for path in export.files if "alice" in path]


@pytest.mark.slow
@pytest.mark.parametrize("board", [1, 3], ids=["in play", "over"])
def test_a_board_that_cannot_be_read_says_so_until_it_can(
    board: int, small: Home, tmp_path: Path
) -> None:
    path = small.path / "oust" / f"{board}.txt"
    history = path.read_text()
    lay_histories(small, {board: history.replace(" x ", " x Z9 ")})
    for _ in range(2):
        export = exported(small.path, tmp_path / "out")
        assert export.done.returncode == 1
        assert f"/oust/{board} cannot be read" in export.done.stderr
        assert "cannot be read at present" in export.text(f"oust/{board}.html")
        assert f"oust/{board}.svg" not in export.files
    lay_histories(small, {board: history})
    again = exported(small.path, tmp_path / "out")
    assert again.done.returncode == 0
    assert f"oust/{board}/1.svg" in again.files


def test_what_others_put_beside_the_files_stays(small: Home, tmp_path: Path) -> None:
    exported(small.path, tmp_path / "out")
    (tmp_path / "out" / "oust" / "note.html").write_text("mine")
    small.do(lambda each: each.run("DELETE FROM boards WHERE kind = 'oust' AND board = 3"))
    export = exported(small.path, tmp_path / "out")
    assert export.text("oust/note.html") == "mine"
    assert "oust/3.html" not in export.files
    assert not (tmp_path / "out" / "oust" / "3").exists()


def test_a_folder_with_other_files_is_refused(small: Home, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    export = exported(small.path, tmp_path / "out")
    assert (export.done.returncode, [*export.files]) == (1, ["thesis.txt"])
    assert "holds files that do not come from here" in export.done.stderr


def test_the_home_itself_is_refused(small: Home) -> None:
    export = exported(small.path, small.path / "out")
    assert (export.done.returncode, (small.path / "out").exists()) == (1, False)


def whole_files(folder: Path) -> Iterator[Path]:
    """Yield the pages in a folder; each must be whole."""
    for path in folder.rglob("*.html"):
        assert path.read_text().endswith("</html>"), path
        yield path


def has_pages(folder: Path, number: int) -> bool:
    """Return whether there are so many pages in a folder, all of them whole."""
    return len([*whole_files(folder)]) >= number


@pytest.mark.slow
def test_an_export_that_is_killed_leaves_whole_files_and_goes_on(
    large: Home, tmp_path: Path
) -> None:
    without = ("--positions", "none")
    words = [PROGRAM, "--home", str(large.path), "web", "export", *without]
    for pages in (1, 40):
        with (tmp_path / "log").open("w") as log:
            process = subprocess.Popen(
                [*words, str(tmp_path / "out")], stdout=log, stderr=log, start_new_session=True
            )
            try:
                wait_until(partial(has_pages, tmp_path / "out", pages), f"{pages} pages")
            finally:
                os.killpg(process.pid, 9)
                process.wait()
        assert [*whole_files(tmp_path / "out")]
    export, whole = (exported(large.path, tmp_path / each, *without) for each in ("out", "whole"))
    said, expected = (
        {path: content for path, (_, content) in each.files.items()} for each in (export, whole)
    )
    assert said == expected
    assert not [*(tmp_path / "out" / OWN).glob("*.draft")]

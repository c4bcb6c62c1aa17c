"""The page of a board, and the board and its game as files."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from pbm_oust.board import Game
from pbm_oust.board.formats import parse_any
from pbm_oust.board.sgf import parse_sgf
from pbm_oust.rules import KINDS, parse_grid
from tests.support.games import act, history_of, new_game, play
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, BOB, home_of
from tests.support.kinds import Chance
from tests.support.website import Website, website

BASE = "https://games.example.org"
MOST_BYTES = 20 * 1024
"""The most bytes that are sent for a page with a board of 121 points, with its style sheet and
script, and for one that explores."""
BEGUN = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=5)
SMALL = play(new_game("square 5x5", started=BEGUN), "x C3", "o swap", "o B3", "x D5")
"""A board in play, whose latest record is of an hour ago."""
WON = play(new_game("square 3x3"), "x A1", "o C3", "x B3", "o resign")


def random_game(grid: str) -> Game:
    """Return a game of Oust, or most of one, played at random."""
    chance, game = Random(3), new_game(grid)
    while len(game.records) < 65 and not game.result:
        position, cells = game.position, list[str]()
        while not cells or (position.is_mid_turn and not position.result):
            cell = chance.choice(list(position.grid.each(position.placements())))
            cells.append(position.grid.format_cell(cell))
            position = position.place(cell)
        game = act(game, f"{game.to_move.value} {' '.join(cells)}")
    return game


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Pages of a home with boards that go on, one that is over, and one that is damaged."""
    path = tmp_path_factory.mktemp("web") / "home"
    mails = (
        (ALICE, "oust challenge alice bob wonderland -size=5"),
        (ALICE, "oust move 1 alice wonderland C3"),
        (BOB, "oust move 1 bob lookingglass B3"),
        (ALICE, "oust replay 1 1 alice bob wonderland"),
    )
    home = home_of(path, ALICE, BOB, mails=mails, at=datetime.now(UTC))
    games = {17: SMALL, 18: WON, 19: random_game("square 11x11")}
    texts = {
        board: history_of(game).decode().replace("Board: 17", f"Board: {board}")
        for board, game in games.items()
    }
    texts[20] = texts[17].replace("Board: 17", "Board: 20").replace("B3", "C3")
    lay_histories(home, texts)
    (path / "pbm_oust.toml").write_text(f'web_address = "{BASE}"\n')
    home.database.close()
    with website(path) as found:
        yield found


@pytest.mark.parametrize("path", ["", "/1", ".svg", ".sgf", "/embed", "/0/explore"])
def test_a_damaged_board_says_so(path: str, pages: Website) -> None:
    got = pages.get(f"/oust/20{path}")
    assert got.status == 503
    assert "cannot be read at present" in got.text


def test_the_picture_of_a_position_stands_alone(pages: Website) -> None:
    got = pages.get("/oust/17/1.svg")
    assert got.headers["content-type"] == "image/svg+xml"
    assert got.text.startswith("<svg ")
    assert "<title>oust 17 after #1</title>" in got.text
    assert got.text in pages.get("/oust/17/1").text


def test_the_picture_of_a_position_is_also_a_png(pages: Website) -> None:
    got = pages.get("/oust/17/1.png")
    assert got.headers["content-type"] == "image/png"
    assert got.content.startswith(b"\x89PNG")


def test_the_game_can_be_taken_away_in_two_forms(pages: Website) -> None:
    sgf, data = (pages.get(f"/oust/17.{ending}") for ending in ("sgf", "json"))
    for got in (sgf, data):
        assert parse_any(got.text).check().game == SMALL
    assert parse_sgf(sgf.text)
    assert json.loads(data.text)["header"]["Board"] == "17"
    assert sgf.headers["content-disposition"] == 'inline; filename="oust-17.sgf"'


def test_without_an_address_of_the_pages_nothing_names_it(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", ALICE, BOB)
    lay_histories(home, {17: history_of(SMALL).decode()})
    home.database.close()
    with website(tmp_path / "home") as found:
        assert "og:" not in found.get("/oust/17").text


def test_a_page_with_all_that_it_loads_is_small(pages: Website) -> None:
    page = pages.get("/oust/19")
    loaded = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)
    sent = [pages.sent(path) for path in ("/oust/19", *loaded)]
    names = [path.rpartition("/")[2] for path in loaded]
    assert names == ["icon.svg", "style.css", "script.js", "board.js"]
    assert sum(sent) < MOST_BYTES
    assert max(sent[-2:]) < 5 * 1024
    assert re.findall(r"<[^>]+\bsrc=", page.text) == ["<script src="] * 2


@pytest.mark.parametrize("shown", ["", "?at=150"])
def test_a_page_that_explores_stays_small_however_much_has_been_placed(
    shown: str, pages: Website
) -> None:
    grid = parse_grid("square 19x19")
    steps = Chance(KINDS["oust"], grid, 3).steps[:200]
    line = [grid.format_cell(cell) for _, cell, _ in steps]
    page = pages.get(f"/explore/oust/19/{','.join(line)}{shown}")
    assert page.text.count('<a href="?at=') + page.text.count("aria-current") > len(line) - 1
    assert pages.sent(f"/explore/oust/19/{','.join(line)}{shown}") < MOST_BYTES


def test_pictures_and_frames_may_be_shown_elsewhere_and_nothing_else(pages: Website) -> None:
    for path, policy in (("/oust/17", "same-origin"), ("/oust/17/embed", "cross-origin")):
        headers = pages.get(path).headers
        assert headers["cross-origin-resource-policy"] == policy
        ancestors = "*" if policy == "cross-origin" else "'none'"
        assert headers["content-security-policy"].endswith(f"frame-ancestors {ancestors}")
        assert headers["content-security-policy"].count("default-src") == 1
    for path in ("/oust/17.svg", "/oust/17/1.png"):
        assert pages.get(path).headers["cross-origin-resource-policy"] == "cross-origin"


def test_no_page_has_style_or_script_within_it(pages: Website) -> None:
    for path in ("/oust/17", "/oust/18", "/oust/19/3"):
        page = pages.get(path).text
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script>", page)

"""Letters as HTML use only what mail programs know, and can be read where some of it is missing.

The programs are those of Apple, Google, Microsoft, Mozilla and Yahoo, by the data of caniemail.com.
"""

import json
import tomllib
from pathlib import Path

import pytest

from pbm_oust.board import Game
from pbm_oust.board.header import Terms
from pbm_oust.letters.body import LARGEST
from pbm_oust.letters.words import Words
from pbm_oust.play.notices import BoardNotice, News, Reader
from pbm_oust.rules.grid import square
from pbm_oust.rules.oust import Oust
from tests.support import tables
from tests.support.games import new_game, play, standing_at
from tests.support.mail_programs import DATA, FEATURES, PROGRAMS, extract, features_of, lacking

tabled = tables.tabled(__file__)

LACKING = tomllib.loads(Path(__file__).with_name("mail_programs.toml").read_text())


WORDS = Words("pbmserv@example.com")
GAME = play(new_game("square 7x7", Terms(swap=False)), "x C3", "o D3", "x F6", "o B4", "x C2")
"""The turn of x goes on: it has taken D3, and can take B4."""


def page_of(game: Game, userid: str = "") -> str:
    """Return a letter about a board to a player, or to the one who is to move."""
    reader = Reader(("x@example.org",), userid or game.player_to_move)
    notice = BoardNotice(reader, News.PLAYED, game, chat="Hello\nthere", chat_from="marksteere")
    written = WORDS.of(notice, link="https://oust.example.com/play/tag")
    page = WORDS.pages.of(written, reader, lambda game: "pbmserv+tag@example.com", LARGEST)
    assert page
    return page.content


def must_pass() -> Game:
    grid = square(2)
    corners = grid.parse_cell("A1") | grid.parse_cell("B2")
    return standing_at(new_game("square 2x2"), Oust(grid, x=corners))


def test_what_letters_use_has_been_looked_up_and_nothing_else() -> None:
    pages = [
        page_of(GAME),
        page_of(GAME, "marksteere"),
        page_of(play(GAME, "o resign")),
        page_of(play(new_game("hex 5"), "x C3")),
        page_of(must_pass()),
        page_of(play(new_game("hex 3", kind="churn"), "x A1")),
        page_of(new_game("square 25x25")),
    ]
    used = {feature for page in pages for feature in features_of(page)}
    assert used == {*FEATURES}


@tabled("html", "feature")
def test_what_nobody_has_looked_up_is_found(html: str, feature: str) -> None:
    assert feature in features_of(html)


@pytest.mark.parametrize("feature", FEATURES)
def test_programs_know_what_letters_use_or_it_is_known_what_is_seen_instead(feature: str) -> None:
    missing = {program for program, known in lacking(feature).items() if known[0] in "nu"}
    parts = {known for known in lacking(feature).values() if known.startswith("a")}
    assert missing == {*LACKING["missing"].get(feature, [])}
    assert parts == {*LACKING["parts"].get(feature, [])}


def test_what_makes_the_board_is_known_everywhere() -> None:
    needed = ("html-table", "html-cellspacing", "css-background-color", "css-border-collapse")
    assert not any(lacking(feature) for feature in (*needed, "css-font", "css-unit-em"))


def test_the_data_has_all_programs_and_says_how_old_it_is() -> None:
    data = json.loads(DATA.read_text())
    assert tuple(data["features"]) == FEATURES
    for known in data["features"].values():
        assert {program.split()[0] for program in known} == {*PROGRAMS}
    assert data["last_update_date"] >= "2026"
    assert "MIT License" in (DATA.parent / "LICENSE").read_text()


def test_the_extract_takes_the_latest_version_of_each_program() -> None:
    stats = {"gmail": {"ios": {"2019-08": "n", "2024-01": "y"}}, "hey": {"web": {"2020": "n"}}}
    stats |= {program: {"ios": {"1": "a #1"}} for program in PROGRAMS[2:]}
    data = {
        "last_update_date": "2026-05-13",
        "data": [{"slug": feature, "stats": stats} for feature in (*FEATURES, "css-grid")],
    }
    expected = {"apple-mail somewhere": "u", "gmail ios": "y"}
    expected |= {f"{program} ios": "a #1" for program in PROGRAMS[2:]}
    assert extract(data)["features"] == dict.fromkeys(FEATURES, expected)

"""Exploring: who looks plays nothing and sees no plans, and what strangers choose stays small."""

import re
from datetime import UTC, datetime
from functools import reduce
from html import unescape
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.exceptions import HTTPException

from pbm_oust.robot.levels import LEVELS, SIMPLE
from pbm_oust.robot.player import line_of
from pbm_oust.robot.search import VARIABLE
from pbm_oust.rules import Side
from pbm_oust.web.app import ROUTES
from pbm_oust.web.explore import house_thought
from pbm_oust.web.ground import KEY_BYTES, MOST_BYTES, Cache, Made
from pbm_oust.web.play import cells_of
from tests.support.accounts import make_account
from tests.support.browsing import Browser
from tests.support.core import needs_core
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed
from tests.support.website import Website, website
from tests.web.signed_in import place


def test_nobody_who_looks_is_taken_for_a_player(tmp_path: Path) -> None:
    home, guest = home_of(tmp_path / "home", ALICE), "guest@example.org"
    make_account(home, "guest", "wonderland", guest)
    for line in ("challenge guest alice wonderland", "move 1 guest wonderland C3"):
        mailed(home, guest, f"oust {line}", at=datetime.now(UTC))
    home.database.close()
    with website(home.path) as pages:
        page = pages.get("/oust/1/0/explore/C3").text
    assert "guest played C3" in page
    assert "You played" not in page


def test_exploring_a_board_without_a_number_leads_to_its_latest_position(tmp_path: Path) -> None:
    mails = [
        (ALICE, "oust challenge alice bob wonderland"),
        (ALICE, "oust move 1 alice wonderland C3"),
    ]
    home_of(tmp_path / "home", ALICE, BOB, mails=mails).database.close()
    with website(tmp_path / "home") as pages:
        got = pages.get("/oust/1/explore")
        assert (got.status, got.headers["location"]) == (303, "/oust/1/1/explore")
        assert pages.get("/oust/2/explore").status == 404


LOST = (
    "E6,B7,G6,A1,C4,G2,E3,A3,D2,A6,A7,B6,F1,F4,D5,C5,F7,"
    "C6,B4,C4,B5,D6,E5,F5,C5,E6,F6,G5,G6,A5,G7,F2,E1,E2"
)
"""A game that x loses, with a last chance on the way."""


@needs_core
def test_a_game_that_was_lost_leads_to_where_there_was_another_way(empty: Website) -> None:
    page = empty.get(f"/try/oust/7/{LOST}").text
    (number, path) = re.findall('At move ([0-9]+) there was another way: <a href="([^"]+)"', page)[
        0
    ]
    way = urlsplit(unescape(path))
    line, shown = way.path.rpartition("/")[2].split(","), parse_qs(way.query)["at"]
    before = int(shown[0]) - 1
    sides = [game.to_move for game in line_of("oust", "square 7x7", LOST).games[: before + 1]]
    assert int(number) == 1 + [*pairwise(sides)].count((Side.O, Side.X)), "a row of the list"
    assert line[:before] == LOST.split(",")[:before]
    assert line[before] != LOST.split(",")[before]
    explored = empty.get(unescape(path))
    assert explored.status == 200
    assert f"Blue played {line[before]}" in explored.text


def test_where_nothing_is_searched_pages_say_so_and_players_to_try_end_where_none_is_stronger(
    tmp_path: Path,
) -> None:
    alike = f"from {SIMPLE.userid} on its programs all play about as well as {SIMPLE.userid}"
    with place(tmp_path / "home", **{VARIABLE: "python"}) as here:
        assert here.site.get("/try").text.count(alike) == 1
        for level in LEVELS:
            is_there = LEVELS.index(level) <= LEVELS.index(SIMPLE)
            got = here.site.get(f"/try/oust/7/A1,B1,A2?house={level.userid}")
            assert got.status == (200 if is_there else 404)
            assert ("A stronger player" in got.text) is (is_there and level is not SIMPLE)
            assert f"house={LEVELS[-2].userid}" not in got.text
        alice = here.signed_in(ALICE)
        alice.open("/me/challenge")
        assert alice.text.count(alike) == 1


def test_whoever_waits_too_long_for_the_house_is_told_to_come_later() -> None:
    with pytest.raises(HTTPException) as refused:
        house_thought("answer", "oust", "square 7x7", "D4", "house1", patience=0)
    assert (refused.value.status_code, refused.value.headers) == (503, {"Retry-After": "60"})


def test_a_cell_at_the_end_of_a_text_that_is_too_long_is_not_cut() -> None:
    assert {*cells_of("A1,A1," + 800 * "D11,")} == {"A1", "D11"}


def test_short_contents_of_long_addresses_do_not_fill_the_memory() -> None:
    cache, most = Cache(), MOST_BYTES // KEY_BYTES
    for key in range(most):
        cache.put(key, Made(b"D4"))
    assert cache.find(0) is None
    assert cache.find(most - 1)


FRESH = re.compile(
    rb'value="(?:[0-9a-f]{16}|[A-Za-z0-9_-]{16,})"'
    rb'|(?<=Where you are, it is )[^<]+|(?<=min=")[0-9]{4}-[0-9-]+'
)
"""What differs each time a form is shown, and what the clock says."""
PARTS = {
    "{kind:kind}": "oust",
    "{board:number}": "1",
    "{number:number}": "2",
    "{grid:grid}": "5",
    "{line:line}": "",
    "{kind}": "oust",
    "{userid}": "bob",
}


def pages_about_boards() -> list[str]:
    """Return the paths of all pages that may show a board or a player, but for streams of news."""
    shown = [route.path for route in ROUTES if "GET" in (route.methods or ())]
    paths = [reduce(lambda path, part: path.replace(*part), PARTS.items(), path) for path in shown]
    return [path for path in paths if "{" not in path and not path.endswith("/events")]


def test_what_a_player_plans_changes_no_page_of_anybody_else(tmp_path: Path) -> None:
    paths = [*pages_about_boards(), "/oust/1/2/explore/C3,D4,E5,A5"]
    assert {"/oust/1", "/oust/1.json", "/oust/1/embed", "/oust/1.atom", "/me/oust/1"} <= {*paths}
    with place(tmp_path / "home", ALICE, BOB) as here:
        readers = [here.signed_in(ALICE), Browser(here.site)]
        here.talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
        here.talk.send(ALICE, "oust move 1 alice wonderland A1")
        here.talk.send(BOB, "oust move 1 bob lookingglass B2")
        own = here.signed_in(BOB)

        def seen(browser: Browser) -> dict[str, bytes]:
            return {path: FRESH.sub(b"", browser.open(path).content) for path in paths}

        seen(readers[1])  # From then on, the page to sign in knows what they wanted to see.
        before, shown = [seen(each) for each in readers], seen(own)
        here.talk.send(BOB, "oust queue 1 bob lookingglass if C3 then D4 if E5 then A5")
        assert [seen(each) for each in readers] == before
        changed = {path for path, text in seen(own).items() if text != shown[path]}
    exploring = "/oust/1/2/explore"
    latest = "/oust/1/explore"
    assert changed == {"/me/oust/1", latest, exploring, f"{exploring}/C3,D4,E5,A5"}

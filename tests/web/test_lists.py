"""Lists of boards, standings and the pages of players."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.histories import lay_histories, short_history
from tests.support.home_by_mail import ALICE, BOB, CAROL, home_of
from tests.support.website import Website, website

tabled = tables.tabled(__file__)

ANOTHER_BOARD = r"/oust/(?!60\b)\d+"
OVER, ACTIVE = 60, 3
"""How many boards of alice and bob are over, and how many are in play."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Pages of a home where alice has won sixty boards against bob; carol waits for somebody."""
    path = tmp_path_factory.mktemp("web") / "home"
    seek = (CAROL, "oust seek carol rabbithole -size=7")
    home = home_of(path, ALICE, BOB, CAROL, mails=[seek], at=datetime.now(UTC))
    histories = {}
    for board in range(1, OVER + ACTIVE + 1):
        hour, minute = divmod(board, 20)
        ended = f"2026-11-19T{hour:02d}:{minute:02d}:00Z" if board <= OVER else ""
        histories[board] = short_history(board, f"2026-11-18T{hour:02d}:00:00Z", ended)
    lay_histories(home, histories)
    home.database.close()
    with website(path) as found:
        yield found


def boards_on(text: str) -> list[str]:
    """Return the names of the boards that a page shows."""
    return re.findall(r"<strong>(oust \d+)</strong>", text)


def links_on(text: str) -> set[str]:
    """Return the paths to which a page leads."""
    return {link.replace("&amp;", "&") for link in re.findall(r' href="(/[^"#]*)"', text)}


def test_boards_in_play_are_listed(pages: Website) -> None:
    assert boards_on(pages.get("/boards").text) == ["oust 63", "oust 62", "oust 61"]


def test_history_has_pages_of_fifty_the_latest_first(pages: Website) -> None:
    first, second = (pages.get(f"/history?game=oust&page={page}").text for page in (1, 2))
    assert boards_on(first) == [f"oust {board}" for board in range(60, 10, -1)]
    assert boards_on(second) == [f"oust {board}" for board in range(10, 0, -1)]
    assert "/history?game=oust&page=2" in links_on(first)
    assert "alice won" in first


def test_boards_of_all_games_lead_to_the_pages_of_each(pages: Website) -> None:
    assert "/history?game=oust" in links_on(pages.get("/history").text)


def test_boards_can_be_chosen_by_player(pages: Website) -> None:
    assert len(boards_on(pages.get("/history?game=oust&player=Alice").text)) == 50
    for nobody in ("carol", "nobody", "%3Cb%3E", "%ED%A0%80", "%E2%80%AE", "%22%5D"):
        got = pages.get(f"/history?game=&player={nobody}")
        assert (got.status, boards_on(got.text)) == (200, [])
        assert "There are none." in got.text
        assert "<b>" not in got.text


@tabled("path")
def test_what_is_not_there_is_said_so(path: str, pages: Website) -> None:
    got = pages.get(path)
    assert got.status == 404
    assert "No such page" in got.text


def test_standings_show_ratings_as_mail_does(pages: Website) -> None:
    text = pages.get("/standings/oust").text
    assert re.search(r"alice</a></th>\s*<td>\d+</td><td>60</td><td>60</td><td>0</td>", text)
    assert "There are no rated games of Churn yet." in pages.get("/standings/churn").text


def test_the_page_of_a_player_has_boards_and_ratings_with_their_arithmetic(pages: Website) -> None:
    text = pages.get("/players/alice").text
    assert {"oust 63", "oust 60"} <= set(boards_on(text))
    assert "alice: 1600 + 200 = 1800; mean of 1 game: 1800" not in text  # that is on page 2
    assert 'class="curve"' in text
    second = pages.get("/players/alice/ratings/oust?page=2").text
    assert "; mean of 1 game: 1800" in second
    assert "/players/alice/ratings/oust?page=2" in links_on(text)


def test_who_has_played_of_late_is_listed_page_by_page(tmp_path: Path) -> None:
    home, today = home_of(tmp_path / "home", BOB, at=datetime.now(UTC)), datetime.now(UTC)
    ago = {nth: today - timedelta(days=nth) for nth in (*range(80), 92)}
    histories = {
        nth + 1: short_history(nth + 1, f"{at:%Y-%m-%dT%H:%M:%SZ}", x=f"p{nth}").replace(
            "Started: 2026-11-01", f"Started: {at - timedelta(days=1):%Y-%m-%d}"
        )
        for nth, at in ago.items()
    }
    lay_histories(home, histories)
    home.database.close()
    with website(home.path) as pages:
        first = pages.get("/players").text
        assert listed(first) == ["bob", *(f"p{nth}" for nth in range(49))]
        assert f"<td>{today:%Y-%m-%d}</td>" in first.replace(' class="one"', "")
        (further,) = (link for link in links_on(first) if link.startswith("/players?"))
        assert listed(pages.get(further).text) == [f"p{nth}" for nth in range(49, 80)]
        said = json.loads(pages.get("/players.json").text)
        assert [each["userid"] for each in said["players"]] == listed(first)
        assert json.loads(pages.get(said["further"]).text)["further"] is None


def listed(text: str) -> list[str]:
    """Return the userids in the rows of a table of players."""
    return re.findall(r'<th scope="row"><a href="/players/(\w+)"', text)


def test_no_link_leads_nowhere(pages: Website) -> None:
    seen, waiting = set[str](), {"/"}
    while waiting:
        path = waiting.pop()
        seen.add(path)
        got = pages.get(path)
        assert got.status == 200, path
        if got.headers["content-type"].startswith("text/html"):
            # One of these many boards is enough, and there is no end of placements.
            found = {each for each in links_on(got.text) if not re.match(ANOTHER_BOARD, each)}
            found = {each for each in found if "moves=" not in each and "side=" not in each}
            waiting |= found - seen
            assert "@example." not in got.text.replace("pbmserv@", "")
    assert {
        "/standings/oust",
        "/oust/60/1.svg",
        "/puzzles/churn/1",
        "/players/bob",
        "/history?game=oust&page=2",
        "/oust/60/1/explore",
        "/try/churn/hex3",
    } <= seen


def test_lists_speak_french(pages: Website) -> None:
    for path in ("/boards", "/history", "/standings/oust", "/players/alice"):
        got = pages.get(path, accept_language="fr")
        assert (got.status, got.headers["vary"]) == (
            200,
            "Accept-Language, Cookie, Accept-Encoding",
        )
        assert "Parties" in got.text

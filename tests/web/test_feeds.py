"""Feeds, read by a library that is not ours."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import feedparser
import pytest

from tests.support import tables
from tests.support.cups import lay_cup
from tests.support.home_by_mail import ALICE, BOB, CAROL, home_of
from tests.support.website import Website, website

BASE = "https://games.example.org"
MAILS = tables.of(__file__)["mails"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Pages with an address, of a home with boards in play and over, and a tournament."""
    path = tmp_path_factory.mktemp("web") / "home"
    home = home_of(path, ALICE, BOB, CAROL, mails=MAILS)
    lay_cup(home, 1, ["dave", "erin", "frank"], (1,), title="Cup")
    home.database.close()
    (path / "pbm_oust.toml").write_text(f'web_address = "{BASE}"\n')
    with website(path) as found:
        yield found


def feed_at(path: str, pages: Website, **headers: str) -> Any:
    """Return a feed as the library reads it, which finds no fault with it."""
    got = pages.get(path, **headers)
    assert got.status == 200
    assert got.headers["content-type"].startswith("application/atom+xml")
    read = feedparser.parse(got.content)
    assert not read.bozo
    assert read.version == "atom10"
    assert read.feed.id == f"{BASE}{path}"
    return read


def test_a_board_has_an_entry_for_each_record(pages: Website) -> None:
    read = feed_at("/oust/1.atom", pages)
    assert read.feed.title == "oust 1: bob - alice"
    assert [(each.link, each.title) for each in read.entries] == [
        (f"{BASE}/oust/1/2", "oust 1 #2: o swap"),
        (f"{BASE}/oust/1/1", "oust 1 #1: x C3"),
    ]


def test_a_player_has_an_entry_for_the_latest_record_of_each_board(pages: Website) -> None:
    read = feed_at("/players/alice.atom", pages)
    assert {each.link for each in read.entries} == {f"{BASE}/oust/1/2", f"{BASE}/churn/1/1"}
    assert {each.summary for each in read.entries} == {"alice is to move.", "bob won"}


def test_results_are_a_feed(pages: Website) -> None:
    entries = feed_at("/history.atom", pages).entries
    assert ("churn 1 #1: bob - alice", "bob won") in [
        (each.title, each.summary) for each in entries
    ]


def test_a_tournament_has_an_entry_for_each_game_that_is_over(pages: Website) -> None:
    read = feed_at("/oust/tournament/1.atom", pages)
    assert read.feed.title == "Cup"
    assert [(each.title, each.summary) for each in read.entries] == [
        ("oust 2 #2: erin - frank", "erin won")
    ]


def test_feeds_speak_french(pages: Website) -> None:
    read = feed_at("/oust/1.atom", pages, accept_language="fr")
    assert read.entries[0].title == "oust 1 #2: o echange"


@pytest.mark.parametrize("path", ["/players/carol", "/players/carol.atom"])
def test_an_account_without_a_board_is_as_unknown_as_any(path: str, pages: Website) -> None:
    assert pages.get(path).content == pages.get(path.replace("carol", "nobody")).content
    assert pages.get(path).status == 404


def test_without_an_address_there_are_no_feeds(tmp_path: Path) -> None:
    home_of(tmp_path / "home", ALICE, BOB, CAROL, mails=MAILS).database.close()
    with website(tmp_path / "home") as pages:
        for path in ("/oust/1", "/players/alice", "/history"):
            assert pages.get(f"{path}.atom").status == 404
            assert ".atom" not in pages.get(path).text

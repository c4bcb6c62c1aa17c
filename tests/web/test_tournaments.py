"""The pages of large tournaments; tournaments and ladders as JSON, and their news."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbm_oust.tournaments.cup import State
from tests.support.cups import lay_cup
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed
from tests.support.website import Website, website
from tests.web.test_board import MOST_BYTES
from tests.web.test_live import next_event, watching

MANY = [f"player{number}" for number in range(400)]
LARGE, OVER, OPEN, WIDE = range(1, 5)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Pages of a home with a large tournament, and with one each that is over, open and wide."""
    path = tmp_path_factory.mktemp("web") / "home"
    home = home_of(path)
    lay_cup(home, LARGE, MANY, (500,))
    lay_cup(home, OVER, MANY[:9], (9, 3), size=3, state=State.OVER, winners=("player0",))
    lay_cup(home, OPEN, MANY[:70])
    lay_cup(home, WIDE, MANY[:16], (300,), size=16, games=4)
    home.database.close()
    (path / "pbm_oust.toml").write_text('web_address = "https://games.example.org"\n')
    with website(path) as found:
        yield found


def loaded(path: str, pages: Website) -> int:
    """Return how many bytes are sent to a browser that shows a page, pictures aside."""
    page = pages.get(path).text
    besides = re.findall(r'(?:<link rel="stylesheet" href|<script src)="([^"]+)"', page)
    assert len(besides) == 2
    return sum(map(pages.sent, (path, *besides)))


@pytest.mark.parametrize(
    "path",
    [
        "/tournaments",
        f"/oust/tournament/{LARGE}",
        f"/oust/tournament/{LARGE}?page=7",
        f"/oust/tournament/{OPEN}",
        f"/oust/tournament/{WIDE}",
    ],
)
def test_the_page_of_a_tournament_is_small_however_many_take_part(
    path: str, pages: Website
) -> None:
    assert loaded(path, pages) <= MOST_BYTES


def as_json(path: str, pages: Website) -> Any:
    """Return what is at a path as JSON."""
    got = pages.get(path)
    assert (got.status, got.headers["content-type"]) == (200, "application/json")
    return json.loads(got.text)


def test_all_sections_are_found_page_by_page(pages: Website) -> None:
    path, found = f"/oust/tournament/{LARGE}/1.json", list[dict[str, Any]]()
    while path:
        told = as_json(path, pages)
        page = pages.get(path.replace(".json", "")).text
        for each in told["sections"]:
            found.append(each)
            assert f'id="section-{each["section"]}"' in page
        path = told["further"]
    assert [each["section"] for each in found] == [*range(1, 81)]
    players = [row["userid"] for each in found for row in each["table"]]
    assert sorted(players) == sorted(MANY)


def test_a_board_leads_to_the_page_with_its_section(pages: Website) -> None:
    (found,) = re.findall(
        rf'href="(/oust/tournament/{LARGE}/1\?section=(\d+))#section-\2"',
        pages.get("/oust/700").text,
    )
    page = pages.get(found[0]).text
    assert f'<section id="section-{found[1]}">' in page
    assert 'href="/oust/700"' in page
    assert pages.get(f"/oust/tournament/{LARGE}/1?section=81").status == 404


def test_rounds_lead_to_one_another_and_say_who_played_on(pages: Website) -> None:
    final = pages.get(f"/oust/tournament/{OVER}").text
    assert final.count("<strong>player0</strong>") == 2
    assert re.findall(r'<h3><a href="([^"]+)"( aria-current="true")?>', final) == [
        (f"/oust/tournament/{OVER}/1", ""),
        (f"/oust/tournament/{OVER}/2", ' aria-current="true"'),
    ]
    first = pages.get(f"/oust/tournament/{OVER}/1").text
    assert [f'<section id="section-{number}">' in first for number in range(1, 5)] == [
        *(True, True, True),
        False,
    ]


def test_json_says_what_pages_say(pages: Website) -> None:
    listed = as_json("/tournaments.json", pages)["tournaments"]
    assert [each["number"] for each in listed] == [OPEN, WIDE, LARGE, OVER]
    over = as_json(f"/oust/tournament/{OVER}.json", pages)
    assert (over["state"], over["round"], over["winners"]) == ("over", 2, ["player0"])
    (section,) = over["sections"]
    assert section["table"][0] == {
        "place": 1,
        "userid": "player0",
        "points": 4,
        "won": ["player1", "player2"],
        "drawn": [],
        "lost": [],
        "points_of_beaten": 2,
        "points_among_equals": 0,
    }
    assert len(section["boards"]) == 3
    entered = as_json(f"/oust/tournament/{OPEN}.json?page=2", pages)
    assert [each["userid"] for each in entered["entries"]] == MANY[50:70]


LADDER = (
    (ALICE, "oust ladder join alice wonderland"),
    (BOB, "oust ladder join bob lookingglass"),
    (BOB, "oust ladder challenge bob lookingglass alice"),
)


def test_a_ladder_is_had_as_json(tmp_path: Path) -> None:
    home_of(tmp_path / "home", ALICE, BOB, mails=LADDER).database.close()
    since = "2026-11-20T12:00:00Z"
    with website(tmp_path / "home") as pages:
        assert as_json("/oust/ladder.json", pages) == {
            "kind": "oust",
            "grid": "square 11x11",
            "terms": "swap rated binding nagtime=7 forfeittime=21",
            "players": [
                {"userid": "alice", "place": 1, "playing": 1, "since": since},
                {"userid": "bob", "place": 2, "playing": 1, "since": since},
            ],
            "boards": [{"board": 1, "challenger": "bob", "defender": "alice"}],
            "further": None,
        }


@pytest.mark.slow
def test_whoever_looks_at_a_ladder_hears_of_each_step(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", ALICE, BOB, mails=LADDER)
    with website(home.path) as pages, watching(pages, path="/oust/ladder/events") as heard:
        first = next_event(heard)
        mailed(home, ALICE, "oust resign 1 alice wonderland")
        assert next_event(heard) != first


@pytest.mark.slow
def test_whoever_looks_at_a_tournament_hears_that_a_game_has_ended(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", ALICE, BOB)
    lay_cup(home, 1, ["alice", "bob"], (0,))
    events = "/oust/tournament/1/events"
    with website(home.path) as pages, watching(pages, path=events) as heard:
        assert next_event(heard) == b"data: running.1.0.2.0"
        mailed(home, BOB, "oust resign 1 bob lookingglass")
        assert next_event(heard) == b"data: running.1.1.2.0"
        assert pages.get("/oust/tournament/2/events").status == 404

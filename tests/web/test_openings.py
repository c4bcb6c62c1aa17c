"""What was played next, on pages that explore and as JSON."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lxml import html

from pbm_oust.experiments.openings import of_house
from pbm_oust.experiments.pie import first_stones, pies
from pbm_oust.rules import KINDS, parse_grid
from pbm_oust.store.openings import count_ended
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed
from tests.support.website import Website, website
from tests.web.signed_in import Place

GAMES = (("C3", "B2"), ("C3", "B4"), ("E3", "B2"))
"""The placements of x and o on boards 1 to 3. On each, o has resigned then."""


def played(path: Path, size: str = "5") -> None:
    """Make a home in which these games are over and counted, and a board that goes on."""
    home = home_of(path, ALICE, BOB)
    lines = [
        line
        for board, cells in enumerate(GAMES, 1)
        for line in (
            (ALICE, f"oust challenge alice bob wonderland -size={size}"),
            *(
                (who, f"oust move {board} {userid} {cell}")
                for (who, userid), cell in zip(
                    ((ALICE, "alice wonderland"), (BOB, "bob lookingglass")), cells, strict=True
                )
            ),
            (BOB, f"oust resign {board} bob lookingglass"),
        )
    ]
    lines += [(ALICE, f"oust challenge alice bob wonderland -size={size}")]
    lines += [(ALICE, "oust move 4 alice wonderland D4")]
    for sender, line in lines:
        mailed(home, sender, line, at=datetime.now(UTC))
    count_ended(home.database, home.boards)
    home.database.close()


def rows(page: str) -> list[list[str]]:
    """Return the table of what was played, row by row."""
    table: Any = html.fromstring(page).xpath("//table[@class='figures']/tbody/tr")
    return [[" ".join(cell.text_content().split()) for cell in row] for row in table]


def test_a_page_says_what_was_played_next_and_leads_there(tmp_path: Path) -> None:
    played(tmp_path / "home")
    with website(tmp_path / "home") as pages:
        first = pages.get("/explore/oust/5").text
        assert rows(first) == [
            ["C3", "2", "100%", "", ""],
            ["C1 and 3 alike", "1", "100%", "", ""],
        ]
        assert '<a href="?moves=C3">C3</a>' in first
        second = pages.get("/explore/oust/5/C3").text
        assert rows(second) == [["B2 and 3 alike", "2", "0%", "", ""]]
        assert rows(pages.get("/explore/oust/5/A3").text) == [["D2 and 1 alike", "1", "0%", "", ""]]
        assert rows(pages.get("/explore/oust/5/A1").text) == []
        assert rows(pages.get("/explore/churn/hex2").text) == []


def test_of_a_board_that_is_over_it_is_said_but_of_none_in_play(tmp_path: Path) -> None:
    played(tmp_path / "home")
    with website(tmp_path / "home") as pages:
        assert rows(pages.get("/oust/1/0/explore").text)[0] == ["C3", "2", "100%", "", ""]
        assert rows(pages.get("/oust/4/0/explore").text) == []


def test_json_says_the_same(tmp_path: Path) -> None:
    played(tmp_path / "home")
    with website(tmp_path / "home") as pages:
        said = json.loads(pages.get("/explore/oust/5/C3.json").text)
        none = {"won": 0, "drawn": 0, "lost": 0}
        assert said == {
            "kind": "oust",
            "grid": "square 5x5",
            "line": ["C3"],
            "to_move": "o",
            "placements": [
                {
                    "cells": ["B2", "D2", "B4", "D4"],
                    "here": {"won": 0, "drawn": 0, "lost": 2},
                    "house": none,
                }
            ],
        }
        assert pages.get("/explore/oust/5/C3,C3.json").status == 404
        assert pages.get("/explore/oust/5/nonsense.json").status == 404


def test_games_of_the_house_are_told_on_an_empty_server(empty: Website) -> None:
    said = json.loads(empty.get("/explore/oust/7.json").text)
    known = of_house("oust", KINDS["oust"].start(parse_grid("square 7x7")))
    assert sum(sum(each["house"].values()) for each in said["placements"]) == sum(
        count.games for count in known.values()
    )
    page = empty.get("/explore/oust/7").text
    assert 'href="/explore/oust/7.json"' in page
    assert len(rows(page)) == len(known)


def test_without_a_board_it_begins_with_the_usual_one(empty: Website) -> None:
    got = empty.get("/explore")
    assert (got.status, got.headers["location"]) == (303, "/explore/oust/11")
    page = empty.get("/explore/oust/11").text
    assert 'href="/explore/churn/hex3"' in page


def test_whoever_may_swap_reads_what_the_first_stone_has_won(here: Place) -> None:
    weakest = first_stones(KINDS["oust"], parse_grid("square 7x7"))[-1]
    here.talk.send(ALICE, "oust challenge alice bob wonderland -size=7")
    here.talk.send(ALICE, f"oust move 1 alice wonderland {weakest.cells[0]}")
    browser = here.signed_in(BOB)
    browser.open("/me/oust/1")
    share = weakest.share
    said = (
        f"In {share.games} games of the house against itself, this first stone won {share.part:.0%}"
    )
    assert said in browser.text
    assert "It is not worth taking over." in browser.text
    browser.send(browser.form("Swap"))
    assert "this first stone won" not in browser.text


def test_of_a_board_without_matches_nothing_is_said_of_the_first_stone(here: Place) -> None:
    here.talk.send(ALICE, "oust challenge alice bob wonderland -size=6x5")
    here.talk.send(ALICE, "oust move 1 alice wonderland C3")
    browser = here.signed_in(BOB)
    browser.open("/me/oust/1")
    assert "Swap" in browser.text
    assert "this first stone won" not in browser.text


def test_how_to_play_well_says_what_to_swap(empty: Website) -> None:
    whole: Any = html.fromstring(empty.get("/rules/oust/play").text)
    page = whole.text_content()
    for grid, (match, stones) in pies(KINDS["oust"]).items():
        games = sum(stone.share.games for stone in stones)
        (said,) = re.findall(rf"On {grid} \({games} games, {match.looks} looks\),[^.]*", page)
        for stone in stones:
            stands_out = f"{stone.cells[0]} ({stone.share.part:.0%})" in said
            assert stands_out == (stone.is_strong or stone.is_weak)

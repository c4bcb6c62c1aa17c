"""Searching boards: which are found, page by page, and what a search costs."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from pbm_oust.grammar.values import Filter
from pbm_oust.play import finding
from pbm_oust.play.finding import Sought
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules import KINDS
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.conversation import address_of
from tests.support.histories import lay_histories, short_history
from tests.support.home_by_mail import ALICE, BOB, CAROL, home_of
from tests.support.website import Website, website

tabled = tables.tabled(__file__)
MAILS = [(address_of(name), line) for name, line in tables.of(__file__)["what has happened"]]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Pages of a home in which all that has happened did within a second."""
    path = tmp_path_factory.mktemp("web") / "home"
    home_of(path, ALICE, BOB, CAROL, mails=MAILS, at=datetime.now(UTC)).database.close()
    with website(path) as found:
        yield found


def found(pages: Website, asked: str) -> list[str]:
    """Return the names of the boards that a search finds, its page and as JSON."""
    text, told = (pages.get(f"/search{ending}?{asked}").text for ending in ("", ".json"))
    names = [f"{each['kind']} {each['board']}" for each in json.loads(told)["boards"]]
    assert [text.find(f"<strong>{name}<") for name in names] == sorted(
        text.index(f"<strong>{name}<") for name in names
    )
    assert text.count("<strong>") == len(names)
    return names


@tabled("asked", "boards")
def test_a_search_finds_what_it_asks_for(asked: str, boards: str, pages: Website) -> None:
    assert ", ".join(found(pages, asked)) == boards


@tabled("asked", "name", "said")
def test_what_cannot_be_searched_for_is_said_at_its_field(
    asked: str, name: str, said: str, pages: Website
) -> None:
    got = pages.get(f"/search?{asked}")
    assert got.status == 200
    assert f'id="{name}-fault">{said}' in got.text
    assert f'aria-describedby="{name}-fault" autofocus' in got.text
    assert "What was found" not in got.text
    assert pages.get(f"/search.json?{asked}").status == 404


@tabled("asked")
def test_an_address_that_no_form_makes_is_not_there(asked: str, pages: Website) -> None:
    assert pages.get(f"/search?{asked}").status == 404


@pytest.fixture
def many(tmp_path: Path) -> Iterator[Home]:
    """A home with boards of two games of others, of which each third is on another grid."""
    home = home_of(tmp_path / "home", ALICE, BOB)
    histories = {
        number: short_history(number, f"2026-11-18T{number // 60:02d}:{number % 60:02d}:00Z")
        for number in range(1, 101)
    }
    lay_histories(home, histories)
    yield home
    home.close()


def test_a_search_goes_on_behind_the_last_board_that_it_looked_at(
    many: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "MOST_LOOKED_AT", 30)
    work = UnitOfWork(many, lambda _notice, _request: [], many.now)
    for opening, wanted in (((), range(100, 0, -1)), (("E5",), ())):
        sought = Sought(list(KINDS.values()), Filter.ALL, opening=opening)
        boards, after = list[int](), None
        while True:
            part = work.look(partial(finding.search, sought=sought, most=7, after=after))
            assert part.looked_at <= 30
            assert len(part.boards) <= 7
            boards += [each.board for each in part.boards]
            after = part.further
            if after is None:
                break
        assert boards == list(wanted)

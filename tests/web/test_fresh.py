"""A page of a board that was answered before costs next to nothing, and never gets old."""

import time
from datetime import timedelta
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from pbm_oust.web.app import make_app
from pbm_oust.web.ground import Ground
from tests.support.costs import CLOCK_STEP, counting
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of, mailed
from tests.support.opened import opened_in
from tests.support.website import Website
from tests.web.test_costs import got

STARTED = (
    (ALICE, "oust challenge alice bob wonderland -size=5"),
    (ALICE, "oust move 1 alice wonderland C3"),
)
PATHS = ("/oust/1", "/oust/1/0")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return home_of(tmp_path / "home", ALICE, BOB, mails=STARTED)


def test_a_page_shows_each_record_at_once(home: Home, pages: Website) -> None:
    for _ in range(2):
        assert "of 1</" in pages.get("/oust/1").text
    mailed(home, BOB, "oust move 1 bob lookingglass A1")
    assert "of 2</" in pages.get("/oust/1").text


def test_a_page_shows_what_was_written_by_hand_and_accepted(home: Home, pages: Website) -> None:
    history = home.path / "oust" / "1.txt"
    written = history.read_text()
    for _ in range(2):
        assert "Blue: C3." in pages.get("/oust/1").text
    lay_histories(home, {1: written.replace("C3", "D4")})
    assert "Blue: D4." in pages.get("/oust/1").text
    lay_histories(home, {1: written + "nonsense\n"})
    assert pages.get("/oust/1").status == 503
    lay_histories(home, {1: written})
    assert "Blue: C3." in pages.get("/oust/1").text
    home.do(lambda each: each.run("DELETE FROM boards WHERE kind = 'oust' AND board = 1"))
    assert pages.get("/oust/1").status == 404


def test_a_page_that_nothing_has_changed_takes_one_statement_and_no_file(home: Home) -> None:
    now = [NOON]
    time.sleep(CLOCK_STEP)
    with counting() as disk:
        app = make_app(Ground(Home(home.path, disk), ADDRESS, lambda: now[0]))
        costs = []
        for later in (timedelta(), timedelta(), timedelta(minutes=1)):
            now[0] += later
            before = disk.costs.statements
            with opened_in(home.path) as opened:
                assert all(got(app, path) == 200 for path in PATHS)
            costs.append((disk.costs.statements - before, len(opened)))
    assert costs[1] == (len(PATHS), 0)
    assert costs[2] > costs[1]

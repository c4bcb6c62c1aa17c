"""Turns as they come on a board: stone by stone, up to exactly what the server draws."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Remote
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from pbm_oust.render.svg import layout_of
from pbm_oust.rules import parse_grid
from pbm_oust.store.home import Home
from tests.peers.browsers.conftest import BROWSERS
from tests.peers.browsers.table import click, shown
from tests.peers.browsers.view import View
from tests.peers.mail_servers.host import open_folder
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed
from tests.support.waiting import wait_until
from tests.support.website import Website, website

MAILS = (
    (ALICE, "oust challenge alice bob wonderland -size=5"),
    (ALICE, "oust move {board} alice wonderland B3"),
    (BOB, "oust move {board} bob lookingglass C3"),
    (ALICE, "oust move {board} alice wonderland E1"),
    (BOB, "oust move {board} bob lookingglass A1"),
)
TURN = "oust move {board} alice wonderland B4 E3"
GRID = parse_grid("square 5x5")
B4, E3, C3 = (layout_of(GRID).places[GRID.parse_cell(cell)] for cell in ("B4", "E3", "C3"))
CAME, WENT = [f"x {x} {y}" for x, y in (B4, E3)], [f"o {x} {y}" for x, y in (C3,)]
"""The stones that come and go in that turn."""

_WATCHES = """
window.seen = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, timing) {
  if (this.matches(".stones circle")) {
    const place = ["cx", "cy"].map((at) => this.getAttribute(at)).join(" ");
    const stone = `${this.parentNode.classList[1]} ${place}`;
    window.seen.push([frames.opacity[1], timing.delay, stone]);
  }
  return animate.call(this, frames, timing);
};
"""
"""Keeps which stones come and go, and when."""
_IS_AT_REST = """
return document.getAnimations().length === 0 && !document.querySelector(".gone, .busy");
"""
_IS_AS_DRAWN = """
return fetch(`${location.pathname}.svg`).then((answer) => answer.text()).then((drawn) => {
  const other = document.createElement("div");
  other.innerHTML = drawn;
  return other.firstChild.isEqualNode(document.querySelector("#board svg"));
});
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return a home with a board whose latest turn took a stone, and one where it is to come."""
    sent = [(1, *each) for each in (*MAILS, (ALICE, TURN))] + [(2, *each) for each in MAILS]
    mails = [(sender, line.format(board=board)) for board, sender, line in sent]
    return home_of(tmp_path / "home", ALICE, BOB, mails=mails)


@pytest.fixture
def pages(home: Home) -> Iterator[Website]:
    """Serve the pages of the home."""
    with website(home.path) as found:
        yield found


def watch(browser: Remote, pages: Website, path: str) -> None:
    """Open a page, and keep what moves on it."""
    browser.get(f"http://127.0.0.1:{pages.port}{path}")
    browser.execute_script(_WATCHES)


def wait_for(browser: Remote, where: str) -> None:
    """Wait until a position is shown, and nothing moves."""
    wait_until(lambda: shown(browser, "where") == where, where)
    wait_until(lambda: browser.execute_script(_IS_AT_REST), "a board at rest")


def seen(browser: Remote) -> tuple[list[str], list[str]]:
    """Return the stones that have come and those that have gone, in their order."""
    moves = sorted(browser.execute_script("return window.seen"), key=lambda each: each[1])
    came, went = ([stone for to, _, stone in moves if to == opacity] for opacity in (1, 0))
    return came, went


def test_a_turn_comes_stone_by_stone_and_ends_as_the_server_draws_it(
    browser: Remote, pages: Website
) -> None:
    watch(browser, pages, "/oust/1/4")
    click(browser, By.ID, "next")
    wait_for(browser, "After record 5 of 5")
    assert seen(browser) == (CAME, WENT)
    assert browser.execute_script(_IS_AS_DRAWN)


def test_a_turn_that_was_just_made_comes_stone_by_stone(
    browser: Remote, pages: Website, home: Home
) -> None:
    watch(browser, pages, "/oust/2")
    mailed(home, ALICE, TURN.format(board=2))
    wait_for(browser, "After record 5 of 5")
    assert seen(browser) == (CAME, WENT)
    assert browser.execute_script(_IS_AS_DRAWN)


def test_the_latest_turn_is_seen_again(browser: Remote, pages: Website) -> None:
    watch(browser, pages, "/oust/1")
    for times in (1, 2):
        click(browser, By.LINK_TEXT, "See it again")
        wait_for(browser, "After record 5 of 5")
        came, went = seen(browser)
        assert (sorted(came), went) == (sorted(CAME * times), WENT * times)
    assert browser.current_url.endswith("/oust/1")
    assert browser.execute_script(_IS_AS_DRAWN)


def test_whoever_steps_back_or_far_sees_the_board_at_once(browser: Remote, pages: Website) -> None:
    watch(browser, pages, "/oust/1")
    for link, where in (
        ("previous", "After record 4 of 5"),
        ("first", "Start of the game"),
        ("latest", "After record 5 of 5"),
    ):
        click(browser, By.ID, link)
        wait_for(browser, where)
    assert seen(browser) == ([], [])


def test_keys_in_quick_succession_end_at_the_last_one(browser: Remote, pages: Website) -> None:
    watch(browser, pages, "/oust/1/0")
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys("]" * 5 + "[" + "]" + Keys.HOME + "]" * 5)
    wait_until(lambda: shown(browser, "where").startswith("After"), "a step")
    wait_until(lambda: browser.execute_script(_IS_AT_REST), "a board at rest")
    assert browser.execute_script(_IS_AS_DRAWN)


@pytest.mark.parametrize("name", BROWSERS)
def test_nothing_moves_for_whoever_asks_for_less_motion(name: str, pages: Website) -> None:
    with open_folder() as folder, BROWSERS[name](folder / "browser", View(is_still=True)) as still:
        watch(still, pages, "/oust/1/4")
        click(still, By.ID, "next")
        wait_for(still, "After record 5 of 5")
        assert seen(still) == ([], [])
        assert still.execute_script(_IS_AS_DRAWN)
        click(still, By.LINK_TEXT, "See it again")
        wait_until(lambda: still.current_url.endswith("/oust/1/4/explore/B4,E3?at=1"), "B4 alone")
        assert "alice played B4 (taking 1 stone: C3)." in shown(still, "told")

"""The room that boards have in windows, as browsers lay them out."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from selenium.webdriver import Remote
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.peers.browsers import chromium
from tests.peers.browsers.conftest import BROWSERS
from tests.peers.browsers.table import click
from tests.peers.browsers.view import HEIGHT, PHONE, View
from tests.peers.mail_servers.host import open_folder
from tests.support.home_by_mail import home_of
from tests.support.waiting import wait_until
from tests.support.website import Website, website

LEAST = {"11": 30, "13": 26, "hex7": 26}
"""How many pixels neighbouring points are apart at least, on a phone."""

_APART = """
const [left, right] = ["C3", "D3"].map((name) => {
  const box = document.querySelector(`#board a[aria-label^="${name}"] use`).getBoundingClientRect();
  return box.left + box.width / 2;
});
return (right - left) * 360 / document.documentElement.clientWidth;
"""
_NAMES = """
const inner = document.querySelector("#board .names").getBoundingClientRect();
const outer = document.querySelector("#board svg").getBoundingClientRect();
return [inner.left - outer.left, outer.right - inner.right, inner.top - outer.top,
        outer.bottom - inner.bottom];
"""
_IS_WITHIN = """
const [inner, outer] = [arguments[0], "#board svg"].map((each) =>
  document.querySelector(each).getBoundingClientRect());
return outer.left <= inner.left && inner.right <= outer.right
    && outer.top <= inner.top && inner.bottom <= outer.bottom;
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Serve the pages of an empty home."""
    path = tmp_path_factory.mktemp("room") / "home"
    home_of(path).database.close()
    with website(path) as found:
        yield found


@pytest.fixture(scope="module", params=BROWSERS)
def phone(request: pytest.FixtureRequest) -> Iterator[Remote]:
    """Run each browser as wide as a phone."""
    with ExitStack() as opened:
        folder: Path = opened.enter_context(open_folder())
        view = View(PHONE)
        yield opened.enter_context(BROWSERS[request.param](folder / "browser", view))


def explore(browser: Remote, pages: Website, board: str) -> None:
    """Open the page on which an empty board is explored."""
    browser.get(f"http://127.0.0.1:{pages.port}/explore/oust/{board}")


@pytest.mark.parametrize("board", LEAST)
def test_points_are_far_enough_apart_for_fingers(board: str, phone: Remote, pages: Website) -> None:
    explore(phone, pages, board)
    assert phone.execute_script(_APART) >= LEAST[board]


@pytest.mark.parametrize("board", ["9", "19", "hex7", "hex3,5"])
def test_coordinates_have_room_in_the_picture(board: str, phone: Remote, pages: Website) -> None:
    explore(phone, pages, board)
    assert min(phone.execute_script(_NAMES)) > 0


def test_without_coordinates_their_room_goes_to_the_board(phone: Remote, pages: Website) -> None:
    explore(phone, pages, "9")
    apart = phone.execute_script(_APART)
    click(phone, By.CSS_SELECTOR, ".boxes summary")
    click(phone, By.ID, "bare")
    assert not phone.find_element(By.CSS_SELECTOR, ".board .names").is_displayed()
    assert phone.execute_script(_APART) > 1.04 * apart
    click(phone, By.ID, "bare")
    assert phone.execute_script(_APART) == apart


def test_coordinates_stay_hidden_on_pages_that_have_no_box_for_them(
    phone: Remote, pages: Website
) -> None:
    explore(phone, pages, "9")
    click(phone, By.CSS_SELECTOR, ".boxes summary")
    click(phone, By.ID, "bare")
    phone.get(f"http://127.0.0.1:{pages.port}/rules/oust")
    names = phone.find_elements(By.CSS_SELECTOR, ".board .names")
    assert names
    assert not any(each.is_displayed() for each in names)
    explore(phone, pages, "9")
    click(phone, By.CSS_SELECTOR, ".boxes summary")
    click(phone, By.ID, "bare")
    assert phone.find_element(By.CSS_SELECTOR, ".board .names").is_displayed()


def tap(browser: Remote, cell: str) -> None:
    """Tap a free point of the board."""
    click(browser, By.CSS_SELECTOR, f"#board a[aria-label^='{cell}'] use")


@pytest.mark.parametrize(
    ("board", "corner", "inside"), [("19", "T19", "R17"), ("hex8", "A1", "C2")]
)
def test_on_a_large_board_the_first_tap_shows_what_is_around_it(
    board: str, corner: str, inside: str, phone: Remote, pages: Website
) -> None:
    explore(phone, pages, board)
    apart = phone.execute_script(_APART)
    assert apart < 24
    tap(phone, inside)
    assert 36 < phone.execute_script(_APART) < 42
    assert phone.current_url.endswith(board), "nothing is placed by the first tap"
    assert phone.execute_script(_IS_WITHIN, f"#board a[aria-label={corner}] use")
    tap(phone, corner)
    wait_until(lambda: phone.current_url.endswith(f"{board}/{corner}"), "what is placed")
    assert phone.execute_script(_APART) > 36, "one goes on from there"
    click(phone, By.ID, "whole")
    assert phone.execute_script(_APART) == apart
    assert not phone.find_element(By.ID, "whole").is_displayed()


def test_keys_place_on_a_large_board_at_once(phone: Remote, pages: Website) -> None:
    explore(phone, pages, "19")
    apart = phone.execute_script(_APART)
    point = phone.find_element(By.CSS_SELECTOR, "#board a[aria-label=K10]")
    phone.execute_script("arguments[0].focus()", point)
    phone.switch_to.active_element.send_keys(Keys.ENTER)
    wait_until(lambda: phone.current_url.endswith("19/K10"), "what is placed")
    assert phone.execute_script(_APART) == apart


def test_a_board_with_room_enough_is_tapped_once(phone: Remote, pages: Website) -> None:
    explore(phone, pages, "13")
    tap(phone, "D4")
    wait_until(lambda: phone.current_url.endswith("13/D4"), "what is placed")


def test_a_mouse_places_on_a_large_board_at_once(pages: Website) -> None:
    with open_folder() as folder, chromium.browsing(folder / "browser") as browser:
        browser.set_window_size(PHONE, HEIGHT)
        explore(browser, pages, "25")
        tap(browser, "D4")
        wait_until(lambda: browser.current_url.endswith("25/D4"), "what is placed")

"""The room that boards have in windows, as browsers lay them out."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from selenium.webdriver import Remote
from selenium.webdriver.common.by import By

from tests.peers.browsers.conftest import BROWSERS
from tests.peers.browsers.table import click
from tests.peers.browsers.view import PHONE, View
from tests.peers.mail_servers.host import open_folder
from tests.support.home_by_mail import home_of
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

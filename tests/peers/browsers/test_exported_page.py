"""An exported page of a board in browsers: the keys and the slider, from a plain file server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Remote
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.peers.browsers.table import click
from tests.peers.browsers.test_board_page import MAILS, wait_for
from tests.support.exported import exported
from tests.support.file_server import file_server
from tests.support.home_by_mail import ALICE, BOB, home_of
from tests.support.waiting import wait_until
from tests.support.website import Site


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder below which are the exported pages of a board with three records."""
    path = tmp_path_factory.mktemp("exported")
    home = home_of(path / "home", ALICE, BOB, mails=MAILS)
    home.database.close()
    (path / "served").mkdir()
    exported(home.path, path / "served" / "games")
    return path / "served"


@pytest.fixture(scope="module")
def files(folder: Path) -> Iterator[Site]:
    """Serve the folder."""
    with file_server(folder) as found:
        yield found


@pytest.fixture(autouse=True)
def board_page(browser: Remote, files: Site) -> None:
    """Show the board as it is."""
    browser.get(f"http://127.0.0.1:{files.port}/games/oust/1.html")


def test_keys_and_slider_go_from_position_to_position(browser: Remote) -> None:
    body = browser.find_element("tag name", "body")
    body.send_keys(Keys.ARROW_LEFT)
    wait_for(browser, "After record 2 of 3", "/games/oust/1/2.html")
    body.send_keys(Keys.ARROW_LEFT)
    wait_for(browser, "After record 1 of 3", "/games/oust/1/1.html")
    slider = browser.find_element("id", "slider")
    slider.send_keys(Keys.HOME)
    wait_for(browser, "Start of the game", "/games/oust/1/0.html")
    slider.send_keys(Keys.END)
    wait_for(browser, "After record 3 of 3", "/games/oust/1.html")


def test_links_lead_where_they_led_after_another_position_is_shown(browser: Remote) -> None:
    click(browser, By.ID, "first")
    wait_for(browser, "Start of the game", "/games/oust/1/0.html")
    click(browser, By.CSS_SELECTOR, "header nav a")
    wait_until(lambda: browser.current_url.endswith("/games/boards.html"), "the list of boards")
    browser.back()
    wait_for(browser, "Start of the game", "/games/oust/1/0.html")


def test_keys_work_without_any_server(browser: Remote, folder: Path) -> None:
    browser.get(f"file://{folder}/games/oust/1.html")
    browser.find_element("tag name", "body").send_keys(Keys.ARROW_LEFT)
    wait_for(browser, "After record 2 of 3", "/games/oust/1/2.html")
    browser.find_element("id", "slider").send_keys(Keys.END)
    wait_for(browser, "After record 3 of 3", "/games/oust/1.html")

"""The front page in browsers: a game plays itself until one stops it, or stands still."""

from collections.abc import Iterator

import pytest
from selenium.webdriver import Remote

from tests.peers.browsers.conftest import BROWSERS
from tests.peers.browsers.view import View
from tests.peers.mail_servers.host import open_folder
from tests.support.home_by_mail import home_of
from tests.support.waiting import wait_until
from tests.support.website import Website, website

_SEEN = (
    "return [...document.querySelectorAll('[data-seen]')].map((e) => e.getAttribute('visibility'))"
)
_STONES = "return document.querySelectorAll('.stones [data-seen]:not([visibility=hidden])').length"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Serve the pages of a home without boards."""
    path = tmp_path_factory.mktemp("front") / "home"
    home_of(path).database.close()
    with website(path) as found:
        yield found


def words(browser: Remote) -> str:
    return browser.find_element("id", "film").text


def seen(browser: Remote) -> list[str | None]:
    """Return which circles of the game are seen."""
    found: list[str | None] = browser.execute_script(_SEEN)
    return found


def wait_for_a_step(browser: Remote) -> None:
    before = seen(browser)
    wait_until(lambda: seen(browser) != before, "the next stone")


def test_a_game_plays_itself_until_it_is_stopped(browser: Remote, pages: Website) -> None:
    browser.get(f"http://127.0.0.1:{pages.port}/")
    assert words(browser) == "Stop"
    wait_for_a_step(browser)
    wait_for_a_step(browser)
    assert browser.execute_script(_STONES) > 0
    browser.find_element("id", "film").click()
    assert words(browser) == "Play the game"
    stopped = seen(browser)
    browser.execute_async_script("setTimeout(arguments[0], 2500)")
    assert seen(browser) == stopped
    browser.find_element("id", "film").click()
    assert words(browser) == "Stop"
    wait_for_a_step(browser)


@pytest.mark.parametrize("name", BROWSERS)
def test_it_stands_still_for_who_wants_less_motion(name: str, pages: Website) -> None:
    with open_folder() as folder, BROWSERS[name](folder / "browser", View(is_still=True)) as still:
        still.get(f"http://127.0.0.1:{pages.port}/")
        assert words(still) == "Play the game"
        shown = seen(still)
        still.execute_async_script("setTimeout(arguments[0], 2500)")
        assert seen(still) == shown
        still.find_element("id", "film").click()
        wait_for_a_step(still)

"""The page of a board in browsers: the keys, the slider, and records as they come."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Remote
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from pbm_oust.store.home import Home
from tests.peers.browsers.table import click, shown
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed
from tests.support.waiting import wait_until
from tests.support.website import Website, website

MAILS = (
    (ALICE, "oust challenge alice bob wonderland -size=5"),
    (ALICE, "oust move 1 alice wonderland C3"),
    (BOB, "oust move 1 bob lookingglass A1"),
    (ALICE, "oust move 1 alice wonderland E5"),
)


_COUNTS_SOUNDS = """
window.sounds = 0;
window.AudioContext = class extends AudioContext { constructor() { super(); window.sounds += 1; } };
"""


_POINTS_AT = "arguments[0].dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return a home with a board with three records."""
    return home_of(tmp_path / "home", ALICE, BOB, mails=MAILS)


@pytest.fixture
def pages(home: Home) -> Iterator[Website]:
    """Serve the pages of the home."""
    with website(home.path) as found:
        yield found


@pytest.fixture(autouse=True)
def board_page(browser: Remote, pages: Website) -> None:
    """Show the board as it is."""
    browser.get(f"http://127.0.0.1:{pages.port}/oust/1")


def wait_for(browser: Remote, where: str, path: str) -> None:
    """Wait until the page shows a position, and has its address."""

    def is_shown() -> bool:
        return shown(browser, "where") == where and browser.current_url.endswith(path)

    wait_until(is_shown, where)


def test_arrow_keys_go_from_position_to_position(browser: Remote) -> None:
    body = browser.find_element("tag name", "body")
    body.send_keys(Keys.ARROW_LEFT)
    wait_for(browser, "After record 2 of 3", "/oust/1/2")
    body.send_keys(Keys.ARROW_LEFT)
    wait_for(browser, "After record 1 of 3", "/oust/1/1")
    assert len(browser.find_elements("css selector", ".stones circle")) == 1
    body.send_keys(Keys.ARROW_RIGHT)
    wait_for(browser, "After record 2 of 3", "/oust/1/2")


def test_home_and_end_go_to_the_first_position_and_the_latest(browser: Remote) -> None:
    body = browser.find_element("tag name", "body")
    body.send_keys(Keys.HOME)
    wait_for(browser, "Start of the game", "/oust/1/0")
    body.send_keys(Keys.END)
    wait_for(browser, "After record 3 of 3", "/oust/1")


def test_the_coordinates_stay_hidden(browser: Remote) -> None:
    click(browser, By.CSS_SELECTOR, ".boxes summary")
    click(browser, By.ID, "bare")
    for _ in range(2):
        assert not browser.find_element(By.CSS_SELECTOR, ".board .names").is_displayed()
        browser.refresh()


def test_a_sound_comes_with_a_record_once_it_is_switched_on(browser: Remote, home: Home) -> None:
    browser.execute_script(_COUNTS_SOUNDS)
    mailed(home, BOB, "oust move 1 bob lookingglass A3")
    wait_for(browser, "After record 4 of 4", "/oust/1")
    click(browser, By.CSS_SELECTOR, ".boxes summary")
    click(browser, By.ID, "sound")
    mailed(home, ALICE, "oust move 1 alice wonderland E1")
    wait_for(browser, "After record 5 of 5", "/oust/1")
    assert browser.execute_script("return window.sounds") == 1


def test_pointing_at_a_board_without_points_says_nothing(browser: Remote) -> None:
    board = browser.find_element(By.ID, "board")
    browser.execute_script(_POINTS_AT, board)
    assert not browser.find_elements(By.CSS_SELECTOR, ".does")


def test_the_slider_goes_to_any_position_by_the_keyboard(browser: Remote) -> None:
    slider = browser.find_element("id", "slider")
    slider.send_keys(Keys.HOME)
    wait_for(browser, "Start of the game", "/oust/1/0")
    assert slider.get_attribute("aria-valuetext") == "Start of the game"
    slider.send_keys(Keys.END)
    wait_for(browser, "After record 3 of 3", "/oust/1")
    assert browser.switch_to.active_element == slider


def test_a_link_is_followed_within_the_page_and_back(browser: Remote) -> None:
    click(browser, By.ID, "first")
    wait_for(browser, "Start of the game", "/oust/1/0")
    browser.back()
    wait_for(browser, "After record 3 of 3", "/oust/1")


def test_the_board_changes_when_a_record_comes(browser: Remote, home: Home) -> None:
    mailed(home, BOB, "oust move 1 bob lookingglass A3")
    wait_for(browser, "After record 4 of 4", "/oust/1")
    assert browser.find_element("id", "slider").get_attribute("max") == "4"
    mailed(home, ALICE, "oust resign 1 alice wonderland")
    wait_for(browser, "After record 5 of 5", "/oust/1")
    assert "bob wins as white" in browser.find_element("id", "told").text


def test_a_board_in_a_frame_changes_when_a_record_comes(
    browser: Remote, pages: Website, home: Home
) -> None:
    browser.get(f"http://127.0.0.1:{pages.port}/oust/1/embed")
    mailed(home, BOB, "oust move 1 bob lookingglass A3")
    wait_until(lambda: "It is the turn of alice" in shown(browser, "shown"), "the turn of alice")
    mailed(home, ALICE, "oust move 1 alice wonderland E1")
    wait_until(lambda: "It is the turn of bob" in shown(browser, "shown"), "the turn of bob")


def test_the_latest_position_is_the_one_that_has_come_meanwhile(
    browser: Remote, home: Home
) -> None:
    click(browser, By.ID, "previous")
    wait_for(browser, "After record 2 of 3", "/oust/1/2")
    mailed(home, BOB, "oust move 1 bob lookingglass A3")
    click(browser, By.ID, "latest")
    wait_for(browser, "After record 4 of 4", "/oust/1")


def test_a_game_is_tried_without_loading_the_page_anew(browser: Remote, pages: Website) -> None:
    browser.get(f"http://127.0.0.1:{pages.port}/try/oust/7")
    browser.execute_script("window.stays = true")
    click(browser, By.CSS_SELECTOR, ".taps a[aria-label=D4] use")
    wait_until(lambda: "house1 played" in shown(browser, "told"), "the answer of the house")
    assert "/try/oust/7/D4," in browser.current_url
    link = browser.find_element(By.PARTIAL_LINK_TEXT, "Explore this game")
    assert "/explore/oust/7/D4," in str(link.get_attribute("href"))
    browser.back()
    wait_until(lambda: "house1 played" not in shown(browser, "told"), "the board before it")
    assert browser.current_url.endswith("/try/oust/7")
    assert browser.execute_script("return window.stays")


def test_a_placement_says_what_it_does_before_it_is_made(browser: Remote, pages: Website) -> None:
    browser.get(f"http://127.0.0.1:{pages.port}/explore/oust/3/A1,B1")
    link = browser.find_element(By.CSS_SELECTOR, ".taps a[aria-label^=A2]")
    browser.execute_script("arguments[0].focus()", link)
    wait_until(lambda: "A2 takes 1, in a group of 2" in shown(browser), "what A2 does")


def test_whoever_places_by_keyboard_goes_on_at_the_board(browser: Remote, pages: Website) -> None:
    browser.get(f"http://127.0.0.1:{pages.port}/explore/oust/3")
    link = browser.find_element(By.CSS_SELECTOR, ".taps a[aria-label=A1]")
    browser.execute_script("arguments[0].focus()", link)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait_until(lambda: "White places next" in shown(browser, "told"), "the next turn")
    near = str(browser.switch_to.active_element.get_attribute("aria-label"))
    assert near.partition(" ")[0] in ("A2", "B1")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.execute_script("return document.activeElement.closest('.taps a') === null")


def test_a_puzzle_is_solved_by_touching_its_board(browser: Remote, pages: Website) -> None:
    browser.get(f"http://127.0.0.1:{pages.port}/puzzles/oust/1")
    browser.execute_script("window.isSame = true")
    click(browser, By.CSS_SELECTOR, ".taps a[aria-label=C3] use")
    wait_until(lambda: "You captured" in shown(browser, "told"), "that the turn goes on")
    click(browser, By.CSS_SELECTOR, ".taps a[aria-label=C2] use")
    wait_until(lambda: "Well done." in shown(browser, "told"), "that it is solved")
    assert browser.current_url.endswith("/puzzles/oust/1?moves=C3,C2")
    click(browser, By.ID, "previous")
    wait_until(lambda: "You captured" in shown(browser, "told"), "a stone is taken back")
    assert browser.execute_script("return window.isSame")


def test_a_rule_is_tried_on_its_board_and_the_others_stay(browser: Remote, pages: Website) -> None:
    browser.get(f"http://127.0.0.1:{pages.port}/rules/oust")
    browser.execute_script("window.isSame = true")
    click(browser, By.CSS_SELECTOR, "#larger-board a[aria-label=C4] use")
    wait_until(lambda: "You played C4" in shown(browser, "larger-told"), "the placement")
    click(browser, By.CSS_SELECTOR, "#chain-board a[aria-label=B2] use")
    wait_until(lambda: "B2 is not allowed." in shown(browser, "chain-told"), "why it is not legal")
    assert browser.execute_script("return window.isSame")

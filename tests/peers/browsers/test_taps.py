"""Fingers and keys on a board: a placement is prepared and then made, and nothing jumps."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Remote
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.peers.browsers.conftest import BROWSERS
from tests.peers.browsers.signing_in import enter, sign_in
from tests.peers.browsers.table import click, shown
from tests.peers.browsers.view import PHONE, View
from tests.peers.mail_servers.host import open_folder
from tests.support.home_by_mail import ALICE, BOB
from tests.support.waiting import wait_until
from tests.web.signed_in import Place, place


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    """Serve the pages of a home with two players and a board on which alice is to move."""
    with place(tmp_path / "home", ALICE, BOB) as found:
        found.talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
        yield found


@pytest.fixture(scope="module", params=BROWSERS)
def phone(request: pytest.FixtureRequest) -> Iterator[Remote]:
    """Run each browser as on a phone."""
    with open_folder() as folder, BROWSERS[request.param](folder / "browser", View(PHONE)) as found:
        yield found


def point(cell: str) -> str:
    """Return where a point of the board is."""
    return f"#board a[aria-label^='{cell}'] use"


def open_page(browser: Remote, here: Place, path: str) -> None:
    """Open a page."""
    browser.get(f"http://127.0.0.1:{here.site.port}{path}")


def see(browser: Remote, words: str) -> None:
    """Wait until the page says something."""
    wait_until(lambda: words in shown(browser, "told"), words)


def own_board(browser: Remote, here: Place) -> None:
    """Sign alice in, and show her the board."""
    code = sign_in(here, browser)
    open_page(browser, here, code)
    enter(browser)
    open_page(browser, here, "/me/oust/1")


_OPACITY = "return getComputedStyle(arguments[0]).fillOpacity"


@pytest.mark.parametrize("way", ["the stone", "the button"])
@pytest.mark.parametrize(("path", "cell"), [("/try/oust/7", "D4"), ("/puzzles/oust/1", "C3")])
def test_a_finger_prepares_a_placement_and_then_makes_it(
    path: str, cell: str, way: str, phone: Remote, here: Place
) -> None:
    open_page(phone, here, path)
    click(phone, By.CSS_SELECTOR, point(cell))
    prepared = phone.find_element(By.CSS_SELECTOR, ".taps .prepared")
    assert str(prepared.get_attribute("aria-label")).startswith(cell)
    assert float(phone.execute_script(_OPACITY, prepared)) > 0.5, "a stone is seen"
    assert phone.current_url.endswith(path), "nothing is placed yet"
    if way == "the stone":
        click(phone, By.CSS_SELECTOR, point(cell))
    else:
        click(phone, By.XPATH, f"//p[@class='does']/button[.='Place {cell}']")
    wait_until(lambda: cell in phone.current_url, "what is placed")


def test_another_point_is_prepared_in_place_of_the_first(phone: Remote, here: Place) -> None:
    open_page(phone, here, "/try/oust/7")
    for cell in ("D4", "E5"):
        click(phone, By.CSS_SELECTOR, point(cell))
        (prepared,) = phone.find_elements(By.CSS_SELECTOR, ".taps .prepared")
        assert prepared.get_attribute("aria-label") == cell
    assert phone.find_element(By.CSS_SELECTOR, ".does").text == "Place E5"


def test_a_turn_on_one_s_own_board_is_prepared_and_sent_by_a_second_tap(
    phone: Remote, here: Place
) -> None:
    own_board(phone, here)
    click(phone, By.CSS_SELECTOR, point("C3"))
    see(phone, "Your turn so far: C3.")
    click(phone, By.CSS_SELECTOR, "#board .stones circle")
    see(phone, "It is the turn of bob")


def focused(browser: Remote) -> str:
    """Return the name or the id of what has the focus."""
    active = browser.switch_to.active_element
    return str(active.get_attribute("aria-label") or active.get_attribute("id"))


def test_two_presses_of_a_key_play_and_the_focus_comes_back_to_where_it_was(
    browser: Remote, here: Place
) -> None:
    own_board(browser, here)
    start = browser.find_element(By.CSS_SELECTOR, "#board a[aria-label=C3]")
    browser.execute_script("arguments[0].focus()", start)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    see(browser, "Your turn so far: C3.")
    assert focused(browser) == "board"
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    wait_until(lambda: focused(browser) == "C3", "the point where the keys were")
    for words in ("Your turn so far: C3.", "It is the turn of bob"):
        browser.switch_to.active_element.send_keys(Keys.ENTER)
        see(browser, words)
    here.talk.send(BOB, "oust move 1 bob lookingglass A1")
    see(browser, "It is your turn, alice")
    wait_until(lambda: focused(browser).partition(",")[0] in ("B3", "C2", "C4", "D3"), "the board")


def test_page_keys_step_and_what_comes_meanwhile_leaves_the_position(
    browser: Remote, here: Place
) -> None:
    here.talk.send(ALICE, "oust move 1 alice wonderland C3")
    own_board(browser, here)
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.PAGE_UP)
    see(browser, "Start of the game")
    here.talk.send(BOB, "oust move 1 bob lookingglass A1")
    wait_until(
        lambda: browser.find_element(By.ID, "slider").get_attribute("max") == "2", "the news"
    )
    assert "Start of the game" in shown(browser, "told")
    assert browser.current_url.endswith("?after=0")
    for words in ("After record 1 of 2", "It is your turn, alice"):
        browser.find_element(By.TAG_NAME, "body").send_keys(Keys.PAGE_DOWN)
        see(browser, words)


_TOPS = """
return [...document.querySelectorAll("main p, main button, main a, svg")]
  .map((each) => each.getBoundingClientRect()).filter((box) => box.height).map((box) => box.top);
"""
_IS_STYLED = "return getComputedStyle(document.querySelector('.does')).display === 'flex'"
_POINTS_AT = "arguments[0].dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))"


@pytest.mark.parametrize("path", ["/me/oust/1", "/try/oust/7/D4", "/puzzles/oust/1", "/rules/oust"])
def test_nothing_moves_when_one_points_at_the_board(
    path: str, browser: Remote, here: Place
) -> None:
    if path.startswith("/me"):
        own_board(browser, here)
    else:
        open_page(browser, here, path)
    wait_until(lambda: browser.execute_script(_IS_STYLED), "the style of the page")
    before = browser.execute_script(_TOPS)
    at = browser.find_element(By.CSS_SELECTOR, ".taps a use")
    browser.execute_script(_POINTS_AT, at)
    assert browser.find_element(By.CSS_SELECTOR, ".does").text
    assert browser.execute_script(_TOPS) == before

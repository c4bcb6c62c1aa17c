"""How a player signs in with a browser: a link is asked for, mailed and opened."""

from selenium.webdriver import Remote
from selenium.webdriver.common.by import By

from pbm_oust.web.addresses import MINE
from tests.peers.browsers.table import click
from tests.support.home_by_mail import ALICE
from tests.support.outbox import Letter, letters
from tests.support.waiting import wait_until
from tests.web.signed_in import WEB, Place


def sign_in(here: Place, browser: Remote) -> str:
    """Ask for a link that signs alice in, and return its path."""
    browser.get(f"http://127.0.0.1:{here.site.port}/sign-in")
    browser.find_element(By.NAME, "address").send_keys(ALICE)
    click(browser, By.CSS_SELECTOR, "main button")
    (letter,) = wait_until(lambda: _letters_with_codes(here), "the link that signs in")
    return here.link_in(letter)


def _letters_with_codes(here: Place) -> list[Letter]:
    """Return the letters with a link for something asked for."""
    return [each for each in letters(here.talk.home) if f"{WEB}/code/" in each.text]


def enter(browser: Remote) -> None:
    """Press the button of the page behind that link, and wait for the page of the player."""
    click(browser, By.CSS_SELECTOR, "main button")
    wait_until(lambda: browser.current_url.endswith(MINE), "the page of the player")

"""Signing in and playing by the keyboard alone: no mouse, and no finger on a screen."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium.webdriver import ActionChains, Remote
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.color import Color

from tests.peers.browsers import chromium
from tests.peers.browsers.table import Seat, laid
from tests.peers.browsers.view import View
from tests.peers.mail_servers.host import open_folder
from tests.support.contrast import contrast
from tests.support.waiting import wait_until

MOST = 60
"""How often somebody presses Tab before they give up."""
ENOUGH = 3
"""The least contrast of what shows the focus (WCAG 2.2, 1.4.11)."""


@dataclass(frozen=True)
class Keyboard:
    """The keys of somebody before a browser."""

    browser: Remote

    def type(self, keys: str) -> None:
        """Press keys, wherever the focus is."""
        ActionChains(self.browser).send_keys(keys).perform()

    def go_to(self, name: str) -> None:
        """Press Tab until what has this name has the focus, which can be seen."""
        for _ in range(MOST):
            self.type(Keys.TAB)
            focused = self.browser.switch_to.active_element
            assert self._is_seen(focused), f"{focused.tag_name} {focused.accessible_name!r}"
            if focused.accessible_name.strip() == name:
                return
        raise AssertionError(f"Tab does not lead to {name!r}")

    def _is_seen(self, focused: WebElement) -> bool:
        """Return whether the focus can be told from what is around it."""
        if focused.value_of_css_property("outline-style") == "none":
            return False
        wood = focused.find_elements(By.XPATH, "ancestor::*[@id='board']//*[@class='ground']")
        page = self.browser.find_elements(By.TAG_NAME, "body")
        around = (wood or page)[0].value_of_css_property("fill" if wood else "background-color")
        outline = focused.value_of_css_property("outline-color")
        return contrast(Color.from_string(outline).hex, Color.from_string(around).hex) >= ENOUGH

    def choose(self, name: str) -> None:
        """Go to a link or a button, and press Enter."""
        self.go_to(name)
        self.type(Keys.ENTER)


@pytest.mark.parametrize("view", [View(), View(is_dark=True)], ids=["light", "dark"])
def test_a_player_signs_in_and_plays_by_keys(view: View, tmp_path: Path) -> None:
    with (
        laid(tmp_path / "home") as table,
        open_folder() as folder,
        chromium.browsing(folder / "browser", view) as browser,
    ):
        keys, alice = Keyboard(browser), Seat(table.player("alice"), browser)
        alice.player.send("oust challenge alice bob wonderland -size=5")
        wait_until(lambda: table.letters_to(alice.player.address), "the board")
        browser.get(table.address)
        keys.choose("Me")
        alice.see("Enter the address")
        keys.go_to("Mail address")
        keys.type(alice.player.address)
        keys.choose("Send me a link")
        alice.follow_code()
        keys.choose("Sign in as alice")
        alice.see("Your turn")
        keys.choose("oust 1")
        alice.see("It is your turn, alice")
        keys.choose("To the content")
        keys.go_to("C3")
        for arrow, cell in (
            (Keys.ARROW_LEFT, "B3"),
            (Keys.ARROW_UP, "B4"),
            (Keys.ARROW_RIGHT, "C4"),
            (Keys.ARROW_DOWN, "C3"),
            (Keys.ARROW_LEFT, "B3"),
        ):
            keys.type(arrow)
            assert browser.switch_to.active_element.accessible_name.strip() == cell
        keys.type(Keys.ENTER)
        alice.see("Your turn so far: B3.")
        keys.type(Keys.ESCAPE)
        alice.see("It is your turn, alice")
        keys.type(Keys.ARROW_RIGHT)
        keys.type(Keys.ENTER)
        alice.see("Your turn so far: C3.")
        keys.choose("Play C3")
        alice.see("You played C3.")

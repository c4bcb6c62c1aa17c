"""A player with a browser who signs in by a link that comes by mail, plays, and signs out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Remote
from selenium.webdriver.common.by import By

from tests.peers.browsers.table import Seat, Table, laid, letter_for


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """Lay a table for alice and bob."""
    with laid(tmp_path / "home") as found:
        yield found


def sign_in(seat: Seat) -> None:
    """Go from the front page to the page of the player."""
    userid, address = seat.player.userid, seat.player.address
    seat.browser.find_element(By.LINK_TEXT, "My page").click()
    seat.write("address", address)
    seat.press("Send me a link")
    seat.see("If a player has this address, a link is on its way there.")
    seat.follow_code()
    seat.press(f"Sign in as {userid}")
    seat.see_own_page()


def test_a_player_signs_in_challenges_plays_and_signs_out(browser: Remote, table: Table) -> None:
    alice, bob = Seat(table.player("alice"), browser), table.player("bob")
    browser.get(table.address)
    sign_in(alice)
    alice.press("Start a board")
    alice.write("opponent", "bob")
    browser.find_element(By.CSS_SELECTOR, "option[value=x]").click()
    alice.write("option.size", "5")
    alice.press("Start a board of Oust")
    alice.see("It is your turn, alice: you play x.")
    alice.play(["C3"], words="Good luck!")
    alice.see("That is done.")
    bob.answer(letter_for(bob, 2), "A1")
    letter_for(alice.player, 3)
    alice.open_own_page()
    alice.press("oust 1")
    alice.see("bob played A1.")
    alice.open_own_page()
    alice.press("Sign out")
    alice.see("Boards in play")
    browser.back()
    alice.see("Enter the address at which you get mail about your boards.")

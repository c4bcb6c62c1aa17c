"""A player with a browser who signs in by a link that comes by mail, plays, and signs out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Remote
from selenium.webdriver.common.by import By

from tests.peers.browsers.table import Seat, Table, click, laid, letter_for
from tests.support.letters import text_of
from tests.support.player import Player
from tests.support.waiting import wait_until


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """Lay a table for alice and bob."""
    with laid(tmp_path / "home") as found:
        yield found


def sign_in(seat: Seat) -> None:
    """Go from the front page to the page of the player."""
    userid, address = seat.player.userid, seat.player.address
    click(seat.browser, By.LINK_TEXT, "Me")
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
    alice.write("named", "bbo")
    click(browser, By.CSS_SELECTOR, "[name=side][value=x]")
    alice.write("size", "5")
    alice.press("Start")
    alice.see("There is no player of that name.")
    assert browser.switch_to.active_element.get_attribute("name") == "named"
    browser.switch_to.active_element.clear()
    alice.write("named", "bob")
    alice.press("Start")
    alice.see("It is your turn, alice: you play blue.")
    alice.play(["C3"], words="Good luck!")
    alice.see("You played C3.")
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


_LOOKS_AWAY = """
Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
window.told = [];
window.Notification = class {
  static permission = "granted";
  static requestPermission = async () => "granted";
  constructor(title) { window.told.push(title); }
};
"""
"""Hides a page, and lets it send notifications, as only a person can."""


def at_board(browser: Remote, table: Table) -> tuple[Seat, Player]:
    """Let bob challenge alice, who moves first, and alice sign in and open the board."""
    alice, bob = Seat(table.player("alice"), browser), table.player("bob")
    bob.send("oust challenge alice bob lookingglass -size=5")
    wait_until(lambda: table.letters_to(alice.player.address), "a letter about the board")
    browser.get(table.address)
    sign_in(alice)
    alice.press("oust 1")
    return alice, bob


def seat_of(browser: Remote, place: str) -> str:
    """Return who sits above or below the board, behind the colour of their stones."""
    colour = browser.find_element(By.CSS_SELECTOR, f"#{place} .stone").get_attribute("title")
    return f"{colour} {browser.find_element(By.ID, place).text}"


def test_a_board_goes_back_and_forth_and_is_swapped_without_loading_the_page(
    browser: Remote, table: Table
) -> None:
    alice, bob = at_board(browser, table)
    browser.execute_script("window.stays = true")
    alice.play(["C3"], words="Good luck!")
    alice.see("You played C3.")
    assert seat_of(browser, "below").startswith("blue alice")
    bob.answer(letter_for(bob, 2), "swap")
    alice.see("It is your turn, alice: you play white.")
    assert seat_of(browser, "below").startswith("white alice")
    assert seat_of(browser, "above").startswith("blue bob")
    alice.play(["E5"])
    alice.see("It is the turn of bob, who plays blue.")
    assert browser.execute_script("return window.stays")


_ANSWERS_LATE = """
const { live, count } = document.querySelector("[data-live]").dataset;
const news = new Promise((resolve) => {
  new EventSource(live).onmessage = (event) => event.data !== count && setTimeout(resolve, 500);
});
const ask = window.fetch;
window.fetch = async (path, sent) => {
  const answer = await ask(path, sent);
  if (sent) await news;
  return answer;
};
"""
"""Lets the answer to what a player does come after the news that it is done, as on a slow line."""


def test_what_a_player_has_done_is_confirmed_though_news_of_it_come_first(
    browser: Remote, table: Table
) -> None:
    alice, _ = at_board(browser, table)
    browser.execute_script(_ANSWERS_LATE)
    alice.play(["C3"])
    alice.see("It is the turn of bob")
    wait_until(
        lambda: not browser.find_elements(By.CSS_SELECTOR, "body.busy"), "a page that is at rest"
    )
    alice.see("You played C3.")


def test_whoever_does_not_see_the_page_is_told_that_it_is_their_turn(
    browser: Remote, table: Table
) -> None:
    alice, bob = Seat(table.player("alice"), browser), table.player("bob")
    bob.send("oust challenge bob alice lookingglass -size=5")
    letter = letter_for(bob, 1)
    browser.get(table.address)
    sign_in(alice)
    alice.press("oust 1")
    alice.see("It is the turn of bob")
    icon = browser.find_element(By.CSS_SELECTOR, "link[rel=icon]").get_attribute("href")
    browser.execute_script(_LOOKS_AWAY)
    click(browser, By.CSS_SELECTOR, ".boxes summary")
    click(browser, By.ID, "alerts")
    bob.answer(letter, "C3")
    wait_until(lambda: browser.title.startswith("Your turn · oust 1"), "the title of the page")
    assert browser.find_element(By.CSS_SELECTOR, "link[rel=icon]").get_attribute("href") != icon
    assert browser.execute_script("return window.told") == [browser.title]


def test_the_page_of_a_player_learns_of_the_other_s_move_and_keeps_what_is_being_written(
    browser: Remote, table: Table
) -> None:
    alice, bob = at_board(browser, table)
    alice.play(["C3"])
    alice.see("It is the turn of bob")
    # News may take the place of a field until it has the focus.
    click(browser, By.XPATH, "//summary[normalize-space()='Say something']")
    click(browser, By.ID, "text")
    said = browser.find_element(By.ID, "text")
    said.send_keys("Well pl")
    click(browser, By.NAME, "rest")
    browser.find_element(By.NAME, "rest").send_keys("if D4")
    bob.answer(letter_for(bob, 2), "A1")
    alice.see("It is your turn, alice")
    alice.see("bob played A1.")
    said.send_keys("ayed")
    assert said.get_attribute("value") == "Well played"
    assert browser.find_element(By.NAME, "rest").get_attribute("value") == "if D4"
    alice.press("Send")
    alice.see("Your words have been sent.")

    def has_heard() -> bool:
        letters = bob.post.letters_to(bob.address).values()
        return any("Well played" in text_of(letter) for letter in letters)

    wait_until(has_heard, "what alice says to bob")
    alice.play(["E5"])
    alice.see("You played E5")


def test_a_page_of_a_link_swaps_and_learns_of_the_other_s_move(
    browser: Remote, table: Table
) -> None:
    alice, bob = Seat(table.player("alice"), browser), table.player("bob")
    bob.send("oust challenge bob alice lookingglass -size=5")
    bob.answer(letter_for(bob, 1), "C3")
    alice.follow_link(2)
    alice.press("Swap")
    alice.see("You swapped")
    bob.answer(letter_for(bob, 3), "A1")
    alice.see("bob played A1.")
    alice.see("It is the turn of alice")


def test_the_boards_of_a_player_change_as_records_come(browser: Remote, table: Table) -> None:
    alice, bob = Seat(table.player("alice"), browser), table.player("bob")
    bob.send("oust challenge bob alice lookingglass -size=5")
    letter = letter_for(bob, 1)
    browser.get(table.address)
    sign_in(alice)
    alice.see("No board waits for you.")
    bob.answer(letter, "C3")
    alice.see("27 days left")
    alice.press("oust 1")
    alice.see("It is your turn, alice")

"""A server whose letters go to a sink, its pages, and players who play by the links in letters."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver import Remote
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.support.home_by_mail import PASSWORDS, home_of
from tests.support.letters import text_of
from tests.support.player import Letters, Player
from tests.support.ports import free_port
from tests.support.server import ADDRESS, running
from tests.support.sink import Sink, listening_sink
from tests.support.waiting import wait_until
from tests.support.website import is_there

_NOT_CLICKED = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
"""What is raised if an element is gone or covered, and has not been clicked on."""


@dataclass(frozen=True)
class Table:
    """Where alice and bob play: a server, its pages, and what it has mailed."""

    port: int
    sink: Sink
    address: str
    """Where the pages are."""
    commands: str = ADDRESS

    def letters_to(self, address: str) -> Letters:
        """Return all letters that have come for an address."""
        found: Letters = {}
        for number, envelope in enumerate([*self.sink.taken]):
            if address in envelope.rcpt_tos:
                assert isinstance(envelope.content, bytes)
                letter = message_from_bytes(envelope.content, policy=default)
                assert isinstance(letter, EmailMessage)
                found[str(number)] = letter
        return found

    def player(self, userid: str) -> Player:
        """Return one of the two players."""
        return Player(userid, PASSWORDS[userid], self)


@contextmanager
def laid(home: Path) -> Iterator[Table]:
    """Run the server and its pages for the body of the `with`."""
    home_of(home, "alice@example.org", "bob@example.org").database.close()
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    (home / "pbm_oust.toml").write_text(f'web_address = "{address}"\nweb = "127.0.0.1:{port}"\n')
    with listening_sink() as (sink, relay), running(home, "--relay", f"smtp://{relay}") as server:
        wait_until(lambda: is_there(port), "the pages to be there")
        yield Table(server.port, sink, address)


@dataclass(frozen=True)
class Seat:
    """A player before a browser."""

    player: Player
    browser: Remote

    def follow_link(self, record: int) -> None:
        """Wait for a letter with a link that plays a record, and follow it."""
        self._follow(rf"play/\w+\.\d+\.{record}\.\S+", f"a link for record {record}")

    def follow_code(self) -> None:
        """Wait for a letter with a link for something asked for, and follow it."""
        self._follow(r"code/\S+", "a link with a code")

    def _follow(self, path: str, what: str) -> None:
        """Follow the latest link in a letter to such a path, once one has come."""

        def link() -> str:
            letters = self.player.post.letters_to(self.player.address).values()
            found = [re.search(rf"http:\S+/{path}", text_of(letter)) for letter in letters]
            return ([each[0] for each in found if each] or [""])[-1]

        self.browser.get(wait_until(link, what))

    def play(self, cells: Sequence[str], words: str = "") -> None:
        """Tap one point after the other, and play the turn; the words go with it."""
        for placed, cell in enumerate(cells, 1):
            self.tap(cell)
            self.see(f"Your turn so far: {','.join(cells[:placed])}.")
        if words:
            self.write("text", words)
        self.press(f"Play {','.join(cells)}")

    def tap(self, cell: str) -> None:
        """Tap a free point of the board."""
        names = (f'#board a[aria-label="{cell}"] use', f'#board a[aria-label^="{cell} "] use')
        click(self.browser, By.CSS_SELECTOR, ", ".join(names))

    def press(self, words: str) -> None:
        """Press a button, or follow a link, that says something."""
        path = "//main//*[self::button or self::a][normalize-space()=$words]"
        click(self.browser, By.XPATH, path.replace("$words", f"'{words}'"))

    def write(self, field: str, text: str) -> None:
        """Write into a field of a form, once it is unfolded."""
        found = self._wait_for(By.NAME, field)
        if not found.is_displayed():
            click(self.browser, By.XPATH, f"//details[.//*[@name='{field}']]/summary")
        found.send_keys(text)

    def open_own_page(self) -> None:
        """Follow the link to the page of the player, who is signed in, and wait for it."""
        click(self.browser, By.LINK_TEXT, "Me")
        self.see_own_page()

    def see_own_page(self) -> None:
        """Wait for the page of the player."""
        title = f"{self.player.userid}: My page"
        wait_until(lambda: title in self.browser.title, title)

    def see(self, words: str) -> None:
        """Wait until the page says something."""
        wait_until(lambda: words in shown(self.browser), f"{words!r} before {self.player.userid}")

    def _wait_for(self, by: str, value: str) -> WebElement:
        """Wait until there is such an element, as the page that has it may be on its way."""
        found = wait_until(lambda: elements(self.browser, by, value), value)
        return found[0]


def letter_for(player: Player, record: int) -> EmailMessage:
    """Wait for the letter that asks a player for a record, and return it."""

    def latest() -> EmailMessage | None:
        letters = player.post.letters_to(player.address).values()
        asking = [each for each in letters if re.search(rf"#{record}: your turn", each["Subject"])]
        return asking[-1] if asking else None

    letter = wait_until(latest, f"a letter for record {record}")
    assert letter
    return letter


def click(browser: Remote, by: str, value: str) -> None:
    """Click on such an element, once there is one that stays where it is for as long as it takes.

    What comes meanwhile may take the place of what is shown.
    """

    def is_clicked() -> bool:
        for element in elements(browser, by, value)[:1]:
            with suppress(*_NOT_CLICKED):
                element.click()
                return True
        return False

    wait_until(is_clicked, f"a click on {value}")


def elements(browser: Remote, by: str, value: str) -> list[WebElement]:
    """Return such elements of a page; none while another page takes its place."""
    try:
        return browser.find_elements(by, value)
    except WebDriverException:
        return []


def shown(browser: Remote, part: str = "content") -> str:
    """Return the text of a part of a page; nothing while another page takes its place."""
    try:
        return " ".join(browser.find_element(By.ID, part).text.split())
    except WebDriverException:
        return ""

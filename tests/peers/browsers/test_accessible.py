"""Every kind of page is accessible, as far as axe can tell: in any window, and in any colours."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium.webdriver import Remote
from selenium.webdriver.common.by import By
from selenium_axe_python.axe import Axe

from pbm_oust.web.app import ROUTES
from tests.peers.browsers import chromium
from tests.peers.browsers.signing_in import enter, sign_in
from tests.peers.browsers.view import DESKTOP, PHONE, View
from tests.peers.mail_servers.host import open_folder
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.waiting import PATIENCE
from tests.web.every_page import (
    MISSING_PAGES,
    PAGES,
    STRANGERS_PAGES,
    furnished,
    join_link,
    off_link,
    play_link,
)

NO_PAGES = ("/events", "/healthz", "/me/seeks", "/static/{name:path}")
"""How the paths end of what is no page or leads to one, beside files, which have a dot there."""
VIEWS = (
    View(PHONE),
    View(PHONE, is_dark=True, language="fr"),
    View(DESKTOP, is_dark=True),
    View(DESKTOP, language="fr"),
)
"""Each two of a width, colours and a language that go together are in one of these.

Axe sees a page in two of them, which have nothing in common but the language.
"""

_STATUS = "return performance.getEntriesByType('navigation')[0].responseStatus"
_IS_WIDE = "return document.documentElement.scrollWidth > innerWidth"
_LOW = """
const inputs = "input:not([type=checkbox], [type=radio], [type=hidden])";
return [...document.querySelectorAll(`a[href], button, summary, select, ${inputs}`)]
  .filter((each) => {
    const { width, height } = each.getBoundingClientRect();
    return width && height && height < 24 && !each.closest("svg, .skip");
  })
  .map((each) => each.outerHTML);
"""
"""What is too low for a finger (WCAG 2.2, 2.5.8), also within a line of text."""
_MAINS = "return document.querySelectorAll('.main').length"
_IS_CUT = "const [board] = arguments; return board.scrollWidth > board.clientWidth"
_NARROWEST = 320
"""The width of the narrowest phone."""


@dataclass(frozen=True)
class Inspection:
    """Somebody who looks for faults in pages."""

    browser: Remote
    site: str
    turn: int
    """Whether axe sees the pages with even numbers or those with odd ones."""
    is_phone: bool

    def faults(self, paths: Iterable[str]) -> Iterator[str]:
        """Yield what is wrong: what axe says of every other page, and what has no room."""
        for number, path in enumerate(paths):
            self.browser.get(f"{self.site}{path}")
            status = self.browser.execute_script(_STATUS)
            if (status == 200) is (path in MISSING_PAGES):
                yield f"{path}: status {status}"
            if self.browser.execute_script(_IS_WIDE):
                yield f"{path}: wider than the window"
            if self.browser.execute_script(_MAINS) > 1:
                yield f"{path}: more than one main button"
            if self.is_phone:
                yield from (f"{path}: low: {each}" for each in self.browser.execute_script(_LOW))
            if (number + self.turn) % 2 == 0:
                yield from (f"{path}: {fault}" for fault in self._violations())

    def _violations(self) -> Iterator[str]:
        axe = Axe(self.browser)
        axe.inject()
        for rule in axe.run()["violations"]:
            for node in rule["nodes"]:
                yield f"{rule['id']}: {rule['help']}: {node['html']}"


@pytest.mark.parametrize("view", VIEWS, ids=[view.name for view in VIEWS])
def test_nothing_is_wrong_with_any_page(view: View, tmp_path: Path) -> None:
    with (
        furnished(tmp_path / "home", view.language) as here,
        open_folder() as folder,
        chromium.browsing(folder / "browser", view) as browser,
    ):
        browser.set_script_timeout(PATIENCE)
        site, turn = f"http://127.0.0.1:{here.site.port}", VIEWS.index(view)
        inspection = Inspection(browser, site, turn, view.width == PHONE)
        links = {"play": play_link(here), "join": join_link(here), "off": off_link(here)}
        links |= {"code": sign_in(here, browser)}
        found = [*inspection.faults(path.format(**links) for path in STRANGERS_PAGES)]
        enter(browser)
        found += inspection.faults(path.format(**links) for path in (*PAGES, *MISSING_PAGES))
        assert not found


def test_a_board_in_a_letter_fits_the_narrowest_phone(tmp_path: Path) -> None:
    talk, letter = Talk.begin(tmp_path / "home", ALICE, BOB), tmp_path / "letter.html"
    with (
        open_folder() as folder,
        chromium.browsing(folder / "browser", View(_NARROWEST)) as browser,
    ):
        for size in ("-size=9", "-size=25", "-hex=5", "-hex=13"):
            talk.send(ALICE, f"oust challenge alice bob wonderland {size}")
            letter.write_text(talk.page_to(ALICE))
            browser.get(letter.as_uri())
            board = browser.find_element(By.CLASS_NAME, "board")
            assert not browser.execute_script(_IS_CUT, board), size


def test_every_page_is_looked_at() -> None:
    links = {"play": "/play/x", "code": "/code/x", "join": "/join/x", "off": "/off/x"}
    looked = [path.format(**links).partition("?")[0] for path in (*STRANGERS_PAGES, *PAGES)]
    for route in ROUTES:
        is_page = "." not in route.path and not route.path.endswith(NO_PAGES)
        if is_page and "GET" in (route.methods or ()):
            assert any(route.path_regex.match(path) for path in looked), route.path

"""The main pages as browsers get them, and moves that players make there beside one another.

Run by the Python of a checkout, this file lays a home as that one has it, and prints cookies.
"""

import json
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from selenium.webdriver import Remote

from pbm_oust.accounts.tags import SignIn, format_session
from pbm_oust.rules import KINDS, parse_grid
from pbm_oust.store.home import Home
from tests.peers.browsers.chromium import browsing
from tests.peers.mail_servers.host import open_folder
from tests.support.accounts import account_of
from tests.support.browsing import Browser
from tests.support.games import history_of
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, BOB, CAROL, home_of
from tests.support.kinds import Chance
from tests.support.server import listening_port, stopped
from tests.support.waiting import wait_until
from tests.support.website import Site

PAGES = {
    "front": "/",
    "boards to try": "/try",
    "a game to try": "/try/oust/7",
    "a board": "/oust/1",
    "a board that is over": "/oust/13",
    "/me": "/me",
    "a board of one's own": "/me/oust/1",
    "puzzles": "/puzzles/oust",
    "help": "/help",
    "ratings": "/standings/oust",
}
BOARDS, TURNS, WHOLE = 12, 40, 1000
"""How many boards go on, after so many turns, and how many are over, played to the end."""
FIRST_EMPTY = 101
"""The number of the first board on which nobody has placed yet."""
_WEB = "http://games.example.org"
_SHOWN = "return performance.getEntriesByName('first-contentful-paint').length > 0"
_MEASURED = """
const loaded = performance.getEntries().filter((each) => 'transferSize' in each);
const pictures = loaded.filter((each) => each.initiatorType === 'img');
const isDrawn = document.querySelector('svg.board') || !pictures.length;
const [painted] = performance.getEntriesByName('first-contentful-paint');
const come = Math.min(...pictures.map((each) => each.responseEnd));
return [
  loaded.reduce((sum, each) => sum + each.transferSize, 0),
  loaded.length,
  isDrawn ? painted.startTime : Math.max(painted.startTime, come),
];
"""
_ASK = "POST", "/session/$sessionId/goog/cdp/execute"
_UNCACHED: Sequence[tuple[str, dict[str, bool]]] = (
    ("Network.enable", {}),
    ("Network.setCacheDisabled", {"cacheDisabled": True}),
)


@dataclass
class Loads:
    """What some loads of a page took, each by a browser that has nothing of it."""

    sizes: list[float] = field(default_factory=list)
    requests: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    """Milliseconds until a board is seen; where there is none, until anything is."""

    @property
    def text(self) -> str:
        """Their medians, as columns."""
        figures = (median(each) for each in (self.sizes, self.requests, self.waits))
        return "{:10,.0f}{:10.0f}{:10.0f}".format(*figures)


def lay(path: Path, moves: int) -> dict[str, str]:
    """Lay a home with boards of alice and bob, and for each of them boards where they move next.

    Returns the cookies of the two, who have just signed in.
    """
    home = home_of(path, ALICE, BOB, CAROL)
    grid = parse_grid("square 11x11")
    texts = {}
    for number in range(1, 2 * BOARDS + 1):
        turns = TURNS if number <= BOARDS else WHOLE
        texts[number] = history_of(Chance(KINDS["oust"], grid, number).game(turns, number)).decode()
    for number in range(FIRST_EMPTY, FIRST_EMPTY + 2 * moves):
        text = history_of(Chance(KINDS["oust"], grid, 1).game(0, number)).decode()
        player = ("alice", "bob")[number % 2]
        for side, userid in (("X", player), ("O", "carol")):
            text = re.sub(rf"^{side}: .*$", f"{side}: {userid}", text, flags=re.MULTILINE)
        texts[number] = text
    lay_histories(home, texts)
    home.configuration.write_text(f'address = "pbmserv@example.com"\nweb_address = "{_WEB}"\n')
    cookies = {userid: _cookie(home, userid) for userid in ("bob", "alice")}
    home.database.close()
    return cookies


def _cookie(home: Home, userid: str) -> str:
    session = SignIn.begin(userid, datetime.now(UTC), secrets.token_hex(8))
    return format_session(session, home.key(), account_of(home, userid))


def laid_by(checkout: Path, path: Path, moves: int) -> dict[str, str]:
    """Let a checkout lay a home, and return the cookies."""
    command = [str(checkout / ".venv/bin/python"), __file__, str(path), str(moves)]
    around = os.environ | {"PYTHONPATH": str(checkout)}
    laid = subprocess.run(command, env=around, cwd=checkout, stdout=subprocess.PIPE, check=True)
    cookies: dict[str, str] = json.loads(laid.stdout)
    return cookies


@contextmanager
def served(checkout: Path, home: Path) -> Iterator[Site]:
    """Serve the pages of a home by the program of a checkout while the body runs."""
    command = [
        str(checkout / ".venv/bin/pbm-oust"),
        "--home",
        str(home),
        "web",
        "--listen",
        "127.0.0.1:0",
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield Site(listening_port(process))
    finally:
        stopped(process)


@dataclass
class Bench:
    """Servers of several checkouts with the same boards, and what they took."""

    checkouts: Sequence[Path]
    folder: Path
    moves: int

    def measured(self, runs: int) -> tuple[dict[str, list[Loads]], list[list[float]]]:
        """Return what the pages took with each checkout, and the milliseconds of moves.

        The checkouts take turns.
        """
        with ExitStack() as stack:
            there = list[tuple[Site, dict[str, str]]]()
            for nth, checkout in enumerate(self.checkouts):
                home = self.folder / str(nth)
                cookies = laid_by(checkout, home, self.moves)
                there.append((stack.enter_context(served(checkout, home)), cookies))
            short = stack.enter_context(open_folder())
            browser = stack.enter_context(browsing(short / "browser"))
            return self._loads(browser, there, runs), [self._moves(*each) for each in there]

    def _loads(
        self, browser: Remote, there: Sequence[tuple[Site, dict[str, str]]], runs: int
    ) -> dict[str, list[Loads]]:
        executor: Any = browser.command_executor
        executor.add_command("ask", *_ASK)
        for command, given in _UNCACHED:
            browser.execute("ask", {"cmd": command, "params": given})
        found = {name: [Loads() for _ in there] for name in PAGES}
        for _ in range(runs):
            for nth, (site, cookies) in enumerate(there):
                here = f"http://127.0.0.1:{site.port}"
                browser.get(here)
                browser.add_cookie({"name": "session", "value": cookies["alice"]})
                for name, path in PAGES.items():
                    browser.get(here + path)
                    wait_until(lambda: browser.execute_script(_SHOWN), f"the page {name}")
                    size, requests, wait = browser.execute_script(_MEASURED)
                    loads = found[name][nth]
                    loads.sizes.append(size)
                    loads.requests.append(requests)
                    loads.waits.append(wait)
        return found

    def _moves(self, site: Site, cookies: dict[str, str]) -> list[float]:
        """Let alice and bob move at once, each on boards of theirs; return the waits, sorted."""
        players = [Browser(site, cookies={"session": each}) for each in cookies.values()]
        waits = list[float]()
        with ThreadPoolExecutor(len(players)) as together:
            for nth in range(self.moves):
                asked = []
                for number, browser in enumerate(players, FIRST_EMPTY + 2 * nth):
                    browser.open(f"/me/oust/{number}?turn=F6")
                    asked.append(together.submit(timed_move, browser))
                waits += [each.result() for each in asked]
        return sorted(waits)


def timed_move(browser: Browser) -> float:
    """Play the turn on the page that is open, and return the milliseconds until the answer."""
    form = browser.form("Play F6", deed="turn")
    begun = time.perf_counter()
    got = browser.sent(form)
    assert got.status == 303, got.status
    return (time.perf_counter() - begun) * 1000


if __name__ == "__main__":
    print(json.dumps(lay(Path(sys.argv[1]), int(sys.argv[2]))))

"""Homes with pages that players sign in to."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.browsing import Browser
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.outbox import Letter, letters
from tests.support.website import Website, website

WEB = "http://games.example.org"
"""Where the pages say that they are found."""


@dataclass
class Place:
    """A home, its pages, and what comes by mail."""

    talk: Talk
    site: Website

    def mail_to(self, address: str) -> Letter:
        """Return the latest letter to an address."""
        return [each for each in letters(self.talk.home) if each.to == address][-1]

    def link_in(self, letter: Letter) -> str:
        """Return the path of the page that a letter names on a line of its own."""
        (path,) = re.findall(rf"^  {WEB}(/\S+)$", letter.text, re.MULTILINE)
        return str(path)

    def signed_in(self, address: str) -> Browser:
        """Return the browser of a player who has just signed in."""
        browser = Browser(self.site)
        browser.open("/sign-in")
        browser.send(browser.form("Send me a link"), address=address)
        browser.open(self.link_in(self.mail_to(address)))
        browser.send(browser.form("Sign in as"))
        assert browser.path == "/me"
        return browser


@contextmanager
def place(path: Path, *players: str, **environment: str) -> Iterator[Place]:
    """Serve the pages of a new home with players."""
    talk = Talk.begin(path, *(players or (ALICE, BOB)))
    # A second before the pages' clock: whatever is left of a time is less than all of it.
    talk.now = datetime.now(UTC) - timedelta(seconds=1)
    (path / "pbm_oust.toml").write_text(
        f'address = "{talk.own}"\nweb_address = "{WEB}"\n', encoding="utf-8"
    )
    with website(path, **environment) as site:
        yield Place(talk, site)

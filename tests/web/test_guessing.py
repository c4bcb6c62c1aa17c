"""Passwords on pages: they cost as little at once as by mail, and wrong ones wait as long."""

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pbm_oust.mail.clients import Patience
from tests.support.browsing import Browser
from tests.support.home_by_mail import ALICE
from tests.support.website import Got
from tests.web.signed_in import Place, place

MEGABYTE = 1024
"""In the kilobytes that Linux counts in."""


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path / "home") as found:
        yield found


def _sent(here: Place, number: int) -> list[Got]:
    """Send so many forms at once, each with another wrong password; return the answers.

    All have been opened before, so that each is one connection of those that a host may have.
    """
    alice = here.signed_in(ALICE)
    browsers = [Browser(here.site, cookies=dict(alice.cookies)) for _ in range(number)]
    for each in browsers:
        each.open("/me/settings")
    forms = [each.form("The only address") for each in browsers]

    def send(nth: int) -> Got:
        return browsers[nth].send(forms[nth], rest="new@example.org", password=f"guess{nth}")

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(send, range(number)))


def _peak(here: Place) -> int:
    """Return the most memory that the pages have had, in kilobytes (proc(5), VmHWM)."""
    status = Path(f"/proc/{here.site.process.pid}/status").read_text()
    (found,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return int(found)


def test_wrong_passwords_of_one_host_wait_one_after_the_other(here: Place) -> None:
    begun = time.monotonic()
    answers = _sent(here, 3)
    assert time.monotonic() - begun >= 3 * Patience().wrong_password
    assert all("That was not done" in each.text for each in answers)


def test_many_passwords_at_once_need_the_memory_of_one(here: Place) -> None:
    _sent(here, 1)
    before = _peak(here)
    answers = _sent(here, 24)
    assert _peak(here) - before < 48 * MEGABYTE
    turned_away = [each for each in answers if each.status == 503]
    assert turned_away
    assert any("Too much at once" in each.text for each in turned_away)
    assert here.site.get("/").status == 200

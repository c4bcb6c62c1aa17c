"""Links that prove nothing are counted for where they come from; right ones always work."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm_oust.accounts.tags import tag_of
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.website import Website, website

CONFIGURATION = """
web_proxies = "127.0.0.1"

[limits]
wrong_links_an_hour = 2
"""
WRONG = "/play/oust.1.0.alice.aaaaaaaaaaaaaaaa"


@pytest.fixture
def link(tmp_path: Path) -> str:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    talk.home.configuration.write_text(CONFIGURATION)
    return f"/play/{tag_of(str(talk.letter_to(ALICE)['Reply-To']))}"


@pytest.fixture
def pages(tmp_path: Path, link: str) -> Iterator[Website]:
    with website(tmp_path / "home") as found:
        yield found


def statuses(pages: Website, path: str, source: str, count: int) -> list[int]:
    """Return how a link is answered to a source, some times."""
    return [pages.get(path, x_forwarded_for=source).status for _ in range(count)]


def test_beyond_the_limit_wrong_links_are_turned_away_and_right_ones_work(
    pages: Website, link: str, tmp_path: Path
) -> None:
    assert statuses(pages, WRONG, "192.0.2.1", 2) == [410, 410]
    written = (tmp_path / "home" / "pbm_oust.db-wal").read_bytes()
    beyond = pages.get(WRONG, x_forwarded_for="192.0.2.1")
    assert beyond.status == 429
    assert 0 < int(beyond.headers["retry-after"]) <= 3601
    assert "Too many wrong links" in beyond.text
    assert pages.post(WRONG, "deed=resign", x_forwarded_for="192.0.2.1").status == 429
    assert (tmp_path / "home" / "pbm_oust.db-wal").read_bytes() == written
    assert statuses(pages, link, "192.0.2.1", 1) == [200]


def test_each_source_is_counted_alone(pages: Website) -> None:
    assert statuses(pages, WRONG, "192.0.2.1", 3) == [410, 410, 429]
    assert statuses(pages, WRONG, "192.0.2.2", 1) == [410]
    assert statuses(pages, WRONG, "2001:db8::1", 2) == [410, 410]
    assert statuses(pages, WRONG, "2001:db8::2", 1) == [429]
    assert statuses(pages, WRONG, "2001:db8:0:1::1", 1) == [410]


def test_nobody_escapes_by_naming_other_sources(pages: Website) -> None:
    for number in range(2):
        assert statuses(pages, WRONG, f"203.0.113.{number}, 192.0.2.1", 1) == [410]
    assert statuses(pages, WRONG, "203.0.113.9, 192.0.2.1", 1) == [429]

"""The front page, and what all pages have in common."""

from pathlib import Path

import pytest

from tests.support.home_by_mail import ALICE, BOB, home_of
from tests.support.website import Website, website


@pytest.mark.parametrize("path", ["/", "/nothing"])
def test_every_page_forbids_what_it_does_not_need(path: str, empty: Website) -> None:
    headers = empty.get(path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


def test_style_and_script_are_kept_for_ever_under_names_that_change(empty: Website) -> None:
    page = empty.get("/").text
    (style,) = (each.partition('"')[0] for each in page.split('href="')[1:] if "style.css" in each)
    got = empty.get(style)
    assert got.status == 200
    assert "immutable" in got.headers["cache-control"]
    assert empty.get("/static/0000/style.css").status == 404


def test_the_operator_says_what_the_pages_are_called(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", ALICE)
    home.configuration.write_text('title = "Games & more"\n')
    home.database.close()
    with website(home.path) as pages:
        assert "<title>Boards in play - Games &amp; more</title>" in pages.get("/boards").text
        assert ">Games &amp; more</a>" in pages.get("/").text


def test_a_board_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    mails = (
        (ALICE, "oust challenge alice bob wonderland -size=5"),
        (ALICE, "oust move 1 alice wonderland C3"),
        (ALICE, "oust challenge alice bob wonderland -size=7"),
        (ALICE, "oust move 2 alice wonderland D4"),
    )
    home = home_of(tmp_path / "home", ALICE, BOB, mails=mails)
    home.do(lambda rows: rows.run("UPDATE records SET lines = ? WHERE board = 2", b"?\n"))
    home.database.close()
    with website(home.path) as pages:
        got = pages.get("/")
    assert got.status == 200
    assert "<title>oust 1 after #1</title>" in got.text

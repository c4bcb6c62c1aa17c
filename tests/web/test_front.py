"""The front page, and what all pages have in common."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.support import tables
from tests.support.home_by_mail import ALICE, BOB, CAROL, home_of
from tests.support.website import Website, website

tabled = tables.tabled(__file__)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Pages of a home with two boards, one of them over, and an open challenge."""
    folder = tmp_path_factory.mktemp("web")
    mails = (
        (ALICE, "oust challenge alice bob wonderland -size=5"),
        (ALICE, "oust move 1 alice wonderland C3"),
        (BOB, "churn challenge bob alice lookingglass -size=3"),
        (BOB, "churn move 1 bob lookingglass A1"),
        (ALICE, "churn resign 1 alice wonderland"),
        (CAROL, "oust seek carol rabbithole -size=7"),
    )
    home = home_of(folder / "home", ALICE, BOB, CAROL, mails=mails, at=datetime.now(UTC))
    home.database.close()
    with website(folder / "home") as found:
        yield found


def test_a_browser_that_asks_for_french_gets_french(pages: Website) -> None:
    got = pages.get("/", accept_language="fr-CA,fr;q=0.9,en;q=0.5")
    assert (got.headers["content-language"], got.headers["vary"]) == ("fr", "Accept-Language")
    assert '<html lang="fr">' in got.text
    assert "Parties en cours" in got.text
    assert '<html lang="en">' in pages.get("/", accept_language="de, en;q=0.1, fr;q=0").text


@tabled("path")
@pytest.mark.parametrize(
    "marks", [".", "/", ")", ">", ").", "%3E", "/.", "%E2%80%9D", "%E3%80%81", "&gt;"]
)
def test_a_link_with_what_stands_behind_it_leads_to_its_page(
    marks: str, path: str, pages: Website
) -> None:
    assert pages.get(path).status == 200
    got = pages.get(path + marks)
    assert (got.status, got.headers["location"]) == (307, path)


@pytest.mark.parametrize("marks", [".", "/", ")", ">", ").", "`", "|"])
def test_a_link_with_a_question_leads_to_its_page_too(marks: str, pages: Website) -> None:
    assert pages.get(f"/boards?page=1{marks}").headers["location"] == "/boards?page=1"


def test_a_field_that_was_left_empty_stays_in_the_address(pages: Website) -> None:
    assert pages.get("/history?game=oust&player=").status == 200


@pytest.mark.parametrize("path", ["//example.org.", "///example.org/", "/%5Cexample.org."])
def test_no_link_leads_to_another_host(path: str, pages: Website) -> None:
    assert pages.get(path).headers["location"] == "/example.org"


def test_nothing_is_taken_but_looking(pages: Website) -> None:
    got = pages.get("/", method="POST")
    assert got.status == 405
    assert "GET" in got.headers["allow"]


@pytest.mark.parametrize("path", ["/", "/nothing"])
def test_every_page_forbids_what_it_does_not_need(path: str, pages: Website) -> None:
    headers = pages.get(path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


def test_style_and_script_are_kept_for_ever_under_names_that_change(pages: Website) -> None:
    page = pages.get("/").text
    (style,) = (each.partition('"')[0] for each in page.split('href="')[1:] if "style.css" in each)
    got = pages.get(style)
    assert got.status == 200
    assert "immutable" in got.headers["cache-control"]
    assert pages.get("/static/0000/style.css").status == 404

"""The front page, and what all pages have in common."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from tests.support.home_by_mail import ALICE, BOB, home_of
from tests.support.website import Website, website

STYLE = (files("pbm_oust.web") / "static" / "style.css").read_text()


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


def test_without_a_board_in_play_a_game_is_shown_that_somebody_has_played(empty: Website) -> None:
    page = empty.get("/").text
    assert "An example: no board is in play yet." in page
    assert page.count('data-seen="0-') == 2, "the first stone and its ring"
    assert '<button type="button" id="film"' in page


CHALLENGE = "oust challenge alice bob wonderland -size=5"
PLAYED = (
    (ALICE, "oust move 1 alice wonderland A1"),
    (BOB, "oust move 1 bob lookingglass B1"),
    (ALICE, "oust move 1 alice wonderland A2"),
)
"""A game that the third turn wins."""
LEFT = (
    (ALICE, "oust move {} alice wonderland C3"),
    (BOB, "oust resign {} bob lookingglass"),
)


def test_a_game_that_was_resigned_before_a_capture_is_no_latest_result(tmp_path: Path) -> None:
    mails = [(ALICE, CHALLENGE), *PLAYED, (ALICE, CHALLENGE)]
    mails += [(sender, line.format(2)) for sender, line in LEFT]
    home_of(tmp_path / "home", ALICE, BOB, mails=mails).database.close()
    with website(tmp_path / "home") as pages:
        front, history = pages.get("/").text, pages.get("/history").text
    _, results = front.split("Latest results")
    assert "oust 1" in results
    assert "oust 2" not in results
    assert "oust 2" in history
    assert 'data-seen="2-2"' in front, "the game that was played is shown, stone by stone"


def test_a_game_that_goes_on_is_shown_as_it_is(tmp_path: Path) -> None:
    mails = [(ALICE, CHALLENGE), *PLAYED, (ALICE, CHALLENGE), (ALICE, LEFT[0][1].format(2))]
    home_of(tmp_path / "home", ALICE, BOB, mails=mails).database.close()
    with website(tmp_path / "home") as pages:
        page = pages.get("/").text
    assert "<title>oust 2 after #1</title>" in page
    assert "data-seen" not in page


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


def test_what_is_under_a_pointer_changes_its_colours_and_nothing_moves() -> None:
    rules = re.findall(r"([^{}]*:hover[^{}]*)\{([^}]*)\}", STYLE)
    assert rules
    for chosen, declarations in rules:
        names = {each.partition(":")[0] for each in declarations.split(";")}
        assert names <= {
            "background",
            "fill",
            "fill-opacity",
            "color",
            "cursor",
            "text-decoration",
        }, chosen

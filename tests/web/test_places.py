"""Where exported pages lie."""

import pytest

from pbm_oust.web.export.places import Past, link_to, place_of


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("/", "index.html"),
        ("/boards", "boards.html"),
        ("/oust/17", "oust/17.html"),
        ("/oust/17/12", "oust/17/12.html"),
        ("/oust/17/12.svg", "oust/17/12.svg"),
        ("/oust/17.atom", "oust/17.atom"),
        ("/history?game=oust&player=alice&page=2", "history/game-oust/player-alice/page-2.html"),
        ("/help/change%20password", "help/change password.html"),
        ("/static/0a1b/style.css", "static/0a1b/style.css"),
    ],
)
def test_a_page_lies_at_its_address(address: str, place: str) -> None:
    assert place_of(address) == place


def test_links_lead_from_file_to_file_wherever_both_are_put() -> None:
    assert link_to("boards.html", "index.html") == "boards.html"
    assert link_to("oust/17.html", "oust/17/12.html") == "../../oust/17.html"
    assert link_to("help/change password.html", "help.html") == "help/change%20password.html"


@pytest.mark.parametrize(
    ("past", "there"),
    [(Past.NONE, set[str]()), (Past.SVG, {"", ".svg"}), (Past.PNG, {"", ".svg", ".png"})],
)
def test_past_positions_have_the_files_that_were_asked_for(past: Past, there: set[str]) -> None:
    assert {each for each in ("", ".svg", ".png") if past.has(f"/oust/17/12{each}")} == there
    assert past.has("/oust/17.png")

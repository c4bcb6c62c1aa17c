"""The pictures of the documentation: all there, none too many, small, and what scripts draw."""

import re
import runpy
from pathlib import Path
from typing import Any

from pbm_oust.web.play import turn_of
from tests.support import tables
from tests.support.pages import Page

tabled = tables.tabled(__file__)

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"


def test_every_picture_is_shown_and_every_one_that_is_shown_is_there_and_small() -> None:
    shown = set()
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for path in re.findall(r"(?:!\[[^\]]+\]\(|<img src=\")([^)\"]+)", page.read_text()):
            shown.add((page.parent / path).resolve())
    assert shown == {path.resolve() for path in PICTURES.iterdir()}
    assert max(path.stat().st_size for path in PICTURES.iterdir()) < 60_000


def drawn_by(script: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / script))


@tabled("script", "page", "names")
def test_a_script_draws_all_pictures_that_a_page_shows(script: str, page: str, names: str) -> None:
    shown = re.findall(rf"pictures/({names})\.png", (ROOT / "docs" / page).read_text())
    assert sorted(picture.name for picture in drawn_by(script)["PICTURES"]) == sorted(shown)


def test_a_picture_shows_what_it_is_of() -> None:
    letters, pages = drawn_by("picture_letters"), drawn_by("picture_pages")
    page = Page(letters["page_of"](letters["notice_of"](letters["PICTURES"][0])))
    assert len(page.boards) == 1
    assert page.hrefs[0].startswith("mailto:")
    game = pages["played"]("square 7x7", 14, 2)
    assert not turn_of(game, pages["first_of_chain"](game)).is_whole

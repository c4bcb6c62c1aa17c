"""The pictures of letters in docs/letters.md are those that scripts/picture_letters draws."""

import re
import runpy
from pathlib import Path

from tests.support.pages import Page

ROOT = Path(__file__).parents[2]


def test_the_script_writes_the_letters_of_all_pictures_that_are_shown() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "picture_letters"))
    shown = re.findall(r"pictures/([\w-]+)\.png", (ROOT / "docs" / "letters.md").read_text())
    assert sorted(picture.name for picture in script["PICTURES"]) == sorted(shown)
    page = Page(script["page_of"](script["played"]("square 7x7", 16)))
    assert len(page.boards) == 1
    assert page.taps()

"""The pictures of pages in docs/web.md are those that scripts/picture_pages draws."""

import re
import runpy
from pathlib import Path

from pbm_oust.web.play import turn_of

ROOT = Path(__file__).parents[2]


def test_the_script_draws_all_pictures_that_are_shown() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "picture_pages"))
    shown = re.findall(r"pictures/(page-[\w-]+)\.png", (ROOT / "docs" / "web.md").read_text())
    assert sorted(picture.name for picture in script["PICTURES"]) == sorted(shown)
    game = script["played"]("square 7x7", 14, 2)
    assert not turn_of(game, script["first_of_chain"](game)).is_whole

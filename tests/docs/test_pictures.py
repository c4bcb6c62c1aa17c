"""The pictures of the documentation: all there, none too many, and small."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"


def test_every_picture_is_shown_and_every_one_that_is_shown_is_there() -> None:
    shown = set()
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for path in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text()):
            shown.add((page.parent / path).resolve())
    assert shown == {path.resolve() for path in PICTURES.iterdir()}


def test_pictures_are_small() -> None:
    assert max(path.stat().st_size for path in PICTURES.iterdir()) < 60_000

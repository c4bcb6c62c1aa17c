"""What a person wrote, parted from what mail programs, companies and quotes put around it."""

from pathlib import Path

import pytest

from pbm_oust.mail.reading.own_text import own_text
from tests.support.tables import blocks

FOLDER = Path(__file__).parent
CASES = blocks(FOLDER / "own_text.txt")
"""Texts, and below `=>` what of each is the person's own."""
ATTRIBUTIONS = blocks(FOLDER / "attributions.txt")
"""What stands above the letter that is answered."""
NO_LINES = ("Zoho", "headers", "French headers", "Message du", "a wrapped header")
"""How the names begin of those below which programs never quote by marked lines."""
OWN = "D4\n\nGood luck!"
LETTER = "It is your turn, alice.\n\nAnswer this mail with your move, for example:  E5\n"
MARKED = "".join(f"> {line}\n" for line in LETTER.splitlines())


@pytest.mark.parametrize("name", CASES)
def test_a_text_is_parted_from_what_is_around_it(name: str) -> None:
    given, _, wanted = CASES[name].partition("\n=>")
    assert own_text(given).whole == wanted.removeprefix("\n")


@pytest.mark.parametrize("name", ATTRIBUTIONS)
@pytest.mark.parametrize("letter", [MARKED, LETTER], ids=["marked", "unmarked"])
def test_a_letter_below_the_text_goes_with_what_stands_above_it(letter: str, name: str) -> None:
    if letter == MARKED or "short" not in name:
        own = own_text(f"{OWN}\n\n{ATTRIBUTIONS[name]}\n\n{letter}")
        assert (own.sure, own.unsure) == (OWN, "")


@pytest.mark.parametrize("name", [name for name in ATTRIBUTIONS if not name.startswith(NO_LINES)])
def test_a_marked_letter_above_the_text_goes_with_what_stands_above_it(name: str) -> None:
    assert own_text(f"{ATTRIBUTIONS[name]}\n{MARKED}\n{OWN}\n").sure == OWN

"""What a person wrote, parted from what mail programs, companies and quotes put around it."""

from pathlib import Path

import pytest

from pbm_oust.mail.reading.own_text import own_text
from tests.support import tables
from tests.support.tables import blocks

tabled = tables.tabled(__file__)

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


@tabled("footer")
def test_a_footer_goes_with_its_addresses(footer: str) -> None:
    for below in ("", f"\n{MARKED}"):
        own = own_text(f"{OWN}\n\n{footer}\n{below}")
        assert (own.whole, own.left_out) == (OWN, "")


@tabled("text", "own")
def test_an_address_of_the_senders_own_stays_above_a_footer(text: str, own: str) -> None:
    assert own_text(text).whole == own


def test_a_footer_that_names_nothing_known_is_told() -> None:
    for footer in ("Sent from my happy place", "Sent from Front\nhttps://example.org"):
        own = own_text(f"{OWN}\n\n{footer}\n")
        assert (own.sure, own.left_out) == (OWN, footer.partition("\n")[0])


BOARD = "It is your turn, alice.\n\n  A B C D\n2 . x . .\n1 . . o .\n"
HEADERS = "From: Bob <bob@example.net>\nSent: Friday\nTo: Alice"
SHORT = "This e-mail is confidential."
LONG = f"{SHORT} If you are not the intended recipient, please delete it and tell the sender of it."


@pytest.mark.parametrize(
    ("below", "left_out"),
    [
        (f"{HEADERS}\n\n{BOARD}", ""),
        (f"{HEADERS}\n\nIt is your turn.\n", HEADERS.partition("\n")[0]),
        (f"{LONG}\n", ""),
        (f"{SHORT}\n", SHORT),
    ],
)
def test_how_begins_what_was_left_out_is_kept_unless_it_is_certainly_not_the_senders(
    below: str, left_out: str
) -> None:
    own = own_text(f"{OWN}\n\n{below}")
    assert (own.sure, own.left_out) == (OWN, left_out)

"""Texts that are passed on: what might be a password goes, and ordinary sentences stay."""

from pbm_oust.accounts.password import Secret
from pbm_oust.service.table import without_passwords
from tests.support import tables

tabled = tables.tabled(__file__)


@tabled("text")
def test_a_sentence_that_begins_like_a_command_stays_as_it_is(text: str) -> None:
    assert without_passwords(text) == text


@tabled("text")
def test_a_command_in_a_text_goes_without_what_might_be_its_password(text: str) -> None:
    assert "secretword" not in without_passwords(text)


def test_the_writers_own_password_goes_wherever_it_stands() -> None:
    assert "abcdef" not in without_passwords("it is ABCDEF, abcdef", Secret("abcdef"))


def test_every_command_of_a_line_goes_without_its_password() -> None:
    text = "First oust move 1 alice wonderland D4 and thanks, then oust move 2 bob mirrorglass E5"
    shown = without_passwords(text)
    assert "wonderland" not in shown
    assert "mirrorglass" not in shown


def test_a_text_full_of_misspelt_commands_goes_without_anything_like_a_password() -> None:
    words = (f"oust mo{chr(97 + nth % 26)}ve 1 alice secretword" for nth in range(300))
    assert "secretword" not in without_passwords("\n".join(words))

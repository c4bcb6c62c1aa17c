"""Texts that are passed on: what might be a password goes, and ordinary sentences stay."""

import pytest

from pbm_oust.accounts.password import Secret
from pbm_oust.service.table import without_passwords


@pytest.mark.parametrize(
    "text",
    [
        "I look for somebody to play with.",
        "For tomorrow, everything waits.",
        "I reject everything you propose.",
        "Please note that everything important is said.",
        "I watch everything carefully tomorrow.",
        "Let us limit ourselves to five.",
        "My next move surprises everybody.",
        "I answer next weekend, Saturday or Sunday.",
    ],
)
def test_a_sentence_that_begins_like_a_command_stays_as_it_is(text: str) -> None:
    assert without_passwords(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "I sent oust move 17 alice secretword D4",
        "settings alice secretword mail mine",
        "Take this: oust challenge alice bob secretword -size=5",
        "oust challenge -size=5 alice bob secretword",
        "oust replay 17 9 alice bob secretword",
        "I sent: forget alice secretword really",
        "reject alice secretword bob",
        "note 17 alice secretword",
        "oust watch 17 alice secretword",
        "I wrote sett alice secretword",
        "next alice secretword",
        "> Subject: next alice secretword",
        "I wrote next alice SecretWord again, or next alice secretword1.",
    ],
)
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

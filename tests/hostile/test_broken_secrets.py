"""Tokens and codes in texts that are passed on, as mail programs and clever people break them."""

import pytest

from pbm_oust.accounts.password import Secret
from pbm_oust.service.masking import without_passwords
from tests.support.steps import work_of

TOKEN = "abcdefgh2345ijkl"
SECRETS = {
    "address": f"pbmserv+oust.17.12.alice.{TOKEN}@example.com",
    "Message-ID": f"<oust.17.11.alice.0123456789ab.{TOKEN}@example.com>",
    "address of a code": f"pbmserv+verify.{TOKEN}@example.com",
    "command": f"verify {TOKEN}",
    "bounce address": f"pbmserv+bounces.{TOKEN}@example.com",
}
BREAKS = {
    "space": " ",
    "line end": "\n",
    "quote": "\n> > ",
    "CR LF": "\r\n",
    "no-break space": "\xa0",
    "zero-width space": "\u200b",
    "word joiner": "\u2060",
    "soft hyphen": "\xad",
    "byte order mark": "\ufeff",
}


def left_of(text: str) -> str:
    """Return what letters and digits are left of a text that is passed on."""
    return "".join(filter(str.isalnum, without_passwords(text)))


@pytest.mark.parametrize("broken_at", [-len(TOKEN), -15, -8, -1])
@pytest.mark.parametrize("by", BREAKS.values(), ids=BREAKS)
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_no_token_or_code_is_passed_on(secret: str, by: str, broken_at: int) -> None:
    end = secret.index(TOKEN) + len(TOKEN)
    at = end + broken_at
    text = f"Hello Bob, see {secret[:at]}{by}{secret[at:]} and play."
    assert TOKEN[:8] not in left_of(text)
    assert TOKEN[8:] not in left_of(text)


@pytest.mark.parametrize("by", BREAKS.values(), ids=BREAKS)
def test_a_token_with_a_break_behind_each_letter_is_not_passed_on(by: str) -> None:
    assert TOKEN not in left_of(by.join(SECRETS["address"]))


def test_a_password_that_a_line_end_breaks_is_not_passed_on() -> None:
    assert "land" not in without_passwords("it is wonder\n> land", Secret("wonderland"))


@pytest.mark.parametrize(
    "text",
    [
        "Please verify. Thanks for the game, it was a good one",
        "All letters come back as bounces. Somebody should look",
        "oust.17 is our board, D4 is my move",
    ],
)
def test_sentences_stay_as_they_are(text: str) -> None:
    assert without_passwords(text) == text


@pytest.mark.parametrize(
    "piece", ["oust.17.12.alice.", "verify ", "a b ", "verify.abcdefgh ", "\u200b", "1.1.1."]
)
def test_a_text_twice_as_long_is_twice_the_work(piece: str) -> None:
    once = work_of(lambda: without_passwords(piece * 500)).steps
    twice = work_of(lambda: without_passwords(piece * 1000)).steps
    assert twice < 2.5 * once + 100

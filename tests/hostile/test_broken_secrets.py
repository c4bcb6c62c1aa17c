"""Tokens and codes in texts that are passed on, as mail programs and clever people break them."""

from collections.abc import Callable
from urllib.parse import quote

import pytest

from pbm_oust.accounts.password import Secret
from pbm_oust.service.table import without_passwords
from tests.support import tables
from tests.support.steps import work_of

tabled = tables.tabled(__file__)

TOKEN = "abcdefgh2345ijkl"
SECRETS = {
    "address": f"pbmserv+oust.17.12.alice.{TOKEN}@example.com",
    "Message-ID": f"<oust.17.11.alice.0123456789ab.{TOKEN}@example.com>",
    "address of a code": f"pbmserv+verify.{TOKEN}@example.com",
    "command": f"verify {TOKEN}",
    "bounce address": f"pbmserv+bounces.{TOKEN}@example.com",
}
BREAKS = tables.named(__file__, "breaks")


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


FULL_WIDTH = {each: each + 0xFEE0 for each in range(0x21, 0x7F)}
ENCODED = {
    "URL": lambda text: "".join(f"%{ord(each):02X}" for each in text),
    "URL in small letters": lambda text: "".join(f"%{ord(each):02x}" for each in text),
    "signs of a URL": lambda text: quote(text, safe=""),
    "URL in a URL": lambda text: quote("".join(f"%{ord(each):02X}" for each in text)),
    "quoted-printable": lambda text: "".join(f"={ord(each):02X}" for each in text),
    "broken quoted-printable": lambda text: "=\r\n".join((text[:-9], text[-9:])),
    "HTML": lambda text: "".join(f"&#{ord(each)};" for each in text),
    "full width": lambda text: text.translate(FULL_WIDTH),
    "full width in a URL": lambda text: quote(text.translate(FULL_WIDTH)),
    "bold": lambda text: text.translate({each: each + 0x1D3B9 for each in range(97, 123)}),
}


@pytest.mark.parametrize("encoded", ENCODED.values(), ids=ENCODED)
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_no_token_is_passed_on_in_another_spelling(
    secret: str, encoded: Callable[[str], str]
) -> None:
    at = secret.index(TOKEN)
    for text in (encoded(secret), secret[:at] + encoded(TOKEN) + secret[at + len(TOKEN) :]):
        assert "****" in without_passwords(f"Hello Bob, see {text} and play.")


@pytest.mark.parametrize("sign", ["=2", "%", "&amp;", "100% = 5 & more;", "\uff21"])
def test_signs_of_other_spellings_stay_as_they_are(sign: str) -> None:
    assert without_passwords(f"It is {sign} here") == f"It is {sign} here"


@pytest.mark.parametrize("broken", ["\n", "\r\n", "\n> ", "\n\n", "\n > > "])
@tabled("line")
def test_a_password_of_a_command_that_line_ends_break_is_not_passed_on(
    line: str, broken: str
) -> None:
    words = line.split()
    for at in range(1, len(words)):
        text = f"D4\n{' '.join(words[:at])}{broken}{' '.join(words[at:])}\nGood luck, Bob."
        shown = without_passwords(text)
        assert "wonderland" not in shown
        assert shown.startswith("D4\n")
        assert shown.endswith("\nGood luck, Bob.")


def test_a_password_that_a_line_end_breaks_is_not_passed_on() -> None:
    assert "land" not in without_passwords("it is wonder\n> land", Secret("wonderland"))


@tabled("text")
def test_sentences_stay_as_they_are(text: str) -> None:
    assert without_passwords(text) == text


@pytest.mark.parametrize(
    "piece", ["oust.17.12.alice.", "verify ", "a b ", "verify.abcdefgh ", "\u200b", "1.1.1."]
)
def test_a_text_twice_as_long_is_twice_the_work(piece: str) -> None:
    once = work_of(lambda: without_passwords(piece * 500)).steps
    twice = work_of(lambda: without_passwords(piece * 1000)).steps
    assert twice < 2.5 * once + 100

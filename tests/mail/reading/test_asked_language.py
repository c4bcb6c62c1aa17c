"""The language in which a mail asks to be answered, and the language of letters."""

from email import message_from_bytes
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.settings import values_of
from pbm_oust.languages import LANGUAGES, language_named
from pbm_oust.mail.reading.headers import language_asked, raw_headers


def asked(*headers: str) -> str:
    mail = "\n".join((*headers, "", "hello")).encode()
    return str(language_asked(raw_headers(message_from_bytes(mail))))


@pytest.mark.parametrize(
    "value",
    ["fr", "FR", "fr-CA", "fr-FR, en", "tlh, fr;q=0.8, en;q=0.5", "en;q=0.4, fr-BE;q=0.9", "*, fr",
     " fr ; q=1 ", "en;q=0, fr;q=0.001", "fr,\n en"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["Accept-Language", "Content-Language", "ACCEPT-language"])
def test_french_is_asked_for(name: str, value: str) -> None:
    assert asked(f"{name}: {value}") == "fr"


@pytest.mark.parametrize(
    "value",
    ["en", "en-US, fr;q=0.9", "tlh", "", "fr;q=0", "frisian", "fr;q=high", "\u00e9", "x" * 900],
)
@pytest.mark.parametrize("name", ["Accept-Language", "Content-Language"])
def test_english_is_what_is_answered_otherwise(name: str, value: str) -> None:
    assert asked(f"{name}: {value}") == "en"


def test_what_somebody_likes_to_read_goes_before_what_he_writes() -> None:
    assert asked("Accept-Language: en", "Content-Language: fr") == "en"
    assert asked("Accept-Language: tlh", "Content-Language: fr") == "fr"


@given(st.binary(max_size=300))
def test_no_header_is_too_odd(value: bytes) -> None:
    raw = b"Accept-Language: " + value.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n\nhello"
    assert language_asked(raw_headers(message_from_bytes(raw))) in LANGUAGES.values()


def test_a_language_has_several_names_and_one_that_is_none_is_named_with_those_there_are() -> None:
    assert [language_named(word).code for word in ("fr", "francais", "french")] == ["fr"] * 3
    with pytest.raises(ValueError, match=f"of {', '.join(LANGUAGES)}"):
        language_named("tlh")


def test_languages_are_the_folders_there_are() -> None:
    folder = Path(__file__).parents[3] / "pbm_oust" / "languages"
    assert set(LANGUAGES) == {path.parent.name for path in folder.glob("*/language.toml")}
    assert values_of("language") == tuple(LANGUAGES)

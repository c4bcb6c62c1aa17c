"""Subjects: decoded, made one line, and freed of what mail programs put in front."""

import pytest

from pbm_oust.mail.reading import read_mail
from pbm_oust.mail.reading.phrases import without_prefixes
from tests.support.mails import FROM, mail


def subject(value: str | bytes) -> str:
    raw = value.encode() if isinstance(value, str) else value
    (found,) = read_mail(mail(FROM, b"Subject: " + raw)).subjects
    return found


@pytest.mark.parametrize(
    "value",
    [
        "=?utf-8?q?oust_show_J=C3=BCrgen?=",
        "=?UTF-8?B?b3VzdCBzaG93IErDvHJnZW4=?=",
        "=?iso-8859-1?q?oust_show_J=FCrgen?=",
        "=?windows-1252?Q?oust_show_J=FCrgen?=",
        "=?cp437?q?oust_show_J=81rgen?=",
        "oust =?utf-8?q?show_J=C3=BCrgen?=",
        "=?utf-8?q?oust_sh?= =?utf-8?q?ow_J=C3=BCrgen?=",
        "=?utf-8?q?oust_sh?=\r\n =?iso-8859-1?q?ow_J=FCrgen?=",
        "=?utf-8?q?oust?= show =?utf-8?q?J=C3=BCrgen?=",
        "oust show J\u00fcrgen",
    ],
)
def test_encoded_words_are_decoded(value: str) -> None:
    assert subject(value) == "oust show J\u00fcrgen"


@pytest.mark.parametrize(
    ("value", "decoded"),
    [
        ("=?koi8-r?q?=C8=CF=C4?=", "\u0445\u043e\u0434"),
        ("=?iso-2022-jp?b?GyRCPCobKEI=?=", "\u8033"),
        ("=?gb2312?b?xuU=?=", "\u68cb"),
    ],
)
def test_encoded_words_of_far_charsets_are_decoded(value: str, decoded: str) -> None:
    assert subject(value) == decoded


def test_an_encoded_word_glued_to_a_tag_is_decoded() -> None:
    assert subject("[players]=?utf-8?q?oust_show_17?=") == "oust show 17"


@pytest.mark.parametrize(
    "value",
    ["oust\r\n show 17", "oust\r\n\tshow  17", "oust   show\r\n    17", "oust show 17\r\n "],
)
def test_a_folded_subject_is_one_line_with_single_spaces(value: str) -> None:
    assert subject(value) == "oust show 17"


@pytest.mark.parametrize("newline", ["=0D=0A", "=0A", "=0D", "=0A=20"])
def test_an_encoded_newline_in_a_subject_becomes_a_space(newline: str) -> None:
    assert subject(f"=?utf-8?q?oust{newline}show_17?=") == "oust show 17"


def test_a_byte_without_a_charset_becomes_the_replacement_character() -> None:
    assert subject(b"oust show J\xfcrgen") == "oust show J\ufffdrgen"


@pytest.mark.parametrize("word", ["q?oust_show_17?=", "B?b3VzdCBzaG93IDE3?="])
@pytest.mark.parametrize("charset", ["no-such-charset", "x-unknown", "unknown-8bit"])
def test_an_unknown_charset_does_not_lose_the_subject(charset: str, word: str) -> None:
    assert subject(f"=?{charset}?{word}") == "oust show 17"


@pytest.mark.parametrize(
    "value", ["=?utf-8?b?b3V?= help", "=?utf-8?b?=?=", "=?utf-8?x?a?= help", "=?idna?q?a?="]
)
def test_a_broken_encoded_word_does_not_lose_the_mail(value: str) -> None:
    assert read_mail(mail(FROM, f"Subject: {value}")).text == "hello"


@pytest.mark.parametrize(
    "value",
    ["=?utf-7?q?oust_+2AA-?=", "=?utf-8?q?oust?= \\ud800", "=?unicode_escape?q?oust_=5Cud800?="],
)
def test_a_character_that_cannot_be_written_does_not_lose_the_mail(value: str) -> None:
    assert subject(value).encode().startswith(b"oust ")


def test_two_subjects_are_both_read() -> None:
    read = read_mail(mail(FROM, "Subject: help", "Subject: Re: oust games"))
    assert read.subjects == ("help", "oust games")


def test_a_mail_without_a_subject_has_none() -> None:
    assert read_mail(mail(FROM)).subjects == ()


@pytest.mark.parametrize(
    "prefix",
    [
        "Re: ", "RE:", "re : ", "Re[2]: ", "Re*2: ", "RE(3): ", "Aw: ", "AW: SV: Re: ", "Antw: ",
        "WG: ", "VS: ", "Fwd: ", "Re\uff1a", "[players] ", "[SUSPECTED SPAM] ", "***SPAM*** ",
        "*****SPAM***** Re: [players] AW: ",
    ],
)  # fmt: skip
def test_prefixes_and_tags_in_front_are_taken_off(prefix: str) -> None:
    assert without_prefixes(f"{prefix}oust show 17") == "oust show 17"


@pytest.mark.parametrize(
    "text",
    ["oust show Re: 17", "oust: show 17", "reoust show 17", "xy: help", "[", "oust [17] Re: 3"],
)
def test_nothing_else_is_taken_off(text: str) -> None:
    assert without_prefixes(text) == text

"""Mail read from its bytes, clean and dirty."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbm_oust.mail.reading import UnreadableMail, read_mail
from pbm_oust.mail.reading.mail import LONGEST_CHAT
from tests.support import tables
from tests.support.mails import FROM, mail
from tests.support.rings import examples
from tests.support.tables import pairs

tabled = tables.tabled(__file__)

FOLDER = Path(__file__).parent


def identity(*headers: str, text: str = "hello\r\n") -> str:
    return read_mail(mail(*headers, text=text)).identity


# The sender


@pytest.mark.parametrize(("value", "sender"), pairs(FOLDER / "senders.txt"))
def test_the_sender_is_the_first_address_in_from(value: str, sender: str) -> None:
    assert read_mail(mail(f"From: {value}")).sender == sender


@pytest.mark.parametrize("address", ["", '"taro..y."@docomo.example', '"a@b,c;d:(e)"@example.org'])
def test_the_sender_of_a_mail_without_from_is_that_of_its_envelope(address: str) -> None:
    assert read_mail(mail("Subject: help"), address).sender == address


# Subjects


@pytest.mark.parametrize(("given", "wanted"), pairs(FOLDER / "subjects.txt"))
def test_a_subject_is_read(given: str, wanted: str) -> None:
    assert read_mail(mail(FROM, f"Subject: {given}")).subjects == (wanted,)


@tabled("value")
def test_a_broken_encoded_word_does_not_lose_the_mail(value: str) -> None:
    assert read_mail(mail(FROM, f"Subject: {value}")).text == "hello"


@tabled("value")
def test_a_character_that_cannot_be_written_does_not_lose_the_mail(value: str) -> None:
    (subject,) = read_mail(mail(FROM, f"Subject: {value}")).subjects
    assert subject.encode().startswith(b"oust ")


def test_two_subjects_are_both_read_and_none_is_missed() -> None:
    read = read_mail(mail(FROM, "Subject: help", "Subject: Re: oust games"))
    assert read.subjects == ("help", "oust games")
    assert read_mail(mail(FROM)).subjects == ()


# Identity


@pytest.mark.parametrize("message_id", ["<1@example.org>", "<>", "", "no brackets"])
def test_the_same_mail_is_known_again_and_another_text_is_another_mail(message_id: str) -> None:
    identified = f"Message-ID: {message_id}"
    headers = (FROM, "Subject: help", "Date: Fri, 20 Nov 2026 15:36:00 +0000", identified)
    plain = identity(*headers)
    assert plain == identity("Received: from a by b", "X-Spam: no", *headers)
    encoded = "Content-Transfer-Encoding: quoted-printable"
    assert plain == identity(*headers, encoded, text="hel=\r\nlo\r\n")
    subjects = {identity(FROM, identified, f"Subject: oust games {n}") for n in range(3)}
    texts = {identity(FROM, identified, text=f"{n}\r\n") for n in range(3)}
    assert len(subjects | texts) == 6


@tabled("header", "number", number=int)
def test_dates_tell_mails_apart_only_without_a_message_id(header: str, number: int) -> None:
    dates = [f"Fri, 20 Nov 2026 15:3{n}:00 +0000" for n in range(3)]
    found = {identity(FROM, header, f"Date: {date}", f"Resent-Date: {date}") for date in dates}
    assert len(found) == number


STRANGE_IDS = ("no brackets", "<a b@c>", "<\u00e9@b.c>", "<a>\r\n <b>", "<a><b>")


@pytest.mark.parametrize("value", ["<[x@microsoft.com]>", *STRANGE_IDS])
def test_a_strange_message_id_tells_mails_apart(value: str) -> None:
    ids = {identity(FROM, f"Message-ID: {each}") for each in (value, f"{value}2", "")}
    assert len(ids) == 3


@pytest.mark.parametrize("value", ["", "<>", "<" + "x" * 251 + ">", *STRANGE_IDS])
def test_a_message_id_that_could_not_be_answered_to_is_not_given(value: str) -> None:
    assert read_mail(mail(FROM, f"Message-ID: {value}")).message_id == ""


# Dirt


@tabled("header")
def test_dirt_in_one_header_loses_neither_subject_nor_text(header: str) -> None:
    read = read_mail(mail("Subject: help", FROM, header))
    assert read.subjects == ("help",)
    assert "hello" in read.text


def test_a_long_text_is_cut() -> None:
    assert len(read_mail(mail(FROM, text="word " * LONGEST_CHAT)).text) <= LONGEST_CHAT


ENCODED = st.from_regex(rb"\A=\?[a-z0-9-]{0,12}\?[qQbBx]\?[!->@-~]{0,30}\?=\Z")
DIRT = st.lists(
    st.sampled_from(
        b"From:|Subject:|To:|Message-ID:|Content-Type:|multipart/mixed;|boundary=b|--b|--b--|"
        b'text/plain|message/rfc822|\r\n|\r\n\r\n| |<|>|@|a|(|"|\\|,|:|;|=|*|charset=|utf-7|'
        b"+2AA-|\xff|\x00|\xc3\xa9|Content-Transfer-Encoding:|base64|quoted-printable|=\xe9|"
        b"x-uuencode|begin 6 x|On x wrote:|Content-Disposition:|attachment|\\ud800".split(b"|")
    )
    | ENCODED,
    max_size=40,
).map(b"".join)


@given(st.binary(max_size=300) | DIRT)
@example(b"")
@example(b"\r\n")
@example(b"\x00")
@examples(300)
def test_bytes_of_any_kind_are_read_or_refused_as_unreadable(data: bytes) -> None:
    try:
        read = read_mail(data)
    except UnreadableMail:
        return
    "".join((read.sender, *read.subjects, read.text, read.identity)).encode()

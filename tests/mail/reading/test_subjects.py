"""Subjects: decoded, made one line, and freed of what mail programs put in front."""

from pathlib import Path

import pytest

from pbm_oust.mail.reading import read_mail
from tests.support.cases import pairs
from tests.support.mails import FROM, mail


@pytest.mark.parametrize(("given", "wanted"), pairs(Path(__file__).with_name("subjects.txt")))
def test_a_subject_is_read(given: str, wanted: str) -> None:
    assert read_mail(mail(FROM, f"Subject: {given}")).subjects == (wanted,)


@pytest.mark.parametrize(
    "value",
    ["=?utf-8?b?b3V?= help", "=?utf-8?b?=?=", "=?utf-8?x?a?= help", "=?idna?q?a?="],
)
def test_a_broken_encoded_word_does_not_lose_the_mail(value: str) -> None:
    assert read_mail(mail(FROM, f"Subject: {value}")).text == "hello"


@pytest.mark.parametrize(
    "value",
    ["=?utf-7?q?oust_+2AA-?=", "=?utf-8?q?oust?= \\ud800", "=?unicode_escape?q?oust_=5Cud800?="],
)
def test_a_character_that_cannot_be_written_does_not_lose_the_mail(value: str) -> None:
    (subject,) = read_mail(mail(FROM, f"Subject: {value}")).subjects
    assert subject.encode().startswith(b"oust ")


def test_two_subjects_are_both_read_and_none_is_missed() -> None:
    read = read_mail(mail(FROM, "Subject: help", "Subject: Re: oust games"))
    assert read.subjects == ("help", "oust games")
    assert read_mail(mail(FROM)).subjects == ()

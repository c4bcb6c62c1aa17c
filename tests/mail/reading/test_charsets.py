"""Charsets by the names that mails give them, in texts and in headers."""

import base64

import pytest
from webencodings.labels import LABELS

from pbm_oust.mail.reading import read_mail
from pbm_oust.mail.reading.charsets import decoded
from tests.support import tables
from tests.support.mails import FROM, mail

tabled = tables.tabled(__file__)
NOT_OF_MAIL = ("replacement", "x-user-defined", "iso-2022-cn", "iso-2022-cn-ext")


@tabled("codec", "text", "labels")
def test_a_charset_is_known_by_each_of_its_names(codec: str, text: str, labels: str) -> None:
    data = text.encode(codec)
    for label in labels.split():
        assert decoded(data, label) == text, label


@pytest.mark.parametrize("label", sorted(LABELS.keys() - NOT_OF_MAIL))
def test_every_name_of_the_encoding_standard_is_known(label: str) -> None:
    data = "D4, \u00e9".encode(_codec_of(label), "replace")
    assert decoded(data, label).startswith("D4, ")


def _codec_of(label: str) -> str:
    return {"utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}.get(LABELS[label], "ascii")


@pytest.mark.parametrize("label", ["cp-1252", "windows1252", "ansi", "x-cp1252"])
def test_it_is_known_in_a_text_and_in_a_header_alike(label: str) -> None:
    read = read_mail(
        mail(
            FROM,
            f"Subject: =?{label}?Q?D=E9j=E0_=80?=",
            f"Content-Type: text/plain; charset={label}",
            text=b"D\xe9j\xe0 \x80",
        )
    )
    assert (read.subjects, read.text) == (("D\u00e9j\u00e0 \u20ac",), "D\u00e9j\u00e0 \u20ac")
    word = base64.b64encode(b"D\xe9j\xe0").decode()
    assert read_mail(mail(FROM, f"Subject: =?{label}?b?{word}?=")).subjects == ("D\u00e9j\u00e0",)


@tabled("label", "data", "text")
def test_bytes_that_fit_no_charset_are_read_as_what_they_may_be(
    label: str, data: str, text: str
) -> None:
    assert decoded(data.encode("latin-1"), label) == text


@tabled("label", "data", "text")
def test_what_cannot_be_read_is_marked_and_the_rest_is_kept(
    label: str, data: str, text: str
) -> None:
    assert decoded(data.encode("latin-1"), label) == text

"""The text of a mail among its parts, and mails that would cost too much to read."""

import pytest

from pbm_oust.mail.reading import read_mail
from tests.support import tables
from tests.support.mails import FROM, in_parts, mail

tabled = tables.tabled(__file__)

PLAIN = "Content-Type: text/plain; charset=utf-8\r\n\r\nhello"
HTML = "Content-Type: text/html\r\n\r\n<p>dear <b>friend</b></p>"
NOTES = "Content-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\nnotes"


def text_of(*contents: str, kind: str = "mixed") -> str:
    return read_mail(in_parts(*contents, kind=kind)).text


# Parts


def test_a_part_without_headers_is_read() -> None:
    assert text_of("\r\nhello", NOTES) == "hello"


@tabled("content", "is_closed", is_closed=bool)
def test_a_text_is_called_closed_where_there_may_be_one_that_cannot_be_read(
    content: str, is_closed: bool
) -> None:
    assert read_mail(in_parts(content)).is_text_closed is is_closed


# Encodings


def test_characters_that_steer_terminals_are_dropped() -> None:
    assert read_mail(mail(FROM, text="a\x1b[2Jb\x07\tc\x9bd\x7f")).text == "a[2Jb\tcd"


# Phones

TYPED = "Content-Type: text/plain; name={0}\r\nContent-Disposition: {1}; filename={0}\r\n\r\n{2}"
PICTURE = "Content-Type: image/jpeg\r\nContent-Disposition: attachment\r\n\r\nx"


@pytest.mark.parametrize(
    "name", ["text_0.txt", "text0.txt", '"null_1_0.txt"', "MMS-1.TXT", "a.txt", '"my text.txt"']
)
@pytest.mark.parametrize("disposition", ["attachment", "ATTACHMENT", "inline"])
@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream"])
def test_what_was_typed_on_a_phone_is_read_though_it_is_attached(
    kind: str, name: str, disposition: str
) -> None:
    typed = TYPED.format(name, disposition, "C3").replace("text/plain", kind)
    assert text_of(PICTURE, typed) == "C3"
    assert text_of("Content-Type: text/plain\r\n\r\n \r\n", typed) == "C3"


def test_a_file_of_an_open_type_is_no_text_unless_its_name_says_so() -> None:
    typed = TYPED.format("game.sgf", "attachment", "C3")
    assert text_of(typed.replace("text/plain", "application/octet-stream")) == ""


def test_what_was_typed_on_a_phone_is_read_beside_a_page_of_its_gateway() -> None:
    page = "Content-Type: text/html\r\n\r\n<p>Sent by PhoneCo</p>"
    assert text_of(page, TYPED.format("text_0.txt", "attachment", "C3")) == "C3"
    assert text_of(page, TYPED.format("notes.txt", "attachment", "C3")) == "Sent by PhoneCo"


def test_all_that_was_typed_on_a_phone_is_read() -> None:
    typed = [TYPED.format(f"text_{nth}.txt", "attachment", text) for nth, text in enumerate("ab")]
    assert text_of(PICTURE, *typed) == "a\n\nb"


def test_a_text_on_both_sides_of_a_picture_is_read() -> None:
    assert text_of(PLAIN, PICTURE, PLAIN, NOTES) == "hello\n\nhello"
    assert text_of(HTML, PICTURE, HTML) == "dear friend\n\ndear friend"

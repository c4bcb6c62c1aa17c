"""The text of a mail among its parts, and mails that would cost too much to read."""

import pytest

from pbm_oust.mail.reading import read_mail
from tests.support import tables
from tests.support.mails import FROM, in_parts, mail, parts

tabled = tables.tabled(__file__)

PLAIN = "Content-Type: text/plain; charset=utf-8\r\n\r\nhello"
HTML = "Content-Type: text/html\r\n\r\n<p>dear <b>friend</b></p>"
UTF8 = "Content-Type: text/plain; charset=utf-8"
UTF8_HTML = "Content-Type: text/html; charset=utf-8"
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


# Several forms of one text


@tabled("plain")
def test_a_text_that_says_nothing_gives_way_to_the_html_beside_it(plain: str) -> None:
    for html in ("<p>E5</p>", "<p>E5</p><blockquote>It is your turn on board 1.</blockquote>"):
        forms = (f"{UTF8}\r\n\r\n{plain}", f"{UTF8_HTML}\r\n\r\n{html}")
        assert text_of(*forms, kind="alternative").strip() == "E5"
    assert text_of(forms[0], kind="alternative") == (plain if plain.strip("\u00a0\u200b") else "")


@tabled("plain", "html")
def test_a_text_that_says_what_the_html_says_is_read(plain: str, html: str) -> None:
    forms = (f"{UTF8_HTML}\r\n\r\n{html}", f"{UTF8}\r\n\r\n{plain}")
    assert text_of(*forms, kind="alternative") == "D4"


def test_a_footer_beside_several_forms_does_not_take_their_place() -> None:
    header, forms = parts(f"{UTF8}\r\n\r\nHTML only", HTML, kind="alternative")
    footer = f"{UTF8}\r\n\r\n________________\r\nplayers mailing list, https://lists.example.org"
    assert text_of(f"{header}\r\n\r\n{forms}", footer) == "dear friend"


# Types


@tabled("kind")
def test_a_body_that_consists_of_letters_is_a_text_whatever_its_type_is_called(kind: str) -> None:
    read = read_mail(mail(FROM, f"Content-Type: {kind}", text="D4\r\n\r\nA *quiet* move.\r\n"))
    assert read.text == "D4\n\nA *quiet* move."


@tabled("kind")
def test_what_is_known_to_be_something_else_is_no_text(kind: str) -> None:
    assert read_mail(mail(FROM, f"Content-Type: {kind}", text="D4\r\n")).text == ""
    assert text_of(PLAIN, f"Content-Type: {kind}\r\n\r\nD4") == "hello"


def test_a_body_of_bytes_is_no_text() -> None:
    kind = "Content-Type: application/octet-stream"
    for text in (b"\x01D4", b"D4 \xf0\xf1\xf2\xf3\xf4"):
        assert read_mail(mail(FROM, kind, text=text)).text == ""


def test_a_page_of_an_open_type_is_read_without_its_marks() -> None:
    kind = "Content-Type: application/octet-stream"
    assert read_mail(mail(FROM, kind, text="<html><p>D4</p></html>")).text == "D4"


@tabled("kind", "text", "read")
def test_a_text_with_marks_is_read_without_them(kind: str, text: str, read: str) -> None:
    assert read_mail(mail(FROM, f"Content-Type: text/{kind}", text=text)).text == read


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
    page = "Content-Type: text/html\r\n\r\n<p>A message through PhoneCo</p>"
    assert text_of(page, TYPED.format("text_0.txt", "attachment", "C3")) == "C3"
    assert (
        text_of(page, TYPED.format("notes.txt", "attachment", "C3")) == "A message through PhoneCo"
    )


def test_all_that_was_typed_on_a_phone_is_read() -> None:
    typed = [TYPED.format(f"text_{nth}.txt", "attachment", text) for nth, text in enumerate("ab")]
    assert text_of(PICTURE, *typed) == "a\n\nb"


def test_a_text_on_both_sides_of_a_picture_is_read() -> None:
    assert text_of(PLAIN, PICTURE, PLAIN, NOTES) == "hello\n\nhello"
    assert text_of(HTML, PICTURE, HTML) == "dear friend\n\ndear friend"

"""Header fields and bodies of letters, beside what Python's email package makes of the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.letters.body import Part, body, field, file_part, part, text_field
from pbm_oust.render.visible import visible_letter, visible_line
from tests.support.emails import contents, joined, read, written

chat = st.lists(
    st.text().map(visible_letter)
    | st.sampled_from([".", "..", "From here", "--=_b", "=3D", "tab\t", "end ", "x" * 2_000, "é."]),
    max_size=8,
).map(lambda lines: "\n".join(line.replace("\r", "") for line in lines) + "\n")
FIELDS = [("Subject", "any")]


def letter(*parts: Part) -> bytes:
    return ("Subject: any\n" + body(parts, "en", "=_boundary")).encode()


def is_readable(text: str) -> bool:
    """Return whether a text is sent as it is or in quoted-printable, which leaves ASCII alone."""
    return "base64" not in part(text, "plain").fields


@given(chat)
def test_a_text_comes_back_as_it_was_in_lines_that_mail_may_have(text: str) -> None:
    data = letter(part(text, "plain"))
    assert contents(read(data)) == [text]
    assert data.isascii()
    assert max(map(len, data.split(b"\n"))) <= 900


@given(chat.filter(is_readable))
def test_a_text_alone_is_what_the_email_package_writes(text: str) -> None:
    data = letter(part(text, "plain"))
    assert joined(data) == joined(written(FIELDS, [text], "en"))


@given(chat.filter(is_readable), chat.map(ascii))
def test_both_parts_are_what_the_email_package_writes(text: str, page: str) -> None:
    data = letter(part(text, "plain"), part(f"{page}\n", "html"))
    usual = written(FIELDS, [text, f"{page}\n"], "en", "=_boundary")
    assert contents(read(data)) == contents(read(usual))
    assert [each.items() for each in read(data).walk()] == [
        each.items() for each in read(usual).walk()
    ]
    assert joined(data) == joined(usual)


@given(chat)
def test_bytes_are_counted_as_they_are_sent(text: str) -> None:
    alone = part(text, "plain")
    sent = f"{alone.fields}\n{alone.encoded}".replace("\n", "\r\n")
    assert alone.size == len(sent)


@given(chat, st.binary(max_size=300), st.binary(max_size=300))
def test_what_is_attached_comes_back_as_it_was(text: str, one: bytes, other: bytes) -> None:
    files = (file_part("oust-1.txt.gz", one), file_part("oust-1.sgf.gz", other))
    data = ("Subject: any\n" + body((part(text, "plain"),), "en", "=_b", files)).encode()
    said, *attached = read(data).iter_parts()
    assert said.get_content() == text
    assert [each.get_content() for each in attached] == [one, other]
    assert [each.get_filename() for each in attached] == ["oust-1.txt.gz", "oust-1.sgf.gz"]
    assert not any(each.defects for each in read(data).walk())


# Header fields


anything = st.text() | st.text(st.sampled_from("=?utf-8?q?a?= é\n\r:\ud800\t"), max_size=90)
WORDS = "one two three " * 90


def parsed(line: str, name: str = "Subject") -> str:
    return str(read(line.encode() + b"\nbody\n")[name])


@given(anything)
def test_whatever_a_text_holds_it_is_one_field_and_comes_back(text: str) -> None:
    line = text_field("Subject", text)
    assert line.isascii()
    assert list(read(line.encode() + b"\n").keys()) == ["Subject"]
    assert parsed(line) == visible_line(text)


@given(anything)
def test_no_value_begins_another_field(value: str) -> None:
    line = field("X-Loop", value)
    assert line.removeprefix("X-Loop: ").splitlines() == [visible_line(value)]
    assert line.endswith("\n")


@pytest.mark.parametrize("text", ["é" * 400, WORDS, "x" * 2_000, "\U0001f600 " * 300])
def test_a_long_text_is_encoded_words_in_short_lines(text: str) -> None:
    line = text_field("Subject", text)
    assert max(map(len, line.split("\n"))) <= 76
    assert parsed(line) == text


def test_a_text_is_as_it_was_written_where_it_can_be() -> None:
    assert text_field("Subject", "oust 1 #2: your turn, bob") == (
        "Subject: oust 1 #2: your turn, bob\n"
    )
    assert text_field("Subject", "à vous", is_utf8=True) == "Subject: à vous\n"
    assert text_field("Subject", "à vous") == "Subject: =?utf-8?b?w6Agdm91cw==?=\n"


def test_a_message_id_is_neither_folded_nor_encoded() -> None:
    for message_id in (f"<{'x' * 250}>", "<=?utf-8?q?a?=@example.org>"):
        assert field("References", message_id) == f"References: {message_id}\n"

"""The bodies of letters, compared with what Python's email package makes of the same parts."""

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.letters.body import Part, body, file_part, part
from pbm_oust.render.visible import visible_letter
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

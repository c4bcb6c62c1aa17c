"""Header fields: whatever they hold comes back, in lines that mail may have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.letters.body import field, text_field
from pbm_oust.render.visible import visible_line
from tests.support.emails import read

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

"""A message is the same in whatever blocks it arrives, and ends at one place only."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.reading.limits import MOST_LINES
from pbm_oust.mail.wire import LONGEST_LINE, Content, Excess

END = b"\r\n.\r\n"
PIECES = [b"\r\n", b".", b"\r", b"\n", b"..", b"x", END, b"\r\n..\r\n", b"\n.\n", b"\r.\r"]


def arriving(data: bytes, sizes: list[int]) -> tuple[Content, bytes]:
    """Return a message that arrives in blocks of these sizes in turn, and what is left over."""
    content, begin, turn = Content(), 0, 0
    while begin < len(data) and not content.is_over:
        block = data[begin : begin + sizes[turn % len(sizes)]]
        begin, turn = begin + len(block), turn + 1
        left = content.take(block)
        begin -= len(left)
    return content, data[begin:]


def as_defined(data: bytes) -> tuple[bytes, bytes] | None:
    """Return the message and what follows it, line by line as RFC 5321 has it, if it ends."""
    lines: list[bytes] = []
    begin = 0
    for line in re.finditer(rb".*?\r\n", data, re.DOTALL):
        begin = line.end()
        if line[0] == b".\r\n":
            return b"".join(lines), data[begin:]
        lines.append(line[0].removeprefix(b"."))
    return None


@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join),
    st.lists(st.integers(1, 7), min_size=1, max_size=5),
)
def test_blocks_make_no_difference(data: bytes, sizes: list[int]) -> None:
    content, rest = arriving(data, sizes)
    found = (content.bytes(), rest) if content.is_over else None
    assert found == as_defined(data)


def test_a_dot_that_was_added_to_a_line_is_taken_away() -> None:
    content, _ = arriving(b"..\r\n..x\r\n.x\r\nx.\r\n.\r\n", [1000])
    assert content.bytes() == b".\r\n.x\r\nx\r\nx.\r\n"


HEADER = b"Subject: x\r\n"
LINE = b"x" * 98 + b"\r\n"
REFUSED = {
    Excess.LONG_LINE: HEADER + b"\r\n" + b"x" * (LONGEST_LINE - 1) + b"\r\n",
    Excess.MUCH_DATA: HEADER + b"\r\n" + b"x" * 498 + b"\r\n" + LINE * (LARGEST_MAIL // 100 - 4),
    Excess.MANY_LINES: HEADER + b"\r\n" * MOST_LINES,
}
ALLOWED = {
    "long line": HEADER + b"\r\n" + b"x" * (LONGEST_LINE - 2) + b"\r\n",
    "lines": HEADER + b"\r\n" * (MOST_LINES - 1),
    "headers": (b"X-Filter: " + b"y" * 490 + b"\r\n") * 500 + b"\r\nx\r\n",
}


def sizes_of(seed: int) -> list[int]:
    random = Random(seed)
    return [random.choice((1, 2, 3, 500, 9000, 65536)) for _ in range(9)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("excess", REFUSED)
def test_what_is_too_much_is_refused_at_its_end_and_not_kept(excess: Excess, seed: int) -> None:
    content, rest = arriving(REFUSED[excess] + b".\r\nNOOP\r\n", sizes_of(seed))
    assert content.excess == excess
    assert content.is_over
    assert rest == b"NOOP\r\n"
    assert len(content.bytes()) < len(END)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("allowed", ALLOWED)
def test_what_is_just_within_a_limit_is_taken(allowed: str, seed: int) -> None:
    content, _ = arriving(ALLOWED[allowed] + b".\r\n", sizes_of(seed))
    assert not content.excess
    assert content.bytes() == ALLOWED[allowed]


@pytest.mark.parametrize("seed", range(5))
def test_a_line_without_an_end_is_not_kept(seed: int) -> None:
    content, _ = arriving(b"x" * 20 * LONGEST_LINE, sizes_of(seed))
    assert content.excess == Excess.LONG_LINE
    assert not content.is_over
    assert len(content.bytes()) < len(END)

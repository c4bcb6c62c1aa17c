"""What is kept of a letter that came back: a line of a bounded length, and nothing secret."""

from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st

from pbm_oust.accounts.bounces import LONGEST, Bounce

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
LETTER = "<oust.17.5.0123456789abcdef@example.com>"

headers = st.text(max_size=40) | st.text("\r\n\t\x0b\x1c\x85\u2028 a<>:", max_size=40)


def bounce(subject: str) -> Bounce:
    return Bounce.of(NOON, "5.1.1", LETTER, subject)


@given(letter=headers, subject=headers)
@example(letter="", subject="")
@example(letter="-", subject="Address: bob@example.net")
@example(letter="<a\r\nBounced: b>", subject="one\r\n two\nBounced: three")
@example(letter="<\u00e9@example.com>", subject="Al\u00efce \U0001f600")
@example(letter="\udcff", subject="\udcff \0")
def test_what_is_kept_of_a_letter_stands_in_one_line_of_a_bounded_length(
    letter: str, subject: str
) -> None:
    kept = Bounce.of(NOON, "5.1.1", letter * 50, subject * 50)
    assert 1 <= len(kept.letter) <= LONGEST
    assert len(kept.subject) <= LONGEST
    assert kept.letter.isascii()
    assert kept.subject.isascii()
    assert len(f"{kept.letter} {kept.subject}".splitlines()) == 1


def test_a_code_that_may_still_come_back_is_not_kept() -> None:
    assert bounce("verify\n abcdefghijklmn27").subject == "verify"


def test_a_folded_subject_is_one_line_with_single_spaces() -> None:
    assert bounce(" oust 17 #6:\r\n\tyour  turn ").subject == "oust 17 #6: your turn"

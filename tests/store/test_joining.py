"""A history as its file and what waits for it say together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.store.joining import join
from pbm_oust.store.waiting import Lines, Rewriting, Waiting

KEY = "4f0c1d2e9a8b7c6d"
HEADER = f"""\
pbm_oust history 1
Kind: oust
Board: 17
Grid: square 5x5
X: alice
O: bob
Options: swap rated nagtime=7 forfeittime=21
Started: 2026-11-20T15:36:00Z

# challenge {KEY}
""".encode()
RECORDS = [
    b"   1 x C3                        2026-11-20T15:40:02Z 1111111111111111\n",
    b"   2 o swap                      2026-11-21T08:02:11Z 2222222222222222\n",
    b"   3 o adopt                     2026-11-21T19:31:40Z 3333333333333333\n",
    b"   4 x resign                    2026-11-22T19:31:40Z 4444444444444444\n",
]
RESULT = b"= o resign\n"
WHOLE = HEADER + b"".join(RECORDS) + RESULT
NEW = Lines(0, HEADER, KEY)
WAITING = Waiting(
    lines=(
        NEW,
        Lines(1, RECORDS[0], "1" * 16),
        Lines(2, RECORDS[1] + RECORDS[2], "2" * 16),
        Lines(4, RECORDS[3] + RESULT, "4" * 16),
    )
)
ENDS = [0, len(HEADER), *(len(HEADER + b"".join(RECORDS[:n])) for n in (1, 2, 3, 4)), len(WHOLE)]


@pytest.mark.parametrize("end", ENDS)
def test_what_the_file_has_of_the_lines_that_wait_is_not_missing(end: int) -> None:
    joined = join(WHOLE[:end], WAITING)
    assert (joined.whole, joined.missing, joined.content) == (end, WHOLE[end:], WHOLE)


@given(st.integers(0, len(WHOLE)), st.integers(0, 300))
def test_a_file_that_was_cut_anywhere_lacks_what_behind_its_last_whole_line(
    end: int, nuls: int
) -> None:
    joined = join(WHOLE[:end] + bytes(nuls), WAITING)
    assert WHOLE[: joined.whole] + joined.missing == joined.content == WHOLE


@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)))
def test_nuls_in_the_place_of_any_part_of_what_waits_count_for_nothing(
    start: int, stop: int, end: int
) -> None:
    data = bytearray(WHOLE[:end])
    data[start:stop] = bytes(len(data[start:stop]))
    joined = join(bytes(data), WAITING)
    assert bytes(data[: joined.whole]) + joined.missing == joined.content == WHOLE


def test_without_lines_that_wait_only_an_unfinished_end_does_not_count() -> None:
    joined = join(WHOLE + b"   5 x" + bytes(9), Waiting())
    assert (joined.whole, joined.missing, joined.content) == (len(WHOLE), b"", WHOLE)


def test_nuls_in_front_of_other_lines_than_those_that_wait_count() -> None:
    data = HEADER + bytes(10) + RECORDS[1]
    assert join(data, Waiting()).content == data
    assert join(data, Waiting(lines=(Lines(1, RECORDS[0], "1" * 16),))).whole == len(data)


def test_a_record_with_another_key_is_another_record() -> None:
    other = RECORDS[0].replace(b"1" * 16, b"5" * 16)
    joined = join(HEADER + other, Waiting(lines=(Lines(1, RECORDS[0], "1" * 16),)))
    assert joined.content == HEADER + other + RECORDS[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"\n\n", b"\n\n# by hand\n"), (b"X: alice", b"X: carol"), (b"nagtime=7", b"nagtime=9")],
)
def test_a_header_that_was_edited_is_known_by_its_message_key(old: bytes, new: bytes) -> None:
    edited = HEADER.replace(old, new) + RECORDS[0]
    assert join(edited, Waiting(lines=(Lines(0, HEADER + RECORDS[0], KEY),))).content == edited


def test_a_header_without_a_message_key_is_known_by_all_but_its_owners() -> None:
    plain = HEADER.partition(b"#")[0]
    waiting = Waiting(lines=(Lines(0, plain + RECORDS[0], KEY),))
    renamed = plain.replace(b"alice", b"carol")
    assert join(renamed, waiting).content == renamed + RECORDS[0]
    other = plain.replace(b"2026", b"2025")
    assert join(other, waiting).content == other + plain + RECORDS[0]


def test_rewritings_come_before_lines() -> None:
    waiting = Waiting((Rewriting(1, "alice", "zoe"),), (Lines(1, RECORDS[0], "1" * 16),))
    joined = join(HEADER, waiting)
    assert joined.content == HEADER.replace(b"alice", b"zoe") + RECORDS[0]
    assert (joined.whole, joined.missing) == (len(HEADER), RECORDS[0])


def test_a_rewriting_that_is_done_already_changes_nothing() -> None:
    done = HEADER.replace(b"alice", b"zoe")
    assert join(done, Waiting((Rewriting(1, "alice", "zoe"),))).content == done

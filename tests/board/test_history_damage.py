"""Histories that the server cannot have written: the line and the reason that are reported."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board.history import BadHistory, History, read_header, read_history
from tests.support import tables
from tests.support.games import EXAMPLE, history_of, new_game, play
from tests.support.recorded import recorded_game
from tests.support.rings import examples

TABLES = tables.of(__file__)
"""Changes to the example: what is changed, the line that is at fault then, and part of what is
said of it."""
VAST = ("vast board", "Board: 17", f"Board: {'9' * 5000}", "3", "is no number of a board")
HEADER, RECORDS = [*TABLES["damaged headers"], VAST], TABLES["damaged records"]


@pytest.mark.parametrize(("what", "old", "new", "line", "reason"), HEADER + RECORDS)
def test_damage_is_reported_with_its_line_and_its_reason(
    what: str, old: str, new: str, line: str, reason: str
) -> None:
    assert old in EXAMPLE
    damaged = EXAMPLE.replace(old, new, 1)
    with pytest.raises(BadHistory) as found:
        read_history(damaged.encode())
    assert (str(found.value.line), reason in found.value.reason) == (line, True), what


@pytest.mark.parametrize(("what", "old", "new", "line", "reason"), HEADER)
def test_a_damaged_header_is_found_without_reading_the_records(
    what: str, old: str, new: str, line: str, reason: str
) -> None:
    with pytest.raises(BadHistory) as found:
        read_header(EXAMPLE.replace(old, new, 1).encode())
    assert str(found.value) == f"line {line}: {found.value.reason}", what


def test_damage_behind_remarks_is_reported_with_its_line_in_the_file() -> None:
    damaged = EXAMPLE.replace("   3 o G5", "# one\n# two\n   3 o G7")

    with pytest.raises(BadHistory) as found:
        read_history(damaged.encode())

    assert found.value.line == 14


@pytest.mark.parametrize("lines", range(9))
def test_a_header_that_stops_early_is_reported_at_the_line_that_is_missing(lines: int) -> None:
    short = "".join(EXAMPLE.splitlines(keepends=True)[:lines])

    with pytest.raises(BadHistory) as found:
        read_history(short.encode())

    assert found.value.line == lines + 1


def test_text_that_is_not_utf_8_is_reported_at_its_line() -> None:
    damaged = EXAMPLE.encode().replace(b"   4 x D4", b"   4 x \xff4")

    with pytest.raises(BadHistory) as found:
        read_history(damaged)

    assert (found.value.line, found.value.reason) == (13, "the text is not UTF-8")


def read(data: bytes) -> History | BadHistory:
    """Return what reading leads to; anything but these two is a failure."""
    try:
        return read_history(data)
    except BadHistory as damage:
        return damage


def test_another_character_in_an_action_is_found_or_tells_another_legal_game() -> None:
    game = play(new_game("hex 3"), *recorded_game("oust-hex-3-007").turns())
    lines = history_of(game).decode().splitlines(keepends=True)
    found = unseen = 0
    for number, line in enumerate(lines[9:-1], 9):
        for changed in with_another_character(line):
            data = "".join([*lines[:number], changed, *lines[number + 1 :]]).encode()
            match read(data):
                case BadHistory(line=at):
                    assert at > number
                    found += 1
                case History(game=other):
                    assert other != game
                    assert history_of(other) == data
                    unseen += 1

    assert found > 50 * unseen


def with_another_character(record: str) -> Iterator[str]:
    """Yield a record's line with each character of its action replaced by each other one."""
    action = record[7:].split("  ")[0]
    for place in range(7, 7 + len(action)):
        for other in set("ABCDE12345*") - {record[place]}:
            yield record[:place] + other + record[place + 1 :]


many = examples(400)
places = st.integers(0, len(EXAMPLE.encode()))
pieces = st.sampled_from(
    [b"", b"\n", b" ", b"#", b"=", b"*", b"0", b"9", b"x", b"\xff", b"\x00", b"\r", b"\xc2\x85"]
) | st.binary(max_size=4)


@many
@given(places, st.integers(0, 40), pieces)
def test_a_history_with_any_piece_replaced_is_read_or_reported(
    start: int, length: int, piece: bytes
) -> None:
    text = EXAMPLE.encode()
    text = text[:start] + piece + text[start + length :]

    history = read(text)

    assert isinstance(history, History) or 1 <= history.line <= text.count(b"\n") + 1


@many
@given(st.permutations(EXAMPLE.splitlines(keepends=True)), st.integers(0, 18))
def test_a_history_with_its_lines_in_any_order_is_read_or_reported(
    lines: list[str], count: int
) -> None:
    history = read("".join(lines[:count]).encode())

    assert isinstance(history, History) or 1 <= history.line <= count + 1


@many
@given(st.binary())
def test_any_bytes_are_read_or_reported(data: bytes) -> None:
    assert isinstance(read(data), BadHistory)
    assert isinstance(read(EXAMPLE.split("   1")[0].encode() + data), History | BadHistory)

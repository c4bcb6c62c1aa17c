"""Histories that the server cannot have written: the line and the reason that are reported."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board.history import BadHistory, History, read_header, read_history
from tests.support.games import EXAMPLE, history_of, new_game, play
from tests.support.recorded import recorded_game
from tests.support.rings import examples


@dataclass(frozen=True)
class Damage:
    """A change to the example: the line that is at fault then, and part of what is said of it."""

    what: str
    old: str
    new: str
    line: int
    reason: str


TOP = "Kind: oust\nBoard: 17\nGrid: square 13x13"
"""The lines of the example that say what is played on which grid."""

CHURN = TOP.replace("oust", "churn")

HEADER = [
    Damage("first line", "pbm_oust history 1", "pbm_oust history 2", 1, "'pbm_oust history 1'"),
    Damage("longer first line", "history 1", "history 10", 1, "first line is 'pbm_oust history 1'"),
    Damage("unknown kind", "Kind: oust", "Kind: chess", 2, "the game 'chess' is not known"),
    Damage("other key", "Kind: oust", "Game: oust", 2, "a line 'Kind:' belongs here"),
    Damage("no space", "Board: 17", "Board:17", 3, "a line 'Board:' belongs here"),
    Damage("board in words", "Board: 17", "Board: x", 3, "'x' is no number of a board"),
    Damage("board 0", "Board: 17", "Board: 0", 3, "'0' is no number of a board"),
    Damage("board 017", "Board: 17", "Board: 017", 3, "'017' is no number of a board"),
    Damage("vast board", "Board: 17", "Board: " + "9" * 5000, 3, "is no number of a board"),
    Damage("bad grid", "square 13x13", "square 13x1", 4, "2 to 25 columns and rows"),
    Damage("bad shape", "square 13x13", "round 13", 4, "a grid is written like"),
    Damage("loose grid", "square 13x13", "square 13", 4, "this grid is written square 13x13"),
    Damage("even grid", TOP, CHURN.replace("square 13x13", "hex 4,5"), 4, "not played on hex 4,5"),
    Damage("other shape", TOP, CHURN, 4, "Churn is not played on square 13x13"),
    Damage("bad userid", "X: rrognlie", "X: R Rognlie", 5, "'R Rognlie' is no userid"),
    Damage("one owner", "O: marksteere", "O: rrognlie", 6, "both sides have the same owner"),
    Damage("no userid", "O: marksteere", "O: ", 6, "'' is no userid"),
    Damage("unknown option", "swap rated", "swap ruled", 7, "the option 'ruled' is not known"),
    Damage("option order", "swap rated", "rated swap", 7, "these options are written"),
    Damage("days in words", "nagtime=7", "nagtime=week", 7, "no whole number of days"),
    Damage("missing option", " nagtime=7", "", 7, "these options are written"),
    Damage("no such day", "2026-11-20T15:36", "2026-11-31T15:36", 8, "is no time like"),
    Damage("other zone", "15:36:00Z", "15:36:00+01:00", 8, "is no time like"),
    Damage("no empty line", "15:36:00Z\n\n", "15:36:00Z\n", 9, "an empty line ends the header"),
    Damage("blank line", "15:36:00Z\n\n", "15:36:00Z\n \n", 9, "an empty line ends the header"),
    Damage("missing line", "Grid: square 13x13\n", "", 4, "a line 'Grid:' belongs here"),
    Damage("repeated line", "X: rrognlie\n", "X: rrognlie\n" * 2, 6, "a line 'O:' belongs here"),
]

RECORDS = [
    Damage("wrong number", "   3 o G5", "   4 o G5", 12, "the next record is 3, not 4"),
    Damage("no number", "   3 o G5", "   ? o G5", 12, "'?' is no number of a record"),
    Damage("wrong side", "   3 o G5", "   3 x G5", 12, "G5 by x: not your turn"),
    Damage("no side", "   3 o G5", "   3 y G5", 12, "'y' is no side"),
    Damage("wrong margin", "   3 o G5", "  3 o G5 ", 12, "the server would have written"),
    Damage("small letter", "o G5", "o g5", 12, "'g5' is no action"),
    Damage("unknown deed", "o resign", "o retire", 16, "'retire' is no action"),
    Damage("off the grid", "o G5 ", "o O5 ", 12, "O5 is refused, off grid"),
    Damage("occupied cell", "o G5", "o G7", 12, "G7 by o: G7 is refused, occupied"),
    Damage("illegal cell", "x D4", "x G8", 13, "G8 is refused, takes nothing"),
    Damage("after the turn", "x D4    ", "x D4 E9 ", 13, "E9 is refused, after turn"),
    Damage("early pass", "x D4  ", "x pass", 13, "pass by x: may not pass"),
    Damage("second swap", "o G5  ", "o swap", 12, "swap by o: swap too late"),
    Damage("count too high", "G6*1", "G6*2", 15, "by the rules this record is G6*1 C10"),
    Damage("count missing", "G6*1 C10  ", "G6 C10    ", 15, "by the rules this record is G6*1"),
    Damage("count of 0", "D4    ", "D4*0  ", 13, "'D4*0' is no action"),
    Damage("no such hour", "T20:00:00Z", "T25:00:00Z", 13, "is no time like"),
    Damage("earlier time", "-21T20:00", "-20T20:00", 13, "lies before 2026-11-21T19:31:40Z"),
    Damage("before start", "-20T15:40", "-20T15:30", 10, "lies before 2026-11-20T15:36:00Z"),
    Damage("repeated id", "1" * 16, "0b53a2c4d1e6f788", 13, "earlier record has the id 0b53a2c4"),
    Damage("bad id", "1" * 16, "1" * 15 + "g", 13, "is no id of a message"),
    Damage("short record", " 1111111111111111", "", 13, "a record has a number, a side"),
    Damage("empty line", "   4 x D4", "\n   4 x D4", 13, "a record has a number, a side"),
    Damage("carriage return", "1" * 16 + "\n", "1" * 16 + "\r\n", 13, "would have written"),
    Damage("result too early", "   7 o resign", "= x resign\n   7 o", 16, "not ended here"),
    Damage("other winner", "= x resign", "= o resign", 17, "the result is '= x resign'"),
    Damage("other ending", "= x resign", "= x capture", 17, "the result is '= x resign'"),
    Damage("spaced result", "= x resign", "=  x resign", 17, "the result is '= x resign'"),
    Damage("second result", "= x resign\n", "= x resign\n" * 2, 18, "nothing follows a result"),
    Damage("text at the end", "= x resign\n", "= x resign\nbye\n", 18, "nothing follows a result"),
    Damage("record at the end", "= x resign", "   8 x pass" + " " * 22, 17, "a record has"),
]


@pytest.mark.parametrize("damage", HEADER + RECORDS, ids=lambda damage: str(damage.what))
def test_damage_is_reported_with_its_line_and_its_reason(damage: Damage) -> None:
    assert damage.old in EXAMPLE
    damaged = EXAMPLE.replace(damage.old, damage.new, 1)

    with pytest.raises(BadHistory) as found:
        read_history(damaged.encode())

    assert (found.value.line, damage.reason in found.value.reason) == (damage.line, True), found


@pytest.mark.parametrize("damage", HEADER, ids=lambda damage: str(damage.what))
def test_a_damaged_header_is_found_without_reading_the_records(damage: Damage) -> None:
    with pytest.raises(BadHistory) as found:
        read_header(EXAMPLE.replace(damage.old, damage.new, 1).encode())

    assert found.value.line == damage.line
    assert str(found.value) == f"line {damage.line}: {found.value.reason}"


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
@given(st.binary())
def test_any_bytes_are_read_or_reported(data: bytes) -> None:
    assert isinstance(read(data), BadHistory)
    assert isinstance(read(EXAMPLE.split("   1")[0].encode() + data), History | BadHistory)

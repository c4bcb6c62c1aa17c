"""SGF and JSON: what is written is taken back without loss, in whatever state."""

import re
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board.formats import parse_any
from pbm_oust.board.formats.sheet import BadGame
from pbm_oust.board.game import Game
from pbm_oust.board.history import read_history
from pbm_oust.rules.position import How, Result, Side
from tests.support.games import EXAMPLE, history_of
from tests.support.happenings import (
    FORMATS,
    GRIDS,
    anything_goes,
    refused,
    taken_back,
    with_remarks,
    written,
)
from tests.support.strategies import games, relaxed

every_format = pytest.mark.parametrize("form", FORMATS)


# Without loss


@every_format
@pytest.mark.parametrize(("kind", "grid"), GRIDS)
@pytest.mark.parametrize("seed", range(12))
def test_a_history_of_whatever_happened_comes_back_in_the_same_characters(
    form: str, kind: str, grid: str, seed: int
) -> None:
    history = history_of(anything_goes(kind, grid, seed)).decode()
    assert taken_back(written(form, history)) == history


@every_format
@pytest.mark.parametrize("seed", range(12))
def test_remarks_come_back_where_they_stood(form: str, seed: int) -> None:
    game = anything_goes("oust", "square 5x5", seed)
    history = with_remarks(history_of(game), Random(seed))
    assert taken_back(written(form, history)) == history


@every_format
@relaxed
@given(games())
def test_any_game_at_any_moment_comes_back(form: str, game: Game) -> None:
    history = history_of(game).decode()
    assert taken_back(written(form, history)) == history


@every_format
@relaxed
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=120))
def test_any_remark_comes_back(form: str, text: str) -> None:
    history = EXAMPLE.replace("   3 o", f"#{text}\n   3 o")
    text = "".join(history)
    if not text.split("\n")[11].startswith("# challenge"):
        assert taken_back(written(form, history)) == history


@every_format
def test_what_a_crash_left_of_the_last_lines_is_finished_as_the_server_would(form: str) -> None:
    torn = EXAMPLE.replace("= x resign\n", "= x re")
    assert taken_back(written(form, torn)) == EXAMPLE


def test_a_history_file_is_taken_as_it_is() -> None:
    assert taken_back(EXAMPLE) == EXAMPLE
    assert taken_back(EXAMPLE.removesuffix("\n")) == EXAMPLE


@every_format
def test_a_game_is_taken_back_as_a_board_of_another_number(form: str) -> None:
    checked = parse_any(written(form, EXAMPLE)).check().on_board(4)
    assert checked.history == EXAMPLE.replace("Board: 17", "Board: 4")


@every_format
def test_lines_of_a_header_that_nobody_knows_yet_are_carried_as_they_stand(form: str) -> None:
    pieces = parse_any(written(form, EXAMPLE)).pieces
    assert [piece.text for piece in pieces] == EXAMPLE.splitlines()


def test_the_example_of_the_documentation_is_a_game() -> None:
    text = (Path(__file__).parents[3] / "docs" / "formats.md").read_text()
    blocks = re.findall(r"^```(?:json)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (example,) = (block for block in blocks if block.startswith("{"))
    checked = parse_any(example).check()
    assert checked.game.result == Result(Side.X, How.RESIGN)
    assert checked.history.split("\n")[9] == "# challenge 5781015b25123edc"


SGF = written("sgf", EXAMPLE)
MAIL = """From: Alice <alice@example.org>
Subject: our game (see below)
Content-Type: text/plain

Here is our game; (I won.)

"""
WRITTEN_BY_OTHERS = {
    "text before": f"Here is our game.\n\n{SGF}",
    "a mail": f"{MAIL}{SGF}\n-- \nAlice (;-)\n",
    "a quote": "Alice wrote:\n" + "".join(f"> {line}\n" for line in SGF.splitlines()),
    "a quote with bars": "".join(f"| {line}\n" for line in SGF.splitlines()),
    "text that looks like a game": f"Look (; nice [1])\n\n{SGF}",
    "a byte order mark": f"\ufeff{SGF}",
    "CRLF": SGF.replace("\n", "\r\n"),
    "values broken at spaces": re.sub(r"(?<=\w) (?=\w)", "\n", SGF),
    "values broken as in a mail": re.sub(r"(?<=\w) (?=\w)", " \r\n", SGF),
    "values broken at their ends": re.sub(r"(?<=[A-Z]\[)(\w[^\[\]]*)", "\n\\1\r\n", SGF),
    "values broken twice": re.sub(r"(?<=\w) (?=\w)", "\n \n", SGF),
    "values broken behind a backslash": re.sub(r"(?<=\d)(?=\d\d)", "\\\\\n", SGF),
    "set in": SGF.replace("\n", "\n\t  "),
    "apart": SGF.replace(";", "\n ;\n").replace("][", "]\n["),
    "escapes": SGF.replace(":", "\\:"),
    "long names": SGF.replace("FF[", "FileFormat[")
    .replace(";B[", ";Black[")
    .replace(";W[", ";White["),
}


@pytest.mark.parametrize("text", WRITTEN_BY_OTHERS.values(), ids=list(WRITTEN_BY_OTHERS))
def test_sgf_is_read_as_other_programs_and_mails_write_it(text: str) -> None:
    assert text != SGF
    assert parse_any(text).check().history == EXAMPLE


# Refused with the place and the reason


@pytest.mark.parametrize(
    ("form", "old", "new", "where", "reason"),
    [
        ("sgf", "PBMRECORD[3 o G5 ", "PBMRECORD[3 o G6 ", "line 4", "the moves are not those of"),
        ("sgf", ";W[gi]", ";W[gh]", "line 4", "the moves are not those of '3 o G5"),
        ("sgf", ";W[gi]", "", "line 4", "'3 o G5 2026-11-21T19:31:40Z 9d2f6a1b3c4e5f60': none"),
        ("sgf", "PBMHEADER", "XX", "line 1", "pbm_oust did not write this"),
        ("sgf", "square 13x13", "square 1x13", "line 1", "2 to 25 columns and rows"),
        ("sgf", "[o ", "[", "line 1", "no number of a line"),
        ("sgf", "(;FF", "FF", "the text", "this is no SGF, no JSON, and no history"),
        ("sgf", "\n)\n", "\n", "the end", "a ) is missing"),
        ("sgf", "\n)\n", "\n)(;FF[4])", "line 11", "a second game"),
        ("sgf", "\n)\n", "\n)\nAnd:\n(;FF[4])", "line 13", "a second game"),
        ("sgf", ";B[gg]", ";%[gg]", "line 2", "'%[gg]"),
        ("json", '"cell": "G5"', '"cell": "G7"', "record 3", "G7 by o: G7 is refused, occupied"),
        ("json", '"took": 1', '"took": "1"', "record 6", '"1" is not a whole number'),
        ("json", '"number": 3', '"number": true', "record 3", "true is not a whole number"),
        ("json", '"at": "2026-11-20T15:40:02Z",', "", "record 1", "'at' is missing"),
        ("json", '"G5"', '"G5\\n"', "record 3", "a line break stands in it"),
        ("json", '"G5"', '"G5\\ud800"', "record 3", "half a character"),
        ("json", '"took": 1', f'"took": {"9" * 5000}', "the object", "too long a number"),
        ("json", '"pbm_oust game 1"', '"pbm_oust game 2"', "format", "'pbm_oust game 1'"),
        ("json", '"records": [', '"records": [,', "line 12", "this is no JSON"),
        ("json", '"winner": "x"', '"winner": "o"', "result", "the result is '= x resign'"),
        ("json", '"Kind": "oust"', '"Kind": "chess"', "header Kind", "'chess' is not known"),
    ],
)
def test_what_is_no_game_is_refused_with_the_place_and_the_reason(
    form: str, old: str, new: str, where: str, reason: str
) -> None:
    history = (
        EXAMPLE.replace("   1 x", "# challenge 00ff00ff00ff00ff\n   1 x") if new == "[" else EXAMPLE
    )
    text = written(form, history).replace("PBMREMARK[10 ", "PBMREMARK[o ")
    assert old in text
    error = refused(text.replace(old, new, 1))
    assert (error.where, reason in error.reason) == (where, True), error


@every_format
@relaxed
@given(
    st.integers(0, 2000),
    st.integers(0, 30),
    st.sampled_from(["", "[", "]", ";", "(", "9", "\\", '"', ">"]),
)
def test_a_text_with_any_piece_replaced_is_read_or_refused(
    form: str, start: int, length: int, piece: str
) -> None:
    text = written(form, EXAMPLE)
    start %= len(text)
    changed = text[:start] + piece + text[start + length :]
    with suppress(BadGame):
        checked = parse_any(changed).check()
        assert read_history(checked.history.encode()).game == checked.game


@pytest.mark.parametrize("text", ["", "{", "(", "[]", "{}", "(;)", "hello", "{" * 100_000])
def test_what_is_nothing_of_the_kind_is_refused(text: str) -> None:
    assert refused(text).reason

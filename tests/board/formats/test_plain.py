"""The plain lines of a game: short, readable, and whole whatever mail programs do to them."""

import textwrap
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given

from pbm_oust.board.formats.plain import CLOSING, OPENING, WIDTH, format_plain
from pbm_oust.board.formats.sheet import Sheet
from pbm_oust.board.game import Game
from pbm_oust.board.notation import parse_record
from tests.support.games import EXAMPLE, history_of
from tests.support.happenings import anything_goes, taken_back, with_remarks, written
from tests.support.strategies import games, relaxed


def refilled(text: str, width: int) -> str:
    """Return a text with other ends of lines."""
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


MANGLED: dict[str, Callable[[str], str]] = {
    "quoted": lambda text: textwrap.indent(text, "> ", lambda line: True),
    "quoted twice": lambda text: textwrap.indent(text, ">> ", lambda line: True),
    "quoted with bars": lambda text: textwrap.indent(text, "| ", lambda line: True),
    "quoted, without spaces at the end": lambda text: "\n".join(
        f"> {line}".rstrip() for line in text.split("\n")
    ),
    "stuffed": lambda text: textwrap.indent(text, " "),
    "with carriage returns": lambda text: text.replace("\n", "\r\n"),
    "filled anew": lambda text: refilled(text, 60),
    "filled anew within quotes": lambda text: textwrap.indent(refilled(text, 40), "> "),
    "in one line": lambda text: " ".join(text.split()),
    "quoted, then filled with its quotes": lambda text: refilled(
        textwrap.indent(text, "> ", lambda line: True), 50
    ),
    "a word a line": lambda text: "\n".join(text.split()),
    "after an answer": lambda text: (
        f"Well played.\n\nOn Monday, the server wrote:\n{text}\n-- \nBob"
    ),
}


@pytest.mark.parametrize("mangling", MANGLED)
@pytest.mark.parametrize("seed", range(8))
def test_plain_lines_survive_what_mail_programs_do_to_them(mangling: str, seed: int) -> None:
    game = anything_goes("oust", "square 5x5", seed)
    history = with_remarks(history_of(game), Random(seed))
    assert taken_back(MANGLED[mangling](written("text", history))) == history


@relaxed
@given(games())
def test_plain_lines_are_short_and_ascii_and_end_where_words_end(game: Game) -> None:
    lines = format_plain(Sheet(game)).split("\n")
    assert (lines[0], lines[-1]) == (OPENING, CLOSING)
    assert all(len(line) <= WIDTH and line.isascii() and line == line.rstrip() for line in lines)


def test_a_record_is_one_plain_line_as_in_the_history() -> None:
    lines = written("text", EXAMPLE).split("\n")
    assert lines[1:4] == [
        "Kind: oust; Board: 17; Grid: square 13x13; X: rrognlie; O: marksteere;",
        "  Options: swap rated nagtime=7 forfeittime=21;",
        "  Started: 2026-11-20T15:36:00Z;",
    ]
    records = EXAMPLE.split("\n\n")[1].splitlines()
    assert lines[4:-1] == records
    assert parse_record(lines[4]).number == 1

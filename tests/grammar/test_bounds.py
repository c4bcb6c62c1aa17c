"""How long a line may be."""

import unicodedata

import pytest

from pbm_oust.accounts.queue import MOST_CLAUSES
from pbm_oust.commands.play import Move, Queue
from pbm_oust.grammar.form import to_player
from pbm_oust.grammar.vocabulary import MOST_CELLS, MOST_WORDS, LineTooLong, normal_form
from pbm_oust.refusal import Unreadable
from pbm_oust.rules.grid import COLUMNS
from pbm_oust.service.table import parse_line

EVERY_CELL = [f"{column}{row}" for column in COLUMNS for row in range(1, len(COLUMNS) + 1)]


@pytest.mark.parametrize("between", [",", " ", ";"])
def test_a_turn_may_name_every_cell_of_the_largest_grid(between: str) -> None:
    command = parse_line(f"oust move 17 alice wonderland {between.join(EVERY_CELL)}")[1]
    assert isinstance(command, Move)


@pytest.mark.parametrize("clause", ["if F6 then D4,E5; ", "if pass then pass;", "si F6 alors D4;"])
def test_a_queue_may_have_all_its_clauses(clause: str) -> None:
    command = parse_line(f"oust queue 17 alice wonderland {clause * MOST_CLAUSES}")[1]
    assert isinstance(command, Queue)


@pytest.mark.parametrize(
    "line",
    [
        "x " * (MOST_WORDS + 1),
        "oust show " + "1 " * MOST_WORDS,
        "help" + " oust" * MOST_WORDS,
        "\ufdfa" * 400,
        "oust move 17 alice wonderland " + ",".join([*EVERY_CELL, "A1"]),
        "oust queue 17 alice wonderland " + "if D4 then E5;" * 300,
        "x" * 5_000,
        "- " * 2_000,
    ],
)
def test_a_line_longer_than_any_command_is_refused_and_not_repeated(line: str) -> None:
    seen, error = parse_line(line)
    assert isinstance(error, Unreadable)
    assert isinstance(error.reason, LineTooLong)
    assert len(seen.shown(to_player((), lambda _word: False))) < 200


def test_exactly_as_many_words_as_allowed_are_read() -> None:
    command = parse_line("help" + " oust" * (MOST_WORDS - 1))[1]
    assert not isinstance(command, Unreadable)
    assert len(EVERY_CELL) == MOST_CELLS


def test_letters_are_made_plain_word_for_word() -> None:
    text = "\uff4fust e\u0301 \ufb01nal  \u2460\t\u00a0x"
    assert normal_form("NFKC", text) == unicodedata.normalize("NFKC", text).replace(" x", "\u00a0x")


def test_marks_are_not_put_into_order_across_a_long_run() -> None:
    run = "a" + "\u0301" * 500 + "\u0323" * 500
    assert normal_form("NFD", run).index("\u0323") > 400
    assert unicodedata.normalize("NFD", run).index("\u0323") == 1

"""The examples of docs/rules.md: games, with the boards that they lead to."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbm_oust.board import Game, Header, Record, Terms
from pbm_oust.board.notation import format_result, parse_action
from pbm_oust.render.text import board_text
from pbm_oust.rules import KINDS, Side, parse_grid

DOCUMENT = Path(__file__).parents[2] / "docs" / "rules.md"
WRITTEN = re.findall(r"^```\n((?:oust|churn) .*?)\n```$", DOCUMENT.read_text(), re.M | re.S)
AT = datetime(2026, 11, 20, tzinfo=UTC)


def played(lines: str) -> Game:
    """Return the game of a grid and turns, each of which takes as many stones as it says."""
    first, *turns = lines.split("\n")
    kind, _, grid = first.partition(" ")
    game = Game.start(Header(KINDS[kind], 1, parse_grid(grid), "x", "o", Terms(), AT))
    for number, turn in enumerate(turns, 1):
        side, _, words = turn.partition(" ")
        record = Record(number, Side(side), parse_action(words), AT, f"{number:016x}")
        game = game.redo(record)
        done = game.records[-1].action
        assert done == record.action, turn
    return game


def outcome_of(game: Game) -> str:
    """Return how a game ended, or who is to move, as the document has it."""
    return format_result(game.result) if game.result else f"{game.to_move.value} to move"


def test_the_document_has_its_examples() -> None:
    assert len(WRITTEN) == 6


@pytest.mark.parametrize("written", WRITTEN)
def test_an_example_goes_as_it_says(written: str) -> None:
    lines, drawn, outcome = written.split("\n\n")
    game = played(lines)
    assert drawn == board_text(game.position)
    assert outcome == outcome_of(game)

"""The examples of docs/rules.md, played."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbm_oust.board.game import Game, redo
from pbm_oust.board.header import Header, Terms
from pbm_oust.board.notation import format_action, format_result, parse_action
from pbm_oust.board.record import Record
from pbm_oust.render.text import board_text
from pbm_oust.rules.grid import parse_grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Side

DOCUMENT = Path(__file__).parents[2] / "docs" / "rules.md"
NOW = datetime(2026, 11, 20, tzinfo=UTC)
EXAMPLES = re.findall(r"^```\n((?:oust|churn) .*?)\n```$", DOCUMENT.read_text(), re.M | re.S)


def test_the_document_has_its_examples() -> None:
    assert len(EXAMPLES) == 6


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_goes_as_it_says(example: str) -> None:
    played, drawn, outcome = example.split("\n\n")
    first, *turns = played.split("\n")
    kind, _, grid = first.partition(" ")
    header = Header(KINDS[kind], 1, parse_grid(grid), "ann", "bob", Terms(), NOW)
    game = Game.start(header)
    for number, turn in enumerate(turns):
        side, _, words = turn.partition(" ")
        done = parse_action(words)
        game = redo(game, Record(number + 1, Side(side), done, NOW, f"{number:016x}"))
        assert format_action(game.records[-1].action) == words
    assert drawn == board_text(game.position)
    ending = format_result(game.result) if game.result else f"{game.to_move.value} to move"
    assert outcome == ending

"""The examples of docs/rules.md: those of the pages, with the boards that they lead to."""

import re
from pathlib import Path

import pytest

from pbm_oust.board import Game
from pbm_oust.board.notation import format_action, format_result
from pbm_oust.render.text import board_text
from pbm_oust.web.helping import EXAMPLES, Example, game_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "rules.md"
WRITTEN = re.findall(r"^```\n((?:oust|churn) .*?)\n```$", DOCUMENT.read_text(), re.M | re.S)


def outcome_of(game: Game) -> str:
    """Return how a game ended, or who is to move, as the document has it."""
    return format_result(game.result) if game.result else f"{game.to_move.value} to move"


def test_the_document_has_all_examples() -> None:
    assert len(WRITTEN) == len(EXAMPLES) == 6


@pytest.mark.parametrize(
    ("written", "example"),
    list(zip(WRITTEN, EXAMPLES, strict=True)),
    ids=[example.name for example in EXAMPLES],
)
def test_an_example_goes_as_it_says(written: str, example: Example) -> None:
    played, drawn, outcome = written.split("\n\n")
    assert played.split("\n") == [f"{example.kind} {example.grid}", *example.turns]
    game = game_of(example)
    records = [f"{record.by} {format_action(record.action)}" for record in game.records]
    assert records == list(example.turns)
    assert drawn == board_text(game.position)
    assert outcome == outcome_of(game)

"""Advice: what it looks at on drawn boards, and what matches say of all that the help teaches."""

import subprocess
import sys
from math import inf
from pathlib import Path

import msgspec
import pytest

from pbm_oust.experiments.advice import (
    ADVICE,
    TRIED,
    few_cells,
    next_haul,
    own_cells,
    safe_cells,
)
from pbm_oust.experiments.shares import WonShare
from pbm_oust.rules import KINDS, Side
from tests.support.boards import board, churn_board, names, placed

X, O = Side.X, Side.O
ROOT = Path(__file__).parents[2]


def test_the_other_side_takes_what_it_can_with_all_its_captures() -> None:
    position = board("""
        . . o . .
        . . . . x
        . . o . .
        . . . . x
        o . . x .
    """)
    hauls = {name: next_haul(placed(position, name), X) for name in ("A4", "A3", "D5", "C4")}
    assert hauls == {"A4": 0, "A3": -1, "D5": -2, "C4": -3}


def test_whoever_can_take_everything_next_is_said_to_win() -> None:
    position = board("""
        . o . .
        . . . .
        . . . .
        . . . .
    """)
    assert next_haul(placed(position, "C4"), X) == -inf


def test_in_the_middle_of_a_turn_nothing_is_said() -> None:
    position = placed(board("x . o / . . . / . . o"), "B3")
    assert position.is_mid_turn
    assert next_haul(position, X) == 0


def test_own_cells_take_nothing_and_cannot_be_taken_by_the_next_stone() -> None:
    position = board("""
        . . . . .
        . . . . o
        . x x . o
        . . . . .
        . . x o x
    """)
    found = {side: names(position.grid, safe_cells(position, side)) for side in Side}
    assert found == {X: "A1 A2 A4 A5 B5 C5", O: "A5 D5"}
    assert [own_cells(position, side) for side in Side] == [4, -4]


def test_cells_that_touch_no_own_stone_are_counted() -> None:
    position = churn_board(". . x / . o . . / x . . . . / . . . . / o . .")
    left = {name: -few_cells(placed(position, name), X) for name in ("C2", "C5")}
    assert (-few_cells(position, X), left) == (9, {"C2": 2, "C5": 8})


@pytest.mark.parametrize("kind", TRIED)
def test_what_the_help_teaches_wins_more_than_half_of_its_games(kind: str) -> None:
    assert list(TRIED[kind]) == list(ADVICE[kind])
    for told in TRIED[kind].values():
        low, _ = WonShare(told.won, told.games).interval
        assert low > 0.5
        assert KINDS[kind].plays_on(told.on)


@pytest.mark.parametrize("kind", TRIED)
def test_the_docs_have_the_figures_of_the_help(kind: str) -> None:
    text = (ROOT / "docs" / "experiments.md").read_text()
    for name, told in TRIED[kind].items():
        share = WonShare(told.won, told.games)
        row = f"| {kind.title()} | {told.grid} | {name} | {told.won:g} of {told.games} | {share} |"
        assert row in text


def test_the_script_prints_matches_as_their_file_has_them() -> None:
    words = "churn", "--hex", "3", "--games", "4"
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "try_advice", *words], capture_output=True, check=True
    )
    (told,) = msgspec.toml.decode(done.stdout)["churn"].values()
    assert (told["grid"], told["games"]) == ("hex 3", 4)
    assert 0 <= told["won"] <= 4

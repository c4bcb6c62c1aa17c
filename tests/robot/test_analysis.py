"""What the analysis of a game says about its positions, whatever has happened in it."""

from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.board import Deed, Game, Place, Ruling, Verb, Wish
from pbm_oust.board.header import Terms
from pbm_oust.board.sgf import format_sgf
from pbm_oust.board.sheet import Sheet
from pbm_oust.robot.analysis import (
    Analysis,
    BadAnalysis,
    Evaluation,
    format_analysis,
    identity_of,
    notes_of,
    parse_analysis,
)
from pbm_oust.robot.judging import LONGEST, another_way, evaluation_of, judged
from pbm_oust.robot.player import line_of
from pbm_oust.robot.search import can_search
from pbm_oust.rules import Side, parse_grid
from tests.support.boards import board
from tests.support.core import needs_core
from tests.support.games import act, new_game, play, standing_at, wish
from tests.support.happenings import GRIDS, anything_goes, taken_back
from tests.support.strategies import games
from tests.support.thinking import against_chance, counting_clock, done

sgfmill = import_module("sgfmill.sgf")
NO_SWAP = Terms(swap=False)
SEARCHED = [(kind, grid) for kind, grid in GRIDS if can_search(kind, parse_grid(grid))]

pytestmark = needs_core


def analysed(game: Game, looks: int = 10) -> Analysis:
    """Return an analysis that reads the clock about so many times for each position."""
    return Analysis.of(game, looks, judged(game, looks, counting_clock()))


def on(game: Game, looks: int = 100) -> Evaluation:
    """Return the evaluation on a game as it stands."""
    return evaluation_of(game, looks, counting_clock())


LOST = "E6,B7,G6,A1,C4,G2,E3,A3,D2,A6,A7,B6,F1,F4,D5,C5,F7,C6,B4,C4,B5,D6,E5,F5,C5,E6,F6,G5,G6,A5"
"""Most of a game in which x has a good chance until its sixteenth placement, and none later."""


def test_a_lost_game_had_a_last_chance_where_another_turn_was_better() -> None:
    at, cells = another_way("oust", "square 7x7", f"{LOST},G7,F2,E1,E2", "x").split()
    before = line_of("oust", "square 7x7", ",".join(LOST.split(",")[: int(at)])).games[-1]
    assert before.to_move is Side.X
    assert not before.position.is_mid_turn
    done(before, Place(tuple(cells.split(","))))
    assert on(before, 2000).x_wins >= 0.4
    later = line_of("oust", "square 7x7", LOST).games[-1]
    assert on(later, 2000).x_wins < 0.3


def test_a_game_that_is_lost_from_its_start_had_no_chance() -> None:
    assert another_way("oust", "square 7x7", "", "x") == ""


def said(line: tuple[Wish, ...]) -> list[str]:
    """Return the turns of a line, as tests write them."""
    return [" ".join(each.cells) if isinstance(each, Place) else each.value for each in line]


def after_line(game: Game, line: tuple[Wish, ...]) -> Game:
    """Return a game after the turns of a line, each of which must be allowed, and whole."""
    for turn in line:
        game = done(game, turn)
        assert game.result or not game.position.is_mid_turn
    return game


@given(games())
def test_there_is_an_evaluation_for_the_start_and_each_record_whose_line_can_be_played(
    game: Game,
) -> None:
    evaluations = analysed(game).evaluations
    assert len(evaluations) == len(game.records) + 1
    for past, evaluation in zip(game.each_after(0), evaluations, strict=True):
        assert 0 <= evaluation.x_wins <= 1
        assert not evaluation.is_certain or evaluation.x_wins in (0, 0.5, 1)
        assert bool(evaluation.line) is not bool(past.position.result)
        assert len(evaluation.line) <= LONGEST
        after_line(replace(past, result=past.position.result), evaluation.line)


@pytest.mark.parametrize(("kind", "grid"), SEARCHED)
@pytest.mark.parametrize("seed", range(2))
def test_whatever_happened_in_a_game_the_same_position_has_the_same_evaluation(
    kind: str, grid: str, seed: int
) -> None:
    game = anything_goes(kind, grid, seed)
    evaluations: dict[Any, Evaluation] = {}
    for past, evaluation in zip(game.each_after(0), analysed(game, 2).evaluations, strict=True):
        asked = past.position, replace(past, result=None).can_swap
        assert evaluations.setdefault(asked, evaluation) == evaluation


@pytest.mark.parametrize("winner", Side)
def test_a_game_that_the_rules_have_ended_is_won_or_lost_for_certain(winner: Side) -> None:
    game = against_chance(new_game("square 5x5", NO_SWAP), winner, 30, seed=1)
    assert game.result == game.position.result
    assert on(game) == Evaluation(winner is Side.X, is_certain=True)


def test_a_small_board_is_solved() -> None:
    game = play(new_game("hex 2", NO_SWAP), "x B2")
    evaluation = on(game)
    assert (evaluation.x_wins, evaluation.is_certain) == (1, True)
    end = after_line(game, evaluation.line)
    assert end.result
    assert end.result.winner is Side.X


def test_a_proof_on_a_larger_board_is_certain_too() -> None:
    evaluation = on(standing_at(new_game("square 5x5", NO_SWAP), board("""
        . . . . .
        . x . o .
        . x . . .
        . . . . .
        . . . . .
    """)))  # fmt: skip
    assert (evaluation.x_wins, evaluation.is_certain) == (1, True)
    assert said(evaluation.line) == ["C4"]


def test_who_has_no_placement_passes_in_the_line() -> None:
    position = board("""
        x .
        . x
    """)
    game = standing_at(new_game("square 2x2", NO_SWAP), position)
    evaluation = on(game)
    assert evaluation.line[0] is Deed.PASS
    assert evaluation.is_certain
    after_line(game, evaluation.line)


def test_a_chain_is_one_turn_of_the_line_and_the_rest_of_one_as_well() -> None:
    standing = standing_at(new_game("square 5x5", NO_SWAP), board("""
        . . . . .
        . x x . o
        . . . . .
        o . x x .
        . . . . .
    """))  # fmt: skip
    whole = on(standing, 400).line[0]
    assert isinstance(whole, Place)
    assert len(whole.cells) > 1
    begun = act(standing, f"x {whole.cells[0]}")
    assert begun.position.is_mid_turn
    end = after_line(begun, on(begun).line[:1])
    assert end.result or end.to_move is Side.O


def test_a_first_stone_that_wins_is_to_be_taken_over() -> None:
    game = play(new_game("hex 2"), "x B2", "o swap")
    _, placed, swapped = analysed(game).evaluations
    assert placed.line[0] is Deed.SWAP
    assert (placed.x_wins, placed.is_certain) == (swapped.x_wins, swapped.is_certain) == (1, True)
    assert Deed.SWAP not in swapped.line


def test_no_swap_is_proposed_without_the_pie_rule_or_for_a_worse_side() -> None:
    without = on(play(new_game("hex 2", NO_SWAP), "x B2"))
    assert without.x_wins == 1
    assert Deed.SWAP not in without.line
    for first in ("A1", "A2", "B2"):
        evaluation = on(play(new_game("hex 2"), f"x {first}"))
        assert (evaluation.line[0] is Deed.SWAP) is (evaluation.x_wins > 0.5)


def test_the_line_from_an_empty_board_begins_with_the_fairest_stone() -> None:
    game = new_game("square 5x5")
    evaluation = on(game, 200)
    assert 0.3 < evaluation.x_wins < 0.7
    assert isinstance(evaluation.line[0], Place)
    assert (Deed.SWAP in evaluation.line) is (evaluation.x_wins > 0.5)
    after_line(game, evaluation.line)


def test_an_analysis_is_of_one_game_whatever_its_players_are_called() -> None:
    game = play(new_game("hex 3"), "x A1", "o swap")
    at, key = game.latest, "0" * 16

    def adopted(userid: str) -> Game:
        return game.rule(Ruling(Verb.ADOPT, Side.X, userid), at, key)

    assert identity_of(adopted("carol")) == identity_of(adopted("dave"))
    others = [
        game,
        adopted("carol"),
        act(game, "o C3"),
        play(new_game("hex 3"), "x A2", "o swap"),
        play(new_game("hex 4"), "x A1", "o swap"),
        play(new_game("hex 3", kind="churn"), "x A1", "o swap"),
    ]
    assert len(set(map(identity_of, others))) == len(others)


@given(
    st.lists(
        st.builds(
            Evaluation,
            st.floats(0, 1).map(lambda rate: round(rate, 4)),
            st.booleans(),
            st.lists(st.sampled_from(list(map(wish, ["pass", "swap", "D4", "D4 E5"])))).map(tuple),
        )
    )
)
def test_an_analysis_is_read_back_as_it_was_written(evaluations: list[Evaluation]) -> None:
    analysis = Analysis("4f0c", 1.5, tuple(evaluations))
    assert parse_analysis(format_analysis(analysis)) == analysis


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"game": "1", "seconds": 1, "verdicts": 1}',
     '{"game": "1", "seconds": 1, "verdicts": [{"x_wins": 1, "certain": true, "line": ["?"]}]}'],
)  # fmt: skip
def test_what_is_no_analysis_is_not_read(text: str) -> None:
    with pytest.raises(BadAnalysis):
        parse_analysis(text)


@pytest.mark.parametrize(("kind", "grid"), [each for each in SEARCHED if each[1] != "square 7x3"])
def test_a_library_for_go_reads_the_evaluations_where_each_record_ends(
    kind: str, grid: str
) -> None:
    game = anything_goes(kind, grid, 3)
    analysis = analysed(game, 2)
    text = format_sgf(Sheet(game), notes_of(analysis))
    curve, ends = list[float](), list[str]()
    for node in sgfmill.Sgf_game.from_bytes(text.encode()).get_main_sequence():
        if node.has_property("SBKV"):
            curve.append(float(node.get("SBKV")))
            ends.append(node.get("C").splitlines()[-1])
    assert curve == [round(100 * each.x_wins, 2) for each in analysis.evaluations]
    assert ["for certain" in end for end in ends] == [e.is_certain for e in analysis.evaluations]
    assert taken_back(text) == taken_back(format_sgf(Sheet(game)))

"""Puzzles and the steps of the rules: each puzzle has one answer, and every turn is judged."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from pbm_oust.board import Place
from pbm_oust.board.game import NO_KEY
from pbm_oust.board.puzzle import Goal, Puzzle, drawn_position, puzzles_of, steps_of, turns
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.words import words_in
from pbm_oust.rules import KINDS, Kind, Side, parse_grid
from pbm_oust.rules.churn import Churn
from pbm_oust.rules.oust import Oust
from tests.support.boards import naive_churn_of, naive_of
from tests.support.naive import Naive, name_of, point_of
from tests.support.plain_solver import PlainSolver, whole_turns
from tests.support.proving import right_turns
from tests.support.rings import fast_if

PUZZLES = [puzzle for kind in KINDS.values() for puzzle in puzzles_of(kind)]
STEPS = [step for kind in KINDS.values() for step in steps_of(kind)]
SCRIPT = Path(__file__).parents[2] / "scripts" / "find_puzzles"


def named(puzzle: Puzzle) -> str:
    return f"{puzzle.kind.name} {puzzle.name or puzzle.number}"


@pytest.mark.parametrize("puzzle", PUZZLES, ids=named)
def test_a_puzzle_has_one_answer_and_it_is_the_one_that_is_told(puzzle: Puzzle) -> None:
    right, replies = right_turns(puzzle.game.position, puzzle.goal)
    ((_, position),) = right
    assert puzzle.solution.game.position == position
    assert replies == {",".join(turn): ",".join(reply) for turn, reply in puzzle.replies.items()}


def naive(puzzle: Puzzle, cells: Sequence[str] = ()) -> Naive:
    """Return the position of a puzzle after some placements, for the naive rules."""
    position = puzzle.game.position
    known: Naive
    if isinstance(position, Oust):
        known = naive_of(position)
    else:
        assert isinstance(position, Churn)
        known = naive_churn_of(position)
    for cell in cells:
        known = known.place(point_of(cell))
    return known


def lost(before: Naive, after: Naive) -> int:
    """Return how many stones of o have come off the board."""
    return list(before.stones.values()).count("o") - list(after.stones.values()).count("o")


@pytest.mark.parametrize("puzzle", PUZZLES, ids=named)
def test_plain_rules_find_the_answer_and_no_other(puzzle: Puzzle) -> None:
    start, told = naive(puzzle), naive(puzzle, puzzle.answer)
    after = [each for _, each in whole_turns(start)]
    match puzzle.goal:
        case Goal.WIN:
            right = [each for each in after if each.ended == "x"]
        case Goal.HOLD:
            right = [each for each in after if all(o.ended != "o" for _, o in whole_turns(each))]
        case Goal.MOST:
            most = max(lost(start, each) for each in after)
            assert lost(start, told) == most
            placed = {point_of(cell) for cell in puzzle.answer}
            right = [each for each in after if lost(start, each) == most]
            assert all(each.stones.get(point) == "x" for each in right for point in placed)
            return
        case _:
            return
    assert right == [told]


FORCED = [each for each in PUZZLES if each.goal is Goal.FORCE]
MANY_REPLIES = 20
"""Those that have so many take a plain search long."""


@pytest.mark.parametrize(
    "puzzle", fast_if(lambda each: len(each.replies) < MANY_REPLIES, FORCED), ids=named
)
def test_a_plain_search_proves_the_answer_and_every_reply(puzzle: Puzzle) -> None:
    solver, turns_of_x = PlainSolver(), dict[str, Naive]()
    for points, after in whole_turns(naive(puzzle)):
        turns_of_x[",".join(map(name_of, points))] = after
    right = [each for each in turns_of_x.values() if solver.worth(each, "x") == 1]
    assert right == [naive(puzzle, puzzle.answer)]
    replied = [naive(puzzle, cells) for cells in puzzle.replies]
    assert len(replied) == len(turns_of_x) - 1
    assert all(after in replied for after in turns_of_x.values() if after not in right)
    for cells, reply in puzzle.replies.items():
        answered = naive(puzzle, (*cells, *reply))
        assert answered.ended or answered.to_move == "x", f"{reply} is half a turn"
        assert solver.worth(answered, "x") < 1, reply


@pytest.mark.parametrize("puzzle", PUZZLES, ids=named)
def test_every_turn_is_judged_by_what_it_reaches(puzzle: Puzzle) -> None:
    needed = set(puzzle.answer)
    for cells, _ in turns(puzzle.game.position):
        tried = puzzle.tried(cells)
        is_right = needed <= set(cells) if puzzle.goal is Goal.MOST else needed == set(cells)
        assert tried.is_reached is is_right, cells
        if tried.is_over and not is_right and puzzle.goal in (Goal.HOLD, Goal.FORCE):
            after = tried.game.act(Side.O, Place(tried.reply), tried.game.latest, NO_KEY)
            assert after.result or puzzle.goal is Goal.FORCE, cells


@pytest.mark.parametrize("step", [each for each in STEPS if each.answer], ids=named)
def test_a_step_of_the_rules_can_be_done(step: Puzzle) -> None:
    assert step.solution.is_reached


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_first_step_wins_a_game(kind: Kind) -> None:
    result = steps_of(kind)[0].solution.game.result
    assert result is not None
    assert result.winner is Side.X


@pytest.mark.parametrize("kind", KINDS)
def test_the_words_of_the_steps_are_those_of_their_boards(kind: str) -> None:
    words = words_in(ENGLISH, "pbmserv@localhost").words_of_kind(KINDS[kind])
    assert list(getattr(words, "steps", {})) == [step.name for step in steps_of(KINDS[kind])]


def test_the_script_prints_puzzles_as_their_files_have_them() -> None:
    words = "oust", "--size", "4", "--goal", "win", "--games", "6"
    done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, check=True)
    found = msgspec.toml.decode(done.stdout)["puzzles"]
    assert found
    for each in found:
        position = drawn_position(KINDS["oust"], parse_grid(each["grid"]), each["board"])
        ((cells, _),), _ = right_turns(position, Goal(each["goal"]))
        assert {*cells} == {*each["answer"].split(",")}


def test_a_drawing_that_does_not_fit_its_grid_is_none() -> None:
    with pytest.raises(ValueError, match="zip"):
        drawn_position(KINDS["oust"], parse_grid("square 3x3"), ". . .\n. x .")

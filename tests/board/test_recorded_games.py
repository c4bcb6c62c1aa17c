from collections.abc import Iterator
from typing import Any

import pytest

from pbm_oust.board.history import read_history
from pbm_oust.rules import KINDS, Position, Side, parse_grid
from pbm_oust.rules.churn import ChurnEnding
from pbm_oust.rules.oust import Oust, OustEnding
from pbm_oust.rules.position import taken
from tests.support.boards import (
    board,
    capturing,
    drawn,
    naive_start,
    names,
    other_to_move,
    placements,
)
from tests.support.games import history_of, new_game, play
from tests.support.naive import names_of, point_of
from tests.support.recorded import RecordedAction, RecordedGame, figures, grid_name, recorded_games

SMALL = 61
"""The most cells for which the naive rules replay a game in good time."""

GAMES = recorded_games()
SMALL_GAMES = [game for game in GAMES if parse_grid(game.grid).cells.bit_count() <= SMALL]
WON = {"oust": OustEnding.CAPTURE, "churn": ChurnEnding.MAJORITY}
"""How a game of each kind is won."""


every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.name))


def steps(game: RecordedGame) -> Iterator[tuple[Position, RecordedAction, Position]]:
    """Yield every action with the positions before and after it."""
    before = KINDS[game.kind].start(parse_grid(game.grid))
    for action in game.actions:
        if action.at == "pass":
            after = before.pass_turn()
        else:
            after = before.place(before.grid.parse_cell(action.at))
        yield before, action, after
        before = after


@every_game
def test_a_recorded_game_has_its_recorded_placements_and_boards(game: RecordedGame) -> None:
    for before, action, after in steps(game):
        assert before.to_move is Side(action.by)
        assert before.placements().bit_count() == action.legal
        assert before.has_placement() is (action.at != "pass")
        assert action.legal_at in (None, placements(before))
        assert names(before.grid, taken(before, after)) == action.captured
        assert drawn(after) == action.after


@every_game
def test_a_recorded_game_ends_with_its_last_action_and_its_recorded_result(
    game: RecordedGame,
) -> None:
    *earlier, last = [after.result for _, _, after in steps(game)]

    assert earlier == [None] * len(earlier)
    if game.result is None:
        assert last is None
    elif game.result == "draw":
        assert last
        assert (last.winner, last.how) == (None, OustEnding.BLOCKED)
    else:
        assert last
        assert (last.winner, last.how) == (Side(game.result), WON[game.kind])


@every_game
def test_a_recorded_game_is_played_turn_by_turn_and_its_history_reads_back(
    game: RecordedGame,
) -> None:
    played = play(new_game(game.grid, kind=game.kind), *game.turns())

    assert len(played.records) == len(game.turns())
    assert read_history(history_of(played)).game == played


@pytest.mark.parametrize("game", SMALL_GAMES, ids=lambda game: str(game.name))
def test_the_naive_rules_say_the_same_of_a_recorded_game(game: RecordedGame) -> None:
    position = naive_start(game.kind, game.grid)
    for action in game.actions:
        assert position.to_move == action.by
        assert " ".join(names_of(position.placements())) == action.legal_at
        if action.at == "pass":
            position = position.pass_turn()
        else:
            captured = position.taken_at(point_of(action.at))
            assert " ".join(names_of(captured)) == action.captured
            position = position.place(point_of(action.at))
    assert position.ended == game.result


def figure_board(figure: dict[str, Any]) -> Oust:
    grid = grid_name(figure["grid"], figure["size"])
    return board(figure["board"], grid, to_move=Side(figure["to_move"]))


def test_figure_1_shows_all_placements_none_of_them_capturing() -> None:
    figure = figures()[1]
    position = figure_board(figure)

    assert placements(position).split() == figure["placements"]
    assert capturing(position) == ""


@pytest.mark.parametrize("number", [2, 3, 4, 6])
def test_a_figure_shows_what_a_placement_captures(number: int) -> None:
    figure = figures()[number]
    before = figure_board(figure)
    cell = before.grid.parse_cell(figure["play"])

    after = before.place(cell)

    assert names(before.grid, taken(before, after)).split() == figure["captured"]
    assert drawn(after) == figure["after"]
    group = after.grid.flood(cell, after.stones(before.to_move))
    assert group.bit_count() == figure["group_formed"]
    assert bool(after.result) is figure["wins"]


def test_figure_5_shows_a_side_that_must_pass_while_the_other_one_may_place() -> None:
    position = figure_board(figures()[5])

    assert placements(position) == ""
    assert placements(position.pass_turn()) != ""


def test_figure_7_shows_the_largest_groups_and_all_stones() -> None:
    figure = figures()[7]
    position = figure_board(figure)

    tallies = {side.value: list(position.tally(side)) for side in Side}

    assert tallies == figure["largest_and_total"]


def test_figure_7_leaves_both_sides_many_placements() -> None:
    figure = figures()[7]
    position = figure_board(figure)
    by_side = {one.to_move.value: one for one in (position, other_to_move(position))}

    counted = {side: one.placements().bit_count() for side, one in by_side.items()}

    assert counted == figure["legal"]

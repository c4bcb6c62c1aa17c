"""The positions of a kind are values, and fulfil what `Position` says."""

import re
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from random import Random

import pytest

import pbm_oust
from pbm_oust.board.notation import DRAW
from pbm_oust.experiments.counting import count_sequences
from pbm_oust.experiments.simulate import play
from pbm_oust.grammar.vocabulary import ALIASES
from pbm_oust.rules import KINDS, How, Kind, Position, Side
from pbm_oust.rules.position import Fault, IllegalPass, IllegalPlacement, Occupied, taken
from pbm_oust.service.table import FORMS
from tests.support.boards import drawn, naive_start
from tests.support.kinds import (
    fault_at,
    faults_of,
    games_of,
    grids_of,
    short_games,
    small_grids,
    steps_of,
)
from tests.support.naive import Naive, names_of, point_of


def occupied(position: Position) -> int:
    return position.stones(Side.X) | position.stones(Side.O)


def test_a_game_begins_with_an_empty_board_and_x_to_place(kind: Kind) -> None:
    for grid in grids_of(kind):
        start = kind.start(grid)
        assert (start.grid, occupied(start), start.to_move) == (grid, 0, Side.X)
        assert start.has_placement()
        assert (start.is_mid_turn, start.result) == (False, None)


def test_a_stone_goes_on_free_cells_alone_and_stays_there(kind: Kind) -> None:
    for before, cell, after in steps_of(kind):
        mover = before.to_move
        assert not before.placements() & ~before.grid.cells
        assert not before.placements() & occupied(before)
        if cell:
            assert cell & after.stones(mover)
            assert not after.stones(mover) & ~(before.stones(mover) | cell)
            assert not after.stones(mover.other) & ~before.stones(mover.other)


def test_no_cell_has_two_stones(kind: Kind) -> None:
    for _, _, after in steps_of(kind):
        assert not after.stones(Side.X) & after.stones(Side.O)
        assert not occupied(after) & ~after.grid.cells


def test_all_other_cells_are_refused_and_those_with_a_stone_as_occupied(kind: Kind) -> None:
    for before, _, _ in steps_of(kind):
        for cell in before.grid.each(before.grid.cells & ~before.placements()):
            fault = fault_at(before, cell)
            assert isinstance(fault, Occupied) is bool(cell & occupied(before))


def test_all_placements_can_be_made(kind: Kind) -> None:
    for before, _, _ in steps_of(kind, seeds=1):
        for cell in before.grid.each(before.placements()):
            before.place(cell)


def test_the_capturing_placements_are_those_that_take_enemy_stones(kind: Kind) -> None:
    for before, _, _ in steps_of(kind, seeds=2):
        enemies = before.stones(before.to_move.other)
        takes = (
            cell
            for cell in before.grid.each(before.placements())
            if taken(before, before.place(cell)) & enemies
        )
        assert before.capturing() == sum(takes)


def test_a_side_passes_when_it_has_no_placement_and_never_else(kind: Kind) -> None:
    for before, cell, after in steps_of(kind):
        assert before.has_placement() is bool(before.placements()) is bool(cell)
        if cell:
            with pytest.raises(IllegalPass):
                before.pass_turn()
        else:
            assert after.to_move is before.to_move.other
            assert drawn(after) == drawn(before)


def test_the_turn_goes_to_the_other_side_unless_it_goes_on(kind: Kind) -> None:
    for before, _, after in steps_of(kind):
        if not after.result:
            assert (after.to_move is before.to_move) is after.is_mid_turn
        if after.is_mid_turn:
            assert kind.has_chains
            assert after.has_placement()


def test_every_game_ends_by_its_own_rules_and_nobody_places_after_that(kind: Kind) -> None:
    for game in games_of(kind):
        assert isinstance(game.result.how, kind.endings)
        last = game.steps[-1][2]
        assert (last.placements(), last.capturing(), last.has_placement()) == (0, 0, False)
        with pytest.raises(IllegalPass):
            last.pass_turn()


def test_a_position_stays_as_it_was_when_a_stone_is_placed(kind: Kind) -> None:
    for before, cell, after in steps_of(kind):
        seen = repr(before)
        again = before.place(cell) if cell else before.pass_turn()
        assert repr(before) == seen
        assert again == after
        assert hash(again) == hash(after)
        assert again != before


def test_nothing_of_a_position_can_be_changed(kind: Kind) -> None:
    position = kind.start(kind.default_grid)
    with pytest.raises(AttributeError):
        position.result = None  # type: ignore[misc]  # the types forbid it too
    assert not hasattr(position, "__dict__")


def test_the_figures_beside_a_player_end_with_the_number_of_stones(kind: Kind) -> None:
    for _, _, after in steps_of(kind):
        for side in Side:
            assert after.tally(side)[-1] == after.stones(side).bit_count()


def test_every_rule_that_a_placement_can_break_is_broken_in_some_game(kind: Kind) -> None:
    module = import_module(type(kind.start(kind.default_grid)).__module__)
    own = {fault for fault in Fault.__subclasses__() if fault in vars(module).values()}
    assert {*faults_of(kind)} == own | {Occupied}
    assert len({fault.word for fault in faults_of(kind)}) == len(faults_of(kind))


def test_a_fast_game_makes_the_placements_that_positions_allow(kind: Kind) -> None:
    if not kind.fast_game:
        return
    for game in games_of(kind):
        position, choices = kind.start(game.grid), list[int]()

        def choose(some: int, choices: list[int] = choices) -> int:
            choices.append(some & -some)
            return choices[-1]

        turns, result = kind.fast_game(game.grid, choose)
        made = 0
        for cell in choices:
            while not position.has_placement():
                position = position.pass_turn()
            made += not position.is_mid_turn
            position = position.place(cell)
        assert (turns, result) == (made, position.result)


def test_a_placement_that_is_refused_says_why(kind: Kind) -> None:
    for game, turns, cell in faults_of(kind).values():
        with pytest.raises(IllegalPlacement) as illegal:
            game.game(turns).position.place(cell)
        assert str(illegal.value) == illegal.value.fault.word


# The engine agrees with the naive rules of a kind, which are in `tests/support/naive_NAME.py`


FEW = 1_500
"""The most sequences of placements that are counted the naive way."""

SMALL = 12
"""The most cells of a grid on which whole games are played the naive way."""


def test_both_count_the_same_sequences_of_placements(kind: Kind) -> None:
    for grid in grids_of(kind)[:6]:
        start, naive = kind.start(grid), naive_start(kind.name, str(grid))
        counts = (count_sequences(start, depth) for depth in range(1, 6))
        counted = list(takewhile(lambda count: count <= FEW, counts))
        assert counted
        assert [naive.count_sequences(nth) for nth, _ in enumerate(counted, 1)] == counted


def test_both_play_the_same_games(kind: Kind) -> None:
    small = [game for game in games_of(kind) if game.grid.cells.bit_count() <= SMALL]
    for game in (*small, *short_games(kind).values()):
        naive: Naive = naive_start(kind.name, str(game.grid))
        for before, cell, after in game.steps:
            assert naive.to_move == before.to_move.value
            assert names_of(naive.placements()) == game.grid.names(before.placements())
            if cell:
                point = point_of(game.grid.format_cell(cell))
                gone = game.grid.names(taken(before, after))
                assert names_of(naive.taken_at(point)) == gone
                naive = naive.place(point)
            else:
                naive = naive.pass_turn()
        winner = game.result.winner
        assert naive.ended == (winner.value if winner else "draw")


# What a kind says of itself


def test_it_is_registered_by_its_name(kind: Kind) -> None:
    assert KINDS[kind.name] is kind


def test_nothing_but_the_registry_imports_it(kind: Kind) -> None:
    module = type(kind.start(kind.default_grid)).__module__
    package, _, name = module.rpartition(".")
    imports = re.compile(
        rf"^from {re.escape(module)} import|^from {re.escape(package)} import .*\b{name}\b", re.M
    )
    files = Path(*pbm_oust.__path__).rglob("*.py")
    found = {file.stem for file in files if imports.search(file.read_text())}
    assert found <= {"kinds"}


def test_its_name_fits_into_an_address(kind: Kind) -> None:
    assert re.fullmatch("[a-z]{1,16}", kind.name)


def test_its_name_is_no_word_of_a_command_in_any_language(kind: Kind) -> None:
    topics = {word for form in FORMS for word in form.name.split()}
    assert kind.name not in topics | ALIASES.keys()


def test_it_is_played_on_its_default_grids_and_on_none_of_another_shape(kind: Kind) -> None:
    assert all(grid.shape is shape for shape, grid in kind.defaults.items())
    assert all(kind.plays_on(grid) for grid in kind.defaults.values())
    others = [grid for grid in small_grids() if grid.shape not in kind.defaults]
    assert not any(kind.plays_on(grid) for grid in others)


def test_it_is_played_on_small_grids_too_so_that_these_tests_can_play_it(kind: Kind) -> None:
    assert grids_of(kind)


def test_it_is_played_at_random_for_experiments(kind: Kind) -> None:
    for grid in grids_of(kind)[:3]:
        course = play(kind, grid, Random(1))
        assert isinstance(course.result.how, kind.endings)
        assert course.placements >= course.turns
        assert (course.longest_chain > 1) <= kind.has_chains


def test_its_endings_are_words_of_its_own(kind: Kind) -> None:
    words = [str(ending.value) for ending in kind.endings]
    assert all(re.fullmatch("[a-z]+", word) for word in words)
    assert not {*words} & {DRAW, *(how.value for how in How)}


def test_every_ending_of_its_own_comes_about_in_a_short_game(kind: Kind) -> None:
    assert {result.how for result in short_games(kind)} == {*kind.endings}

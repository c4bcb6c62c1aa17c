"""The positions of a kind are values, and fulfil what `Position` says."""

from importlib import import_module

import pytest

from pbm_oust.rules.position import (
    Fault,
    IllegalPass,
    IllegalPlacement,
    Kind,
    Occupied,
    Position,
    Side,
    taken,
)
from tests.support.boards import drawn
from tests.support.kinds import fault_at, faults_of, games_of, grids_of, steps_of


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

"""What holds in every position of Oust that play can reach, checked on random games."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.rules.grid import Grid, Shape
from pbm_oust.rules.oust import EnemyAsLarge, Oust, TakesNothing
from pbm_oust.rules.position import IllegalPass, Side, taken
from tests.support.boards import board, drawn, naive_of, other_to_move, placed, refused
from tests.support.mirrors import in_mirror, mirrored
from tests.support.naive import names_of, point_of
from tests.support.naive_oust import NaiveOust
from tests.support.strategies import Play, grids, plays, relaxed


@relaxed
@given(plays)
def test_no_two_enemy_groups_of_several_stones_ever_touch(play: Play) -> None:
    grid = play.grid
    for position in play.positions():
        large = {
            side: sum(
                group for group in grid.groups(position.stones(side)) if group.bit_count() > 1
            )
            for side in Side
        }
        assert not grid.neighbours(large[Side.X]) & large[Side.O]


@relaxed
@given(plays)
def test_every_placement_that_is_offered_is_accepted_and_no_other(play: Play) -> None:
    for position in play.positions():
        if not position.result:
            accepted = {
                cell for cell in play.grid.each(play.grid.cells) if refused(position, cell) is None
            }
            assert sum(accepted) == position.placements()


@relaxed
@given(grids, st.randoms(use_true_random=False))
def test_on_boards_that_play_cannot_reach_the_placements_are_right_too(
    grid: Grid, random: Random
) -> None:
    marks = {cell: random.choice("xo.") for cell in grid.each(grid.cells)}
    x, o = (sum(cell for cell, mark in marks.items() if mark == side) for side in "xo")
    position = Oust(grid, x, o)

    assert grid.names(position.placements()) == names_of(naive_of(position).placements())
    assert grid.names(position.capturing()) == names_of(naive_of(position).capturing())


@relaxed
@given(plays)
def test_a_placement_is_refused_for_the_reason_that_the_naive_rules_give(play: Play) -> None:
    *_, position = (position for position in play.positions() if not position.result)
    grid, naive = play.grid, naive_of(position)
    for cell in grid.each(grid.cells):
        fault, verdict = refused(position, cell), naive.judge(grid.place_of(cell))
        assert (fault.word if fault else None) == verdict.fault
        if isinstance(fault, TakesNothing | EnemyAsLarge):
            assert fault.group == verdict.group
        if isinstance(fault, EnemyAsLarge):
            at = point_of(fault.at)
            assert any(at in enemies for enemies in verdict.largest_enemies)
            assert fault.enemy == len(verdict.largest_enemies[0])


@relaxed
@given(plays)
def test_the_capturing_placements_are_exactly_those_that_take_stones(play: Play) -> None:
    for position in play.positions():
        if not position.result:
            taking = {
                cell
                for cell in play.grid.each(position.placements())
                if taken(position, position.place(cell))
            }
            assert sum(taking) == position.capturing()


@relaxed
@given(plays)
def test_only_enemy_stones_are_taken(play: Play) -> None:
    for before, cell, after in play.steps():
        mover = before.to_move
        assert after.stones(mover) == before.stones(mover) | cell
        gone = taken(before, after)
        assert after.stones(mover.other) == before.stones(mover.other) & ~gone


@relaxed
@given(plays)
def test_whether_there_is_a_placement_agrees_with_the_placements(play: Play) -> None:
    for position in play.positions():
        for either in (position, other_to_move(position)):
            assert either.has_placement() is bool(either.placements())


@relaxed
@given(plays)
def test_a_side_may_pass_only_without_a_placement(play: Play) -> None:
    for position in play.positions():
        if position.has_placement():
            with pytest.raises(IllegalPass):
                position.pass_turn()
        elif not position.result:
            assert position.pass_turn() == other_to_move(position)


@relaxed
@given(plays)
def test_a_turn_goes_on_only_after_a_capture_that_leaves_a_placement(play: Play) -> None:
    for before, _, after in play.steps():
        goes_on = after.to_move is before.to_move and not after.result
        assert after.is_mid_turn is goes_on
        if goes_on:
            assert taken(before, after)
            assert after.has_placement()


@relaxed
@given(plays)
def test_a_game_goes_on_as_long_as_either_side_has_a_placement_and_both_have_stones(
    play: Play,
) -> None:
    positions = list(play.positions())
    for number, position in enumerate(positions):
        someone = position.has_placement() or other_to_move(position).has_placement()
        both = (position.x and position.o) or number < 2
        assert (position.result is None) is bool(someone and both)


@relaxed
@given(plays)
def test_nobody_draws_on_a_hexagonal_grid(play: Play) -> None:
    *_, last = play.positions()
    if play.grid.shape is Shape.HEX and last.result:
        assert last.result.winner


@relaxed
@given(plays)
def test_the_engine_and_the_naive_rules_play_the_same_game(play: Play) -> None:
    grid, naive = play.grid, NaiveOust.start(str(play.grid))
    for before, cell, after in play.steps():
        assert grid.names(before.placements()) == names_of(naive.placements())
        assert grid.names(before.capturing()) == names_of(naive.capturing())
        naive = naive.place(grid.place_of(cell)) if cell else naive.pass_turn()
        assert naive == naive_of(after)


@relaxed
@given(plays)
def test_a_mirrored_game_has_mirrored_placements_captures_and_results(play: Play) -> None:
    grid, image = play.grid, Oust(mirrored(play.grid))
    for before, cell, after in play.steps():
        assert image.placements() == in_mirror(grid, before.placements())
        assert image.capturing() == in_mirror(grid, before.capturing())
        image = image.place(in_mirror(grid, cell)) if cell else image.pass_turn()
        assert (image.x, image.o) == (in_mirror(grid, after.x), in_mirror(grid, after.o))
        assert (image.to_move, image.is_mid_turn) == (after.to_move, after.is_mid_turn)
        assert image.result == after.result


@relaxed
@given(plays)
def test_a_position_reads_back_from_its_drawing(play: Play) -> None:
    for position in play.positions():
        same = board(
            drawn(position),
            str(play.grid),
            to_move=position.to_move,
            is_mid_turn=position.is_mid_turn,
        )
        assert replace(same, result=position.result) == position


@relaxed
@given(plays)
def test_a_game_is_the_same_when_its_placements_are_named(play: Play) -> None:
    named = Oust(play.grid)
    for _, cell, after in play.steps():
        named = placed(named, play.grid.format_cell(cell)) if cell else named.pass_turn()
        assert named == after


@relaxed
@given(grids, st.data())
def test_the_first_stone_may_go_anywhere(grid: Grid, data: st.DataObject) -> None:
    start = Oust(grid)
    cell = data.draw(st.sampled_from(list(grid.each(grid.cells))))

    after = start.place(cell)

    assert after.to_move is Side.O
    assert after.placements() == grid.cells & ~cell

"""What holds in every position of Churn, checked on random games and on boards of any stones."""

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.rules.churn import Churn, NotSmallest, smallest_joins
from pbm_oust.rules.churn import Ending as ChurnEnding
from pbm_oust.rules.grid import Grid, hexagon
from pbm_oust.rules.position import IllegalPass, Result, Side, taken
from tests.support.boards import churn_board, drawn, naive_churn_of, placed, refused
from tests.support.mirrors import in_mirror, mirrored
from tests.support.naive import names_of
from tests.support.naive_churn import NaiveChurn
from tests.support.strategies import ChurnPlay, churn_plays, odd_grids, relaxed


def sizes(grid: Grid, stones: int) -> list[int]:
    """Return the sizes of all groups of these stones, the largest first."""
    return sorted((group.bit_count() for group in grid.groups(stones)), reverse=True)


def scattered(grid: Grid, random: Random, marks: str) -> Churn:
    """Return a position that play need not reach: a random mark on each cell."""
    marked = {cell: random.choice(marks) for cell in grid.each(grid.cells)}
    x, o = (sum(cell for cell, mark in marked.items() if mark == side) for side in "xo")
    return Churn(grid, x, o, random.choice(list(Side)))


def assert_agrees_with_naive_rules(position: Churn) -> None:
    """Fail unless the naive rules have the same placements leading to the same positions."""
    grid, naive = position.grid, naive_churn_of(position)
    assert grid.names(position.placements()) == names_of(naive.placements())
    for cell in grid.each(position.placements()):
        assert naive_churn_of(position.place(cell)) == naive.place(grid.place_of(cell))


@relaxed
@given(churn_plays)
def test_the_engine_and_the_naive_rules_agree_in_positions_of_random_games(
    play: ChurnPlay,
) -> None:
    for position in play.last_positions():
        assert_agrees_with_naive_rules(position)


@relaxed
@given(odd_grids, st.randoms(use_true_random=False), st.sampled_from(["xo.", "xxo.", "xo..."]))
def test_the_engine_and_the_naive_rules_agree_on_boards_that_play_cannot_reach(
    grid: Grid, random: Random, marks: str
) -> None:
    assert_agrees_with_naive_rules(scattered(grid, random, marks))


def test_the_engine_and_the_naive_rules_agree_on_every_board_of_seven_cells() -> None:
    for marks in product(".xo", repeat=7):
        a, b, c, d, e, f, g = marks
        board = churn_board(f"{a}{b}/{c}{d}{e}/{f}{g}", "hex 2")
        if "." in marks:
            assert_agrees_with_naive_rules(board)


@relaxed
@given(churn_plays)
def test_the_engine_and_the_naive_rules_play_the_same_game(play: ChurnPlay) -> None:
    naive = NaiveChurn.start(str(play.grid))
    for _, cell, after in play.steps():
        naive = naive.place(play.grid.place_of(cell))
        assert naive == naive_churn_of(after)


@relaxed
@given(churn_plays)
def test_a_placement_is_refused_for_the_reason_that_the_naive_rules_give(play: ChurnPlay) -> None:
    *_, position = (position for position in play.last_positions() if not position.result)
    assert_refuses_like_naive_rules(position)


@relaxed
@given(odd_grids, st.randoms(use_true_random=False))
def test_on_any_board_a_placement_is_refused_for_the_reason_that_the_naive_rules_give(
    grid: Grid, random: Random
) -> None:
    assert_refuses_like_naive_rules(scattered(grid, random, "xxo."))


def assert_refuses_like_naive_rules(position: Churn) -> None:
    """Fail unless the naive rules refuse the same placements, for the same reasons."""
    grid, naive = position.grid, naive_churn_of(position)
    for cell in grid.each(grid.cells):
        fault, verdict = refused(position, cell), naive.judge(grid.place_of(cell))
        assert (fault.word if fault else None) == verdict.fault
        if isinstance(fault, NotSmallest):
            assert (fault.group, fault.smallest) == (verdict.group, verdict.smallest)


@relaxed
@given(churn_plays)
def test_every_placement_that_is_offered_is_accepted_and_no_other(play: ChurnPlay) -> None:
    for position in play.last_positions():
        accepted = {
            cell for cell in play.grid.each(play.grid.cells) if refused(position, cell) is None
        }
        assert sum(accepted) == position.placements()


@relaxed
@given(odd_grids, st.randoms(use_true_random=False), st.sampled_from(["x.", "x..", "xx.o"]))
def test_the_smallest_joins_are_those_that_a_search_cell_by_cell_finds(
    grid: Grid, random: Random, marks: str
) -> None:
    position = scattered(grid, random, marks)
    own = position.x
    some = grid.neighbours(own) & ~own & ~position.o & random.getrandbits(grid.cells.bit_length())
    formed = {cell: grid.flood(cell, own | cell).bit_count() for cell in grid.each(some)}
    smallest = min(formed.values(), default=0)

    found = smallest_joins(grid, grid.groups(own), some)

    assert found == sum(cell for cell, size in formed.items() if size == smallest)


def test_the_smallest_joins_are_found_among_groups_of_very_different_sizes() -> None:
    grid = hexagon(7)
    random = Random(1)
    for _ in range(300):
        own = 0
        for _ in range(random.randrange(1, 7)):
            around = random.choice(list(grid.each(grid.cells)))
            for _ in range(random.randrange(5)):
                around |= grid.neighbours(around) & random.getrandbits(200)
            own |= around
        empty = grid.neighbours(own) & ~own
        formed = {cell: grid.flood(cell, own | cell).bit_count() for cell in grid.each(empty)}
        smallest = min(formed.values(), default=0)
        expected = sum(cell for cell, size in formed.items() if size == smallest)
        assert smallest_joins(grid, grid.groups(own), empty) == expected


@relaxed
@given(churn_plays)
def test_after_a_join_every_own_group_is_at_least_as_large_as_the_one_formed(
    play: ChurnPlay,
) -> None:
    for before, cell, after in play.last_steps():
        own = after.stones(before.to_move)
        formed = play.grid.flood(cell, own).bit_count()
        assert min(sizes(play.grid, own)) >= formed


@relaxed
@given(churn_plays)
def test_only_own_groups_that_are_smaller_than_the_one_formed_are_removed(play: ChurnPlay) -> None:
    grid = play.grid
    for before, cell, after in play.last_steps():
        own, left = before.stones(before.to_move), after.stones(before.to_move)
        formed = grid.flood(cell, left)
        removed = taken(before, after)
        assert removed == (own | cell) & ~left
        assert all(size < formed.bit_count() for size in sizes(grid, removed))
        assert not grid.neighbours(removed) & left


@relaxed
@given(churn_plays)
def test_the_stones_of_the_enemy_stay_as_they_are(play: ChurnPlay) -> None:
    for before, _, after in play.last_steps():
        assert after.stones(before.to_move.other) == before.stones(before.to_move.other)


@relaxed
@given(churn_plays)
def test_every_stone_lies_on_a_cell_of_its_own(play: ChurnPlay) -> None:
    for position in play.last_positions():
        stones = sum(position.stones(side).bit_count() for side in Side)
        assert not position.x & position.o
        assert not (position.x | position.o) & ~play.grid.cells
        assert stones <= play.grid.cells.bit_count()
        assert sum(sum(position.tally(side)) for side in Side) == stones


@relaxed
@given(churn_plays)
def test_the_sizes_of_a_sides_groups_grow_with_every_turn_so_that_every_game_ends(
    play: ChurnPlay,
) -> None:
    for before, _, after in play.last_steps():
        mover = before.to_move
        grown, was = (sizes(play.grid, each.stones(mover)) for each in (after, before))
        assert grown > was


@pytest.mark.parametrize("sides", [(1, 2), (1, 5), (2, 2), (3, 3), (3, 4), (4, 4), (3, 3, 5)])
def test_random_games_end_on_a_full_board_with_the_majority_as_the_winner(
    sides: tuple[int, ...],
) -> None:
    grid = hexagon(*sides)
    cells = grid.cells.bit_count()
    for seed in range(10):
        *_, last = (after for _, _, after in ChurnPlay(grid, seed, length=cells**2).steps())
        more = max(Side, key=lambda side: last.stones(side).bit_count())
        assert last.x | last.o == grid.cells
        assert last.result == Result(more, ChurnEnding.MAJORITY)


@relaxed
@given(churn_plays)
def test_a_game_goes_on_until_the_board_is_full_and_nobody_passes(play: ChurnPlay) -> None:
    for position in play.last_positions():
        is_full = position.x | position.o == play.grid.cells
        assert bool(position.result) is is_full
        assert position.has_placement() is bool(position.placements()) is not is_full
        with pytest.raises(IllegalPass):
            position.pass_turn()


@relaxed
@given(churn_plays)
def test_a_mirrored_game_has_mirrored_placements_boards_and_results(play: ChurnPlay) -> None:
    grid, image = play.grid, Churn(mirrored(play.grid))
    for before, cell, after in play.steps():
        assert image.placements() == in_mirror(grid, before.placements())
        image = image.place(in_mirror(grid, cell))
        assert (image.x, image.o) == (in_mirror(grid, after.x), in_mirror(grid, after.o))
        assert (image.to_move, image.result) == (after.to_move, after.result)


@relaxed
@given(churn_plays)
def test_a_game_is_the_same_when_its_placements_are_named(play: ChurnPlay) -> None:
    named = Churn(play.grid)
    for _, cell, after in play.steps():
        named = placed(named, play.grid.format_cell(cell))
        assert named == after
        if not after.result:
            assert churn_board(drawn(after), str(play.grid), to_move=after.to_move) == after

"""The placement that looks best at a glance, which letters show as an example."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.rules import KINDS, Position, parse_grid, suggestion, taken
from pbm_oust.rules.grid import rings
from tests.support.boards import board
from tests.support.drawn import GRIDS, played

SEEDS = st.integers(0, 10_000)


def suggested(position: Position) -> int:
    return suggestion(position, position.placements())


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
@given(seed=SEEDS)
def test_a_suggestion_is_legal_and_none_takes_more(kind: str, grid: str, seed: int) -> None:
    position, _ = played(kind, grid, seed)
    cell = suggested(position)
    assert bool(cell) is position.has_placement()
    if cell:
        taking = {
            each: taken(position, position.place(each)).bit_count()
            for each in position.grid.each(position.capturing() or cell)
        }
        assert taking[cell] == max(taking.values())


@given(seed=SEEDS)
def test_what_takes_nothing_cannot_be_taken_at_once_if_that_can_be_helped(seed: int) -> None:
    position, _ = played("oust", "square 11x11", seed)
    enemy = position.stones(position.to_move.other)
    grid, cell = position.grid, suggested(position)
    near = grid.neighbours(enemy)
    if position.capturing() or not position.placements() & ~(near | grid.neighbours(near)):
        return
    after = position.place(cell)
    assert not any(taken(after, after.place(each)) & cell for each in grid.each(after.capturing()))


@pytest.mark.parametrize(
    ("drawn", "cell"),
    [
        (". . . . . / . . . . . / . . . . . / . . . . . / o . . . .", "C3"),
        (". . o . . / . . . . . / . . . . . / o . . . o / . . . . .", "C1"),
        (". o . / . . . / . . .", "A1"),
        (". o . / . . . / . o .", "A2"),
        (". . o / . . . / o . .", "B2"),
    ],
)
def test_a_stone_keeps_away_from_the_enemy_and_then_from_the_edge(drawn: str, cell: str) -> None:
    position = board(drawn)
    assert position.grid.format_cell(suggested(position)) == cell


def test_only_what_is_asked_for_is_suggested() -> None:
    position = board(". . . . / . . . o / . . x x / . . . .")
    grid = position.grid
    assert grid.format_cell(suggestion(position, grid.parse_cell("A1"))) == "A1"
    assert suggestion(position, 0) == 0


@pytest.mark.parametrize(
    ("grid", "first"), [("square 5x5", "B2"), ("square 13x13", "D4"), ("hex 5", "C3")]
)
def test_the_first_stone_is_neither_in_the_middle_nor_at_the_edge(grid: str, first: str) -> None:
    position = KINDS["oust"].start(parse_grid(grid))
    assert position.grid.format_cell(suggested(position)) == first


def test_who_follows_suggestions_beats_who_plays_by_chance() -> None:
    grid, chance = parse_grid("square 7x7"), random.Random(1)
    for _ in range(10):
        position = KINDS["oust"].start(grid)
        follower = position.to_move
        while not position.result:
            if not (placements := position.placements()):
                position = position.pass_turn()
            elif position.to_move is follower:
                position = position.place(suggested(position))
            else:
                position = position.place(chance.choice(list(grid.each(placements))))
        assert position.result.winner is follower


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_rings_are_all_cells_each_once_and_none_but_the_first_touches_the_edge(
    kind: str, grid: str
) -> None:
    cells = parse_grid(grid)
    around = rings(cells)
    assert sum(around) == cells.cells
    full = max(each.bit_count() for each in map(cells.around.__getitem__, cells.names_of))
    assert all(
        cells.around[each].bit_count() == full for ring in around[1:] for each in cells.each(ring)
    )

"""The pie rule: what matches say of first stones, however the board is turned."""

import pytest

from pbm_oust.experiments.counting import orbits
from pbm_oust.experiments.pie import (
    ENOUGH,
    FirstStone,
    fairest_stone,
    first_stone,
    first_stones,
    pies,
)
from pbm_oust.experiments.shares import WonShare
from pbm_oust.rules import KINDS, Grid, Kind, parse_grid

MATCHES = [(kind, grid) for kind in KINDS.values() for grid in pies(kind)]


of_each_match = pytest.mark.parametrize(
    ("kind", "grid"), MATCHES, ids=[f"{kind.name} {grid}" for kind, grid in MATCHES]
)


def test_each_usual_board_of_oust_has_a_match() -> None:
    assert {grid for kind, grid in MATCHES if kind.name == "oust"} == {*KINDS["oust"].grids}


@of_each_match
def test_each_first_stone_was_played_and_those_alike_count_as_one(kind: Kind, grid: Grid) -> None:
    stones = first_stones(kind, grid)
    cells = [{*map(grid.parse_cell, stone.cells)} for stone in stones]
    assert sorted(map(sorted, cells)) == sorted(map(sorted, orbits(grid)))
    games = [stone.share.games for stone in stones]
    assert max(games) - min(games) <= 1
    assert all(0 <= stone.share.won <= stone.share.games for stone in stones)
    parts = [stone.share.part for stone in stones]
    assert parts == sorted(parts, reverse=True)
    for stone in stones:
        for cell in stone.cells:
            assert first_stone(kind, kind.start(grid).place(grid.parse_cell(cell))) is stone


@pytest.mark.parametrize(
    ("won", "games", "is_strong", "is_weak"),
    [
        (50, 100, False, False),
        (62, 100, False, False),
        (63, 100, True, False),
        (37, 100, False, True),
        (6, 10, False, False),
    ],
)
def test_a_stone_stands_out_if_chance_would_hardly_do_it(
    won: int, games: int, is_strong: bool, is_weak: bool
) -> None:
    stone = FirstStone(("A1",), WonShare(won, games))
    assert (stone.is_strong, stone.is_weak) == (is_strong, is_weak)


@of_each_match
def test_the_fairest_stone_is_the_one_next_to_a_half(kind: Kind, grid: Grid) -> None:
    stone = fairest_stone(kind, grid)
    if min(each.share.games for each in first_stones(kind, grid)) < ENOUGH:
        assert stone is None
        return
    assert stone
    assert all(
        abs(stone.share.part - 0.5) <= abs(each.share.part - 0.5)
        for each in first_stones(kind, grid)
    )


def test_of_other_boards_nothing_is_known() -> None:
    kind, grid = KINDS["oust"], parse_grid("square 6x5")
    assert first_stones(kind, grid) == ()
    assert fairest_stone(kind, grid) is None
    assert first_stone(kind, kind.start(grid).place(1)) is None
    assert grid not in pies(kind)

"""Solved boards, against a search that knows neither symmetry nor a table."""

import sys
from collections.abc import Callable
from functools import cache
from typing import cast

import pytest

from pbm_oust.experiments.counting import (
    OutOfRoom,
    RoomForPositions,
    bytes_each,
    canonical_form,
    count_positions,
    symmetries,
)
from pbm_oust.experiments.solve import Search, Solution, Worth, forced_draws, solve
from pbm_oust.rules import KINDS, Grid, Kind, Side, parse_grid
from pbm_oust.rules.churn import Churn
from pbm_oust.rules.grid import square
from pbm_oust.rules.oust import Oust

OUST, CHURN = KINDS["oust"], KINDS["churn"]
ENOUGH = 10**6
SMALL = [
    *((OUST, name) for name in ("square 2x2", "square 3x2", "square 4x2", "square 3x3")),
    *((OUST, name) for name in ("hex 2", "hex 1,4")),
    *((CHURN, name) for name in ("hex 1,2", "hex 2")),
]


def plenty_for(grid: Grid) -> Search:
    """Return a search with room for all positions of a small board."""
    return Search(grid, RoomForPositions(ENOUGH))


@cache
def outcomes(position: Oust | Churn) -> int:
    """Return the best that x can reach: 1 a win, 0 a draw, -1 a loss."""
    if position.result:
        return {Side.X: 1, None: 0, Side.O: -1}[position.result.winner]
    cells = list(position.grid.each(position.placements()))
    after = [position.place(cell) for cell in cells] or [Oust.pass_turn(cast(Oust, position))]
    choose = max if position.to_move is Side.X else min
    return choose(outcomes(each) for each in after)


@cache
def can_draw(position: Oust | Churn, seeker: Side) -> bool:
    """Return whether a side can see to it that the game is drawn."""
    if position.result:
        return position.result.winner is None
    cells = list(position.grid.each(position.placements()))
    after = [position.place(cell) for cell in cells] or [Oust.pass_turn(cast(Oust, position))]
    choose = any if position.to_move is seeker else all
    return choose(can_draw(each, seeker) for each in after)


@pytest.mark.parametrize(("kind", "name"), SMALL)
def test_a_board_is_worth_what_plain_search_finds(kind: Kind, name: str) -> None:
    grid = parse_grid(name)
    start = Oust(grid) if kind is OUST else Churn(grid)
    solution = solve(kind, grid, plenty_for(grid))
    assert solution.without_swap == outcomes(start)
    first = [outcomes(start.place(cell)) for cell in grid.each(grid.cells)]
    assert solution.with_swap == max(-abs(worth) for worth in first)
    forced = [side for side in Side if can_draw(start, side)]
    assert forced_draws(kind, grid, plenty_for(grid)) == forced


def test_the_second_player_wins_a_board_without_swap() -> None:
    grid = parse_grid("hex 1,5")
    solution = solve(OUST, grid, plenty_for(grid))
    assert solution == Solution(Worth.LOSS, Worth.LOSS, (), 1965)


@pytest.mark.slow
def test_a_hexagon_of_side_three_is_won_by_the_first_player() -> None:
    grid = parse_grid("hex 3")
    solution = solve(OUST, grid, plenty_for(grid))
    assert (solution.without_swap, solution.with_swap) == (Worth.WIN, Worth.LOSS)


@pytest.mark.parametrize(
    ("name", "number"),
    [("square 3x3", 8), ("square 4x3", 4), ("hex 3", 12), ("hex 2,3", 6), ("hex 1,5", 6)],
)
def test_a_grid_has_its_symmetries(name: str, number: int) -> None:
    grid = parse_grid(name)
    images = list(symmetries(grid))
    assert len(images) == number
    for image in images:
        assert set(image) == set(image.values()) == set(grid.each(grid.cells))
        for cell in image:
            around = sum(image[each] for each in grid.each(grid.neighbours(cell)))
            assert grid.neighbours(image[cell]) == around


@pytest.mark.parametrize("name", ["square 4x3", "hex 3", "hex 2,3"])
def test_all_images_of_a_board_have_one_form(name: str) -> None:
    grid = parse_grid(name)
    canonical = canonical_form(grid)
    cells = list(grid.each(grid.cells))
    own, enemy = cells[::3], cells[1::4]
    forms = {
        canonical(sum(image[cell] for cell in own), sum(image[cell] for cell in enemy))
        for image in symmetries(grid)
    }
    assert len(forms) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "number"), [("square 3x3", 415), ("square 4x3", 22_730), ("hex 2,3", 6_559)]
)
def test_every_position_is_counted(name: str, number: int) -> None:
    assert count_positions(OUST, parse_grid(name), RoomForPositions(ENOUGH)) == number


def test_the_first_stones_that_win_are_told() -> None:
    grid = parse_grid("square 4x4")
    winning = solve(OUST, grid, plenty_for(grid)).winning
    assert [grid.format_cell(cell) for cell in winning] == ["B2", "C2", "B3", "C3"]


# What a search may keep, and how far it is


def solved(kind: Kind, grid: Grid, room: RoomForPositions) -> Solution:
    return solve(kind, grid, Search(grid, room))


@pytest.mark.parametrize("search", [solved, count_positions])
def test_a_search_keeps_no_more_than_there_is_room_for(
    search: Callable[[Kind, Grid, RoomForPositions], object],
) -> None:
    grid = parse_grid("square 3x3")
    plenty = RoomForPositions(1000)
    found = search(OUST, grid, plenty)
    assert search(OUST, grid, RoomForPositions(plenty.kept)) == found
    with pytest.raises(OutOfRoom):
        search(OUST, grid, RoomForPositions(plenty.kept - 1))


def test_a_search_tells_how_many_positions_it_keeps() -> None:
    told: list[int] = []
    solution = solved(OUST, parse_grid("square 4x3"), RoomForPositions(1000, told.append))
    assert told == list(range(100, solution.positions, 100))


@pytest.mark.parametrize("grid", [square(2), square(5), square(25)], ids=str)
def test_a_position_takes_as_much_memory_as_was_measured_and_not_half_of_it(grid: Grid) -> None:
    first = 1 << 2 * grid.cells.bit_length()
    kept = dict[int, None]()
    most = 0.0
    for number in range(1, 100_000):
        kept[first + number] = None
        if number > 1000 and number % 100 == 0:
            keys = number * sys.getsizeof(first)
            most = max(most, (sys.getsizeof(kept) + keys) / number)
    assert most <= bytes_each(grid) <= 2 * most

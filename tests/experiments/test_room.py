"""What a search may keep, and how far it is."""

import sys
from collections.abc import Callable

import pytest

from pbm_oust.experiments.counting import OutOfRoom, RoomForPositions, bytes_each, count_positions
from pbm_oust.experiments.solve import forced_draws, solve
from pbm_oust.rules.grid import Grid, parse_grid, square
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind

OUST = KINDS["oust"]
Search = Callable[[Kind, Grid, RoomForPositions], object]


@pytest.mark.parametrize("search", [solve, forced_draws, count_positions])
def test_a_search_keeps_no_more_than_there_is_room_for(search: Search) -> None:
    grid = parse_grid("square 3x3")
    plenty = RoomForPositions(1000)
    found = search(OUST, grid, plenty)
    assert search(OUST, grid, RoomForPositions(plenty.kept)) == found
    with pytest.raises(OutOfRoom):
        search(OUST, grid, RoomForPositions(plenty.kept - 1))


def test_a_search_tells_how_many_positions_it_keeps() -> None:
    told: list[int] = []
    solution = solve(OUST, parse_grid("square 4x3"), RoomForPositions(1000, told.append))
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

"""The grids on which Churn is played."""

import pytest

from pbm_oust.rules import Shape, parse_grid
from pbm_oust.rules.churn import KIND, Churn
from pbm_oust.rules.grid import hexagon


@pytest.mark.parametrize(
    "size", ["2", "3", "4", "5", "6", "7", "3,4", "4,3", "1,2", "2,5", "3,3,5", "4,4,6"]
)
def test_a_grid_with_an_odd_number_of_cells_can_be_used(size: str) -> None:
    assert KIND.can_use(parse_grid(f"hex {size}"))


@pytest.mark.parametrize("size", ["2,3", "3,2", "4,5", "1,3", "2,4", "3,5", "3,4,5"])
def test_a_grid_with_an_even_number_of_cells_cannot_be_used(size: str) -> None:
    assert not KIND.can_use(parse_grid(f"hex {size}"))


def test_churn_is_played_on_hexagons_three_cells_a_side_where_no_other_is_named() -> None:
    assert list(KIND.defaults) == [Shape.HEX]
    assert KIND.default_grid == hexagon(3)


def test_nobody_has_to_join_anything_once_the_board_is_full() -> None:
    position = Churn(hexagon(2))
    must_join = False
    while not position.result:
        must_join = must_join or position.must_join
        cell = position.placements()
        position = position.place(cell & -cell)
    assert must_join
    assert not position.must_join

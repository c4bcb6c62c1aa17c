"""Openings: positions and placements count as one, however the board is turned."""

from dataclasses import replace
from itertools import islice
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from pbm_oust.experiments.counting import orbits, symmetries
from pbm_oust.experiments.openings import (
    Opening,
    ResultCount,
    counts_in,
    next_placements,
    of_house,
    openings_of,
    pack,
    turned,
)
from pbm_oust.rules import KINDS, Grid, Position, Side, parse_grid
from tests.support.strategies import Play, plays

HOUSE = [
    *[("oust", grid) for grid in ("square 7x7", "square 9x9", "square 11x11", "square 13x13")],
    *[("oust", "hex 5"), ("oust", "hex 7"), ("churn", "hex 3")],
]
"""Of which games of the house come with the program."""


def image_of(cells: int, images: dict[int, int], grid: Grid) -> int:
    return sum(images[cell] for cell in grid.each(cells))


def turned_by_hand(position: Any, images: dict[int, int], *, is_exchanged: bool) -> Any:
    """Return a position on a board turned by a symmetry, the sides exchanged if wanted."""
    x, o = (image_of(each, images, position.grid) for each in (position.x, position.o))
    if is_exchanged:
        return replace(position, x=o, o=x, to_move=position.to_move.other)
    return replace(position, x=x, o=o)


@given(plays, st.data(), st.booleans())
def test_a_placement_is_the_same_on_a_board_turned_and_with_sides_exchanged(
    play: Play, data: st.DataObject, is_exchanged: bool
) -> None:
    position = data.draw(st.sampled_from(list(play.positions())))
    assume(position.placements())
    images = data.draw(st.sampled_from(list(symmetries(play.grid))))
    other = turned_by_hand(position, images, is_exchanged=is_exchanged)
    one, another = turned(position), turned(other)
    assert one.key == another.key
    for cell in play.grid.each(position.placements()):
        assert one.number_of(cell) == another.number_of(images[cell])


@given(plays)
def test_other_positions_of_a_game_have_other_keys(play: Play) -> None:
    standing = {(each.x, each.o, each.to_move): each for each in play.positions()}
    by_key = dict[int, Any]()
    for position in standing.values():
        other = by_key.setdefault(turned(position).key, position)
        assert any(
            turned_by_hand(position, images, is_exchanged=is_exchanged)
            == replace(other, is_mid_turn=position.is_mid_turn, result=position.result)
            for images in symmetries(play.grid)
            for is_exchanged in (False, True)
        )


def test_first_placements_that_only_symmetry_tells_apart_are_one() -> None:
    for kind, name in HOUSE:
        grid = parse_grid(name)
        number_of = turned(KINDS[kind].start(grid)).number_of
        numbers = [{number_of(cell) for cell in orbit} for orbit in orbits(grid)]
        assert all(len(each) == 1 for each in numbers)
        assert len(set.union(*numbers)) == len(numbers)


@given(plays, st.integers(0, 30))
def test_the_first_placements_of_a_game_are_counted(play: Play, most: int) -> None:
    steps = list(play.steps())
    found = list(openings_of(steps[0][0], (cell for _, cell, _ in steps), most))
    placed = [(before, cell) for before, cell, _ in steps if cell][:most]
    assert found == [
        Opening(turned(before).key, turned(before).number_of(cell), before.to_move)
        for before, cell in placed
    ]


counts = st.builds(ResultCount, *[st.integers(0, 2**16 - 1)] * 3)


@given(st.dictionaries(st.tuples(st.integers(0, 9), st.integers(0, 3)), counts))
def test_a_file_has_the_counts_of_each_position(counted: dict[tuple[int, int], Any]) -> None:
    data = pack(counted)
    for key in range(-1, 11):
        of_key = {number: count for (at, number), count in counted.items() if at == key}
        assert counts_in(data, key) == of_key


def test_results_are_those_of_the_side_that_placed() -> None:
    won, lost, drawn = (ResultCount.of(Side.X, winner) for winner in (Side.X, Side.O, None))
    assert won.plus(lost).plus(drawn).plus(drawn) == ResultCount(won=1, drawn=2, lost=1)
    assert ResultCount(1, 2, 1).share == 0.5
    assert ResultCount(3, 1, 0).share == 0.875
    assert ResultCount(1, 2, 1).games == 4


def test_cells_that_are_alike_stand_together_and_the_most_frequent_first() -> None:
    start = KINDS["oust"].start(parse_grid("square 3x3"))
    corner, middle, edge = (
        turned(start).number_of(start.grid.parse_cell(cell)) for cell in ("A1", "B2", "A2")
    )
    here = {corner: ResultCount(1, 0, 1), middle: ResultCount(2, 0, 1)}
    house = {corner: ResultCount(5, 0, 0), edge: ResultCount(0, 0, 7)}
    found = [
        (*each.cells, each.here.games, each.house.games)
        for each in next_placements(start, here, house)
    ]
    assert found == [
        ("B2", 3, 0),
        ("A1", "C1", "A3", "C3", 2, 5),
        ("B1", "A2", "C2", "B3", 0, 7),
    ]
    assert next_placements(start, {}, {}) == []


def positions(kind: str, grid: Grid) -> list[Position]:
    """Return the start, and the positions to which the house came from it most often."""
    found = [KINDS[kind].start(grid)]
    while played := next_placements(found[-1], {}, of_house(kind, found[-1])):
        found.append(found[-1].place(grid.parse_cell(played[0].cells[0])))
    return found


def test_the_house_has_played_each_first_placement_of_a_usual_board_equally_often() -> None:
    for kind, name in HOUSE:
        grid = parse_grid(name)
        first, second, *_ = islice(positions(kind, grid), 2)
        played = of_house(kind, first)
        games = [count.games for count in played.values()]
        assert len(games) == len(orbits(grid))
        assert max(games) - min(games) <= 1
        assert sum(games) >= 750
        assert sum(count.games for count in of_house(kind, second).values()) in games


def test_of_boards_that_the_house_has_not_played_nothing_is_known() -> None:
    assert of_house("oust", KINDS["oust"].start(parse_grid("square 6x5"))) == {}

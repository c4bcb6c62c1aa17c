"""The list of moves: the turns of x beside those of o."""

import pytest
from hypothesis import given

from pbm_oust.board import Game
from pbm_oust.rules import Side
from pbm_oust.web.boards import MOST_LISTED, Row, rows_around
from tests.support.games import new_game, play
from tests.support.rings import examples
from tests.support.strategies import games


def rows(game: Game, number: int = 0) -> list[Row]:
    """Return the list around the position after a record."""
    return [*rows_around(number, enumerate(game.records, 1))]


def numbers(row: Row) -> list[list[int]]:
    """Return the numbers of the records of x in a row, and those of o."""
    return [[number for number, _ in turn] for turn in row.turns.values()]


@pytest.mark.parametrize(
    ("turns", "listed"),
    [
        (["x C3", "o A1", "x E5"], [[[1], [2]], [[3], []]]),
        (["x C3", "o swap", "o A1", "x E5"], [[[1], [2, 3]], [[4], []]]),
        (["x C3", "o A1", "o propose", "x reject", "x E5"], [[[1], [2, 3]], [[4, 5], []]]),
        (["x C3", "o A1", "o resign"], [[[1], [2, 3]]]),
        (["x B3", "o C3", "x E1", "o A1", "x B4", "x E3"], [[[1], [2]], [[3], [4]], [[5, 6], []]]),
    ],
)
def test_a_row_has_a_turn_of_x_and_the_turn_of_o_that_follows(
    turns: list[str], listed: list[list[list[int]]]
) -> None:
    game = play(new_game("square 5x5"), *turns)
    assert [numbers(row) for row in rows(game)] == listed
    assert [row.number for row in rows(game)] == [*range(1, len(listed) + 1)]


@examples(50)
@given(games())
def test_every_record_is_listed_once_under_its_side_and_in_order(game: Game) -> None:
    listed = [
        (number, record, side)
        for row in rows(game)
        for side, turn in row.turns.items()
        for number, record in turn
    ]
    assert [number for number, _, _ in listed] == [*range(1, len(game.records) + 1)]
    assert all(record.side is side for _, record, side in listed)


@pytest.mark.parametrize(("number", "first"), [(0, 1), (600, 200), (1000, 301)])
def test_of_a_long_game_the_rows_around_the_position_are_listed(number: int, first: int) -> None:
    record = play(new_game("square 5x5"), "x C3").records[0]
    other = play(new_game("square 5x5"), "x C3", "o A1").records[1]
    found = rows_around(number, [(n + 1, (record, other)[n % 2]) for n in range(1000)])
    assert len(found) == MOST_LISTED
    assert found[0].number == first
    assert not number or found[0].turns[Side.X][0][0] <= number <= found[-1].last

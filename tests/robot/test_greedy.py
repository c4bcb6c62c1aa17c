"""The greedy player, on boards where one can see what is greedy."""

import random

from pbm_oust.robot.greedy import greedy
from pbm_oust.rules.position import Position
from tests.support.boards import board, churn_board, placed


def chosen(position: Position) -> set[str]:
    """Return the cells that a greedy player chooses again and again."""
    rng = random.Random(1)
    return {position.grid.format_cell(greedy(position, rng)) for _ in range(60)}


def test_it_takes_as_many_stones_as_it_can() -> None:
    position = board("""
        . . . . .
        o . x . .
        . x x . .
        . o o . .
        . . . . .
    """)
    taking = {
        name: position.stones(position.to_move.other).bit_count()
        - placed(position, name).stones(position.to_move.other).bit_count()
        for name in position.grid.names(position.capturing())
    }
    assert chosen(position) == {name for name in taking if taking[name] == max(taking.values())}
    assert max(taking.values()) > min(taking.values())


def test_it_keeps_away_from_stones_that_could_take_what_it_places() -> None:
    position = board("""
        . . . . .
        . . . . .
        . . . . .
        . . . . .
        o . . . .
    """)
    near = {"A2", "B1", "A3", "B2", "C1"}
    assert not chosen(position) & near


def test_in_churn_it_gives_away_as_few_stones_as_it_can() -> None:
    position = churn_board("""
        x . x
        . . . .
        x . . . x
        . . . .
        x . x
    """)
    lost = {
        name: position.stones(position.to_move).bit_count()
        - placed(position, name).stones(position.to_move).bit_count()
        for name in position.grid.names(position.placements())
    }
    assert chosen(position) <= {name for name in lost if lost[name] == min(lost.values())}

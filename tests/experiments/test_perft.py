from itertools import takewhile

import pytest

from pbm_oust.experiments.counting import count_sequences, divide, past_forced_pass
from pbm_oust.rules import KINDS, parse_grid
from tests.support.boards import board, naive_start, placements
from tests.support.recorded import Count, counts
from tests.support.rings import is_fast_ring

SLOW = 1_000 if is_fast_ring() else 8_000
"""Sequences beyond which counting the naive way takes too long for a test."""

by_grid = pytest.mark.parametrize(
    "count", counts(), ids=[f"{count.kind} {count.grid}" for count in counts()]
)


@by_grid
def test_the_engine_counts_the_recorded_numbers_of_sequences(count: Count) -> None:
    start = KINDS[count.kind].start(parse_grid(count.grid))

    counted = [count_sequences(start, depth) for depth, _ in enumerate(count.counts, 1)]

    assert tuple(counted) == count.counts


@by_grid
def test_the_naive_rules_count_the_same(count: Count) -> None:
    start = naive_start(count.kind, count.grid)
    quick = tuple(takewhile(lambda number: number <= SLOW, count.counts))

    counted = [start.count_sequences(depth) for depth, _ in enumerate(quick, 1)]

    assert tuple(counted) == quick


@by_grid
def test_the_parts_of_a_divided_count_add_up_to_it(count: Count) -> None:
    start = KINDS[count.kind].start(parse_grid(count.grid))

    parts = dict(divide(start, 2))

    assert sum(parts.values()) == count.counts[1]
    assert sum(parts) == start.placements()


def test_a_forced_pass_counts_nothing_and_is_made_in_between() -> None:
    stuck = board(
        """
        o . x o
        x o . o
        """
    )

    assert placements(stuck) == ""
    assert placements(stuck.pass_turn()) == "B2 C1"
    assert past_forced_pass(stuck) == stuck.pass_turn()
    assert count_sequences(stuck, 1) == 2


def test_no_placement_at_all_is_one_sequence() -> None:
    assert count_sequences(board("../.."), 0) == 1

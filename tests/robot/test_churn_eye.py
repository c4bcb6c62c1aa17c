"""The eye for Churn sees what the rules have, and asks a net what came of placements by chance."""

import random
import struct
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.robot.search import Searched, Searcher, net_on, worth
from pbm_oust.rules import Position, parse_grid
from pbm_oust.rules.churn import Churn
from pbm_oust.rules.grid import hexagon, square
from pbm_oust.rules.oust import Oust
from tests.support.core import compiled_core
from tests.support.nets import value_of
from tests.support.strategies import ChurnPlay, churn_plays, relaxed

_core = compiled_core()

SIZE = 16 * (_core.CHURN_ROWS + 8) + 17
"""How many bytes a net has."""

KINDS_OF_ROWS = {
    "cells": 3 * 4 * 12 * 12,
    "groups": 2 * 12 * 8 * 2,
    "apart": 12 * 12,
    "formed": 16 * 16,
    "tempo": 2 * 16 * 8,
    "kept": 2 * 64,
    "passing": 2 * 64,
    "largest": 16 * 16,
    "empty": 64,
}
"""How many rows there are of each kind, in their order."""

FIRST = dict(zip(KINDS_OF_ROWS, accumulate(KINDS_OF_ROWS.values(), initial=0), strict=False))


def last(play: ChurnPlay) -> Churn:
    """Return the last position of a play that goes on."""
    *_, (before, _, after) = play.steps()
    found = before if after.result else after
    assert isinstance(found, Churn)
    return found


def class_of(size: int) -> int:
    """Return the class of groups of so many stones; 0 is that of a stone by itself."""
    return bisect_right([2, 3, 4, 5, 6, 7, 8, 10, 13, 18, 26], size)


def rows(position: Position) -> Iterator[int]:
    """Yield the rows that a net is told of a position."""
    grid, sides = position.grid, (position.to_move, position.to_move.other)
    empty = grid.cells & ~position.occupied
    groups = [list(grid.groups(position.stones(side))) for side in sides]

    def formed(cell: int, nth: int) -> int:
        return grid.flood(cell, position.stones(sides[nth]) | cell).bit_count()

    for cell in grid.each(empty):
        ways = grid.around[cell].bit_count()
        row = 4 * (0 if ways <= 3 else ways - 3 if ways == 4 else 2)
        row += min((grid.around[cell] & empty).bit_count(), 3)
        yield 144 * row + 12 * class_of(formed(cell, 0)) + class_of(formed(cell, 1))
    apart, smallest = list[int](), list[int]()
    for nth, side in enumerate(sides):
        beside = empty & grid.neighbours(position.stones(side))
        apart.append((empty & ~beside).bit_count())
        least = min((formed(cell, nth) for cell in grid.each(beside)), default=0)
        smallest.append(min(least, 15))
        sizes = [group.bit_count() for group in groups[nth]]
        for group, size in zip(groups[nth], sizes, strict=True):
            room = min((grid.neighbours(group) & empty).bit_count(), 7)
            row = 8 * (12 * nth + class_of(size)) + room
            yield FIRST["groups"] + 2 * row + (size < least)
        yield FIRST["tempo"] + 8 * (16 * nth + smallest[nth]) + min(apart[nth], 7)
        yield FIRST["kept"] + 64 * nth + min(sum(n for n in sizes if n >= least), 63)
        yield FIRST["passing"] + 64 * nth + min(sum(n for n in sizes if n < least), 63)
    yield FIRST["apart"] + 12 * min(apart[0], 11) + min(apart[1], 11)
    yield FIRST["formed"] + 16 * smallest[0] + smallest[1]
    largest = [max((group.bit_count() for group in each), default=0) for each in groups]
    yield FIRST["largest"] + 16 * min(largest[0], 15) + min(largest[1], 15)
    yield FIRST["empty"] + min(empty.bit_count(), 63)


def after_lowest(position: Position, placements: int) -> Position:
    """Return the position after so many placements on the lowest cells, or at the end."""
    for _ in range(placements):
        if not position.result:
            cells = position.placements()
            position = position.place(cells & -cells)
    return position


def rooted(position: Position, net: bytes | None = None) -> Searched:
    """Return a tree of a position that leaves nothing to chance."""
    searcher = Searcher(
        "churn", position.grid, random.Random(1), picks_lowest=True, is_proving=False, net=net
    )
    return searcher.root(position)


@relaxed
@given(churn_plays)
def test_a_net_is_told_what_either_side_has_and_could_form(play: ChurnPlay) -> None:
    position = last(play)
    assert sum(KINDS_OF_ROWS.values()) == _core.CHURN_ROWS
    assert sorted(rooted(position).tree.rows(0)) == sorted(rows(position))


@relaxed
@given(churn_plays, st.integers(0, 2**32))
def test_a_net_is_asked_what_came_of_some_placements(play: ChurnPlay, seed: int) -> None:
    position = last(play)
    net = struct.pack(f"{SIZE}b", *random.Random(seed).choices(range(-9, 10), k=SIZE))
    value, _ = rooted(position, net).tree.glance(0)
    reached = after_lowest(position, position.grid.cells.bit_count())
    if reached.result:
        assert value == worth(reached.result, position.to_move)
    else:
        expected = value_of(net, _core.CHURN_ROWS, rows(reached))
        is_same = reached.to_move is position.to_move
        assert value == pytest.approx(expected if is_same else 1 - expected, abs=1e-12)


@relaxed
@given(churn_plays, st.integers(0, 200))
def test_a_game_goes_on_by_chance_as_the_rules_have_it(play: ChurnPlay, placements: int) -> None:
    position = last(play)
    root, reached = rooted(position), after_lowest(position, placements)
    number = root.tree.wander(0, placements)
    _, _, halves, mover, *_ = root.tree.know(number)
    stones = [int.from_bytes(each, "little") for each in root.tree.stones(number)]
    assert stones == [reached.x, reached.o]
    if reached.result:
        assert halves / 2 == worth(reached.result, list(type(reached.to_move))[mover])
    else:
        assert (halves, mover) == (-1, list(type(reached.to_move)).index(reached.to_move))


def test_only_churn_goes_on_by_chance() -> None:
    root = Searcher("oust", square(5), random.Random(1)).root(Oust(square(5)))
    with pytest.raises(ValueError, match="only in Churn"):
        root.tree.wander(0, 1)


@pytest.mark.parametrize("name", ["hex 4", "hex 5"])
def test_the_usual_large_boards_have_nets_whose_sums_are_not_too_large(name: str) -> None:
    net = net_on("churn", parse_grid(name))
    assert len(net) == SIZE
    assert max(map(abs, struct.unpack(f"{SIZE}b", net))) <= 120
    assert 120 * (_core.MOST_CELLS + 10) < 2**15


def test_a_net_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="another length"):
        rooted(Churn(hexagon(4)), net_on("oust", hexagon(4)))

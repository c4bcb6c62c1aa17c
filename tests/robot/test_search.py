"""What a tree says is in keeping with the rules, however little or much it has grown."""

import random
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.robot import search
from pbm_oust.robot.churn import proofs_on
from pbm_oust.robot.oust import oust_eye
from pbm_oust.robot.search import Generation, Node, Whole, grow
from pbm_oust.robot.searchers import eye_for
from pbm_oust.rules.grid import square
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import Position, Side
from tests.support.boards import board
from tests.support.strategies import ChurnPlay, Play, churn_plays, plays, relaxed

AnyPlay = Play | ChurnPlay


def stands(play: AnyPlay) -> tuple[Position, str]:
    """Return where a play stands before its last placement, and what is played."""
    if isinstance(play, Play):
        return list(play.steps())[-1][0], "oust"
    return list(play.steps())[-1][0], "churn"


def grown(position: Position, kind: str, times: int, seed: int = 1) -> Node:
    """Return a tree that has grown so many times."""
    root, left = Node(position), repeat(True, times)
    grow(root, eye_for(kind, position.grid, random.Random(seed)), lambda: next(left, False))
    return root


def every(root: Node) -> list[Node]:
    """Return all positions of a tree."""
    found = {id(root): root}
    waiting = [root]
    while waiting:
        for branch in waiting.pop().branches:
            if id(branch.node) not in found:
                found[id(branch.node)] = branch.node
                waiting.append(branch.node)
    return list(found.values())


@relaxed
@given(st.one_of(plays, churn_plays), st.integers(0, 120))
def test_it_tries_only_what_is_allowed_and_all_values_are_shares(play: AnyPlay, times: int) -> None:
    for node in every(grown(*stands(play), times)):
        assert 0 <= node.value <= 1
        cells, allowed = [branch.cell for branch in node.branches], node.position.placements()
        assert len(cells) == len(set(cells))
        assert all(cell & allowed for cell in cells) or (cells == [0] and not allowed)


@relaxed
@given(st.one_of(plays, churn_plays))
def test_a_position_is_in_a_tree_once_for_each_length_of_the_way_to_it(play: AnyPlay) -> None:
    level = [grown(*stands(play), 120)]
    while level:
        assert len({node.position for node in level}) == len(level)
        following = [branch.node for node in level for branch in node.branches]
        level = list({id(node): node for node in following}.values())


def test_several_ways_to_a_position_share_it() -> None:
    root = grown(Oust(square(3)), "oust", 2000)
    assert sum(len(node.branches) for node in every(root)) > len(every(root))


def test_a_placement_that_does_well_elsewhere_in_the_tree_is_tried_more() -> None:
    def visits(elsewhere: float) -> int:
        position, whole = Oust(square(5)), Whole()
        for _ in range(1000):
            whole.histories[Side.X].note(lowest, elsewhere)
        root, left = Node(position, Generation(whole)), repeat(True, 60)
        eye = oust_eye(position.grid, lambda cells: cells & -cells)
        grow(root, eye, lambda: next(left, False))
        return next(branch.visits for branch in root.branches if branch.cell == lowest)

    lowest = square(5).cells & -square(5).cells
    assert visits(1.0) > visits(0.0)


def test_a_tree_that_is_full_grows_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_POSITIONS", 50)
    root = grown(Oust(square(5)), "oust", 500)
    assert root.is_full
    assert len(every(root)) == 50
    assert root.best().visits < 50
    root.best().node.keep(0)
    assert not root.best().node.is_full


@given(st.one_of(plays, churn_plays), st.integers(0, 9))
def test_the_same_chance_leads_to_the_same_tree(play: AnyPlay, seed: int) -> None:
    def visits() -> list[tuple[int, int]]:
        # What was proved for one tree is known to the next.
        proofs_on.cache_clear()
        return [(each.cell, each.visits) for each in grown(*stands(play), 60, seed).branches]

    assert visits() == visits()


def test_what_is_proved_is_played() -> None:
    position = board("""
        . . . .
        . x . o
        . . x .
        . . . .
    """)
    root = node = grown(position, "oust", 500)
    assert root.proved == 1
    while not node.position.result and node.side is root.side:
        node = node.after_best()
        assert (node.value if node.side is root.side else 1 - node.value) == 1

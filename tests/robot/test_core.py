"""The compiled core sees, plays, proves and searches as the rules have it."""

import math
import os
import random
import shutil
import struct
import subprocess
import sys
import sysconfig
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.experiments.counting import RoomForPositions, count_sequences, past_forced_pass
from pbm_oust.experiments.simulate import simulate
from pbm_oust.experiments.solve import Search, Worth
from pbm_oust.robot.search import (
    Searched,
    Searcher,
    after_cell,
    lattice_of,
    net_on,
    worth,
)
from pbm_oust.rules import KINDS, Position, Side, parse_grid
from pbm_oust.rules.churn import Churn
from pbm_oust.rules.grid import hexagon, square
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import taken
from tests.support.core import compiled_core
from tests.support.kinds import grids_of
from tests.support.nets import value_of
from tests.support.rings import slow
from tests.support.strategies import ChurnPlay, Play, Taste, churn_plays, plays, relaxed
from tests.support.thinking import times

_core = compiled_core()

SOURCES = Path(__file__).parents[2] / "pbm_oust" / "robot" / "core"
PLENTY = 100_000
SMALL = 64

LARGE = [
    square(9),
    square(11),
    square(13),
    square(16),
    square(25, 10),
    hexagon(6),
    hexagon(9),
    hexagon(4, 9, 7),
]
"""Grids whose sets take two to four words of 64 bits."""

large_plays = st.builds(
    Play,
    grid=st.sampled_from(LARGE),
    taste=st.sampled_from([Taste.NOTHING, *Taste]),
    seed=st.integers(0, 2**32),
    length=st.integers(1, 150),
)
any_plays = st.one_of(plays, large_plays, churn_plays)

AnyPlay = Play | ChurnPlay


def kind_of(position: Position) -> str:
    return "oust" if isinstance(position, Oust) else "churn"


def rooted(position: Position, *, is_plain: bool = False, seed: int | None = None) -> Searched:
    """Return a tree of a position; without a seed, one that leaves nothing to chance."""
    kind, rng = kind_of(position), random.Random(seed or 1)
    searcher = Searcher(
        kind,
        position.grid,
        rng,
        is_plain=is_plain,
        picks_lowest=seed is None,
        is_proving=False,
    )
    return searcher.root(position)


def glance(position: Position, *, is_plain: bool = False) -> tuple[float, dict[int, float]]:
    """Return the value that the core sees, and how promising each placement looks, by its cell."""
    return glance_of(rooted(position, is_plain=is_plain))


def glance_of(root: Searched) -> tuple[float, dict[int, float]]:
    """Return the same of a tree that has not grown."""
    position = root.position
    value, sets = root.tree.glance(root.number)
    assert [prior for prior, _ in sets] == sorted(prior for prior, _ in sets)
    seen = [(prior, int.from_bytes(cells, "little")) for prior, cells in sets]
    found = {cell: prior for prior, cells in seen for cell in position.grid.each(cells)}
    assert len(found) == sum(cells.bit_count() for _, cells in seen)
    return value, found


def last(play: AnyPlay) -> Position:
    """Return the last position of a play that goes on."""
    *_, (before, _, after) = play.steps()
    return before if after.result else after


def reached(root: Searched) -> Iterator[Searched]:
    """Yield each position of a tree, once for each length of the way to it."""
    waiting, known = [root], {root.number}
    while waiting:
        node = waiting.pop()
        yield node
        for branch in node.branches:
            if branch.node.number not in known:
                known.add(branch.node.number)
                waiting.append(branch.node)


def let_grow(node: Searched, effort: int) -> int:
    """Let a tree grow for some effort, and at least to a branch; return how often it did."""
    grown = node.tree.grow(node.number, 0, effort)
    if node.proved is None and not node.branches:
        grown += node.tree.grow(node.number, grown, 1)
    return grown


# What it sees


def largest_capture(position: Position) -> int:
    """Return the most stones that a placement of the side to move takes."""
    cells = position.grid.each(position.capturing())
    return max((taken(position, position.place(cell)).bit_count() for cell in cells), default=0)


def touching(position: Position, stones: int, side: Side) -> list[int]:
    """Return the sizes of the groups of a side that touch some stones or cells."""
    groups, beside = position.grid.groups(position.stones(side)), position.grid.neighbours(stones)
    return [group.bit_count() for group in groups if group & beside]


def option(position: Position, cell: int, side: Side) -> int:
    """Return the class of what a stone of a side on an empty cell would be."""
    own, grid = position.stones(side), position.grid
    if not cell & grid.neighbours(own):
        return 0
    formed = grid.flood(cell, own | cell)
    foes, size = touching(position, formed, side.other), formed.bit_count()
    meeting = 0
    if foes and max(foes) >= size:
        meeting = min(1 + max(foes) - size, 3)
    elif foes:
        meeting = 3 + bisect_right([1, 2, 3, 5], sum(foes))
    return 1 + 8 * (bisect_right([2, 3, 4, 5, 7, 10, 15], size) - 1) + meeting


def rows(position: Oust) -> Iterator[tuple[str, int]]:
    """Yield what a net is told of a position: the kind of each row, and its number in the kind."""
    grid, sides = position.grid, (position.to_move, position.to_move.other)
    for cell in grid.each(grid.cells & ~position.occupied):
        mine, theirs = (option(position, cell, side) for side in sides)
        yield "cells", 57 * mine + theirs
    for nth, side in enumerate(sides):
        enemy = replace(position, to_move=side.other, is_mid_turn=False)
        after = [enemy.place(cell) for cell in grid.each(enemy.capturing())]
        lost = reduce(int.__or__, (taken(enemy, each) for each in after), 0)
        for group in grid.groups(position.stones(side)):
            size = min(group.bit_count(), 10) - 1
            foe = min(max(touching(position, group, side.other), default=0), 7)
            yield "groups", 2 * (8 * (10 * nth + size) + foe) + bool(group & lost)
    tallies = [position.tally(side) for side in sides]
    yield "largest", sum(min(n, 15) * m for (n, _), m in zip(tallies, (16, 1), strict=True))
    turns = [replace(position, to_move=side, is_mid_turn=False) for side in sides]
    takes = [min(largest_capture(each), 11) for each in turns]
    yield "captures", 12 * takes[0] + takes[1]
    yield "stones", min(tallies[0][1], 63)
    yield "stones", 64 + min(tallies[1][1], 63)
    yield "boards", grid.cells.bit_count() // 8


KINDS_OF_ROWS = {
    "cells": 57 * 57,
    "groups": 320,
    "largest": 256,
    "captures": 144,
    "stones": 128,
    "boards": 33,
}
"""How many rows there are of each kind, in their order."""

FIRST = dict(zip(KINDS_OF_ROWS, accumulate(KINDS_OF_ROWS.values(), initial=0), strict=False))


def likelihood(position: Oust, net: bytes) -> float:
    """Return how likely the side to move is to win, as a net has it."""
    if not position.has_placement():
        return 1 - likelihood(position.pass_turn(), net)
    picked = (FIRST[kind] + nth for kind, nth in rows(position))
    return value_of(net, sum(KINDS_OF_ROWS.values()), picked)


def signs(position: Oust, cell: int) -> tuple[int, int]:
    """Return what a net is told of a placement: the numbers of the two figures that it picks."""
    mine, theirs = (
        option(position, cell, side) for side in (position.to_move, position.to_move.other)
    )
    enemy = replace(position, to_move=position.to_move.other, is_mid_turn=False)
    danger, stones = largest_capture(enemy), position.stones(enemy.to_move)
    if cell & position.capturing():
        takes = position.taken_by(cell)
        stake = (
            13 if takes == stones else 5 + bisect_right([1, 2, 3, 4, 5, 7, 10], takes.bit_count())
        )
    else:
        relief = danger - largest_capture(position.place(cell))
        stake = bisect_right([-1, 0, 1, 2, 3, 5], relief) - 1
    return 57 * mine + theirs, 57 * 57 + 14 * min(danger, 7) + stake


def grades(position: Oust, cells: list[int], net: bytes) -> dict[int, int]:
    """Return how many grades each placement is below the most promising one, as a net has it."""
    figures = struct.unpack(f"{len(net)}b", net)[-(57 * 57 + 14 * 8) :]
    sums = {cell: sum(figures[sign] for sign in signs(position, cell)) for cell in cells}
    return {cell: min((max(sums.values()) - each) // 8, 15) for cell, each in sums.items()}


@relaxed
@given(st.one_of(plays, large_plays))
def test_in_oust_it_sees_what_either_side_could_take(play: Play) -> None:
    is_large = play.grid.cells.bit_count() > SMALL
    for position in [last(play)] if is_large else play.positions():
        if position.result or not isinstance(position, Oust):
            continue
        value, seen = glance(position)
        assert value == pytest.approx(likelihood(position, net_on("oust", play.grid)), abs=1e-12)
        cells = list(position.grid.each(position.placements()))
        assert sorted(seen) == cells
        if not any(position.place(cell).result for cell in cells):
            told = {1 << bit: tuple(picked) for bit, *picked in rooted(position).tree.promises(0)}
            assert told == {cell: signs(position, cell) for cell in cells}
            grade = grades(position, cells, net_on("oust", play.grid))
            weights = {cell: 0.7 ** grade[cell] for cell in cells}
            for cell in cells:
                assert seen[cell] == pytest.approx(weights[cell] / sum(weights.values()))


@relaxed
@given(st.one_of(plays, large_plays), st.integers(0, 2**32))
def test_what_it_makes_of_that_is_for_a_net_to_say(play: Play, seed: int) -> None:
    position = last(play)
    assert isinstance(position, Oust)
    size = len(net_on("oust", play.grid))
    net = struct.pack(f"{size}b", *random.Random(seed).choices(range(-9, 10), k=size))
    searcher = Searcher("oust", position.grid, random.Random(1), net=net)
    value, _ = glance_of(searcher.root(position))
    assert value == pytest.approx(likelihood(position, net), abs=1e-12)


@pytest.mark.parametrize("name", ["square 7x7", "hex 5"])
def test_no_sum_of_a_net_is_too_large(name: str) -> None:
    net = net_on("oust", parse_grid(name))
    assert max(map(abs, struct.unpack(f"{len(net)}b", net))) <= 120
    assert 120 * (_core.MOST_CELLS + 5) < 2**15


@relaxed
@given(any_plays, st.randoms(use_true_random=False))
def test_every_placement_is_seen_and_nothing_else(play: AnyPlay, rng: random.Random) -> None:
    position = last(play)
    searcher = Searcher(kind_of(position), position.grid, rng, is_proving=False)
    root, allowed = searcher.root(position), position.placements()
    _, seen = glance_of(root)
    assert sum(seen) == allowed
    assert math.isclose(sum(seen.values()), 1) or not seen
    root.tree.grow(0, 0, 5000)
    assert all(branch.cell & allowed for branch in root.branches) or not allowed


# What it plays


def sequences(position: Position, depth: int) -> int:
    """Return the number of sequences of placements from a position, as the core allows them."""
    position = past_forced_pass(position)
    if position.result or depth == 0:
        return int(depth == 0)
    cells = glance(position, is_plain=True)[1]
    return sum(sequences(position.place(cell), depth - 1) for cell in cells)


@pytest.mark.parametrize("kind", ["oust", "churn"])
def test_it_allows_as_many_sequences_of_placements_as_the_rules(kind: str) -> None:
    for grid in grids_of(KINDS[kind], largest=19):
        start, depth = KINDS[kind].start(grid), 3 if grid.cells.bit_count() <= 12 else 2
        assert sequences(start, depth) == count_sequences(start, depth)


@relaxed
@given(any_plays, st.integers(0, 120))
def test_a_tree_follows_the_rules_wherever_it_grows(play: AnyPlay, looks: int) -> None:
    root = rooted(last(play), seed=looks + 1)
    root.tree.grow(0, 0, looks * 16)
    for node in reached(root):
        position = node.position
        x, o = (int.from_bytes(each, "little") for each in node.tree.stones(node.number))
        assert (x, o) == (position.stones(Side.X), position.stones(Side.O))
        if position.result:
            assert node.proved == worth(position.result, node.side)
            assert not node.branches
            continue
        assert node.side is position.to_move
        assert node.tree.know(node.number)[4] == position.is_mid_turn
        cells, allowed = [branch.cell for branch in node.branches], position.placements()
        assert len(cells) == len(set(cells))
        assert all(cell & allowed for cell in cells) or (cells == [0] and not allowed)


def played_on_the_lowest(position: Position) -> float:
    """Return what the side to move gets in a game in which both place on the lowest cells."""
    mover = position.to_move
    for _ in range(10 * position.grid.cells.bit_count()):
        if position.result:
            return worth(position.result, mover)
        allowed = position.placements()
        position = after_cell(position, allowed & -allowed)
    return 0.5


@relaxed
@given(plays)
def test_a_game_of_oust_ends_as_the_rules_end_it(play: Play) -> None:
    position = last(play)
    assert glance(position, is_plain=True)[0] == played_on_the_lowest(position)


@relaxed
@given(churn_plays)
def test_a_game_of_churn_ends_as_the_rules_end_it(play: ChurnPlay) -> None:
    position, mover = last(play), last(play).to_move
    value = glance(position, is_plain=True)[0]
    while not position.result:
        position = position.place(position.placements() & -position.placements())
    assert value == worth(position.result, mover)


@pytest.mark.parametrize(("kind", "grid"), [slow("oust", "square 3x3"), ("churn", "hex 2")])
def test_by_chance_either_side_wins_as_often_as_in_random_games(kind: str, grid: str) -> None:
    number, start = 4000, KINDS[kind].start(parse_grid(grid))
    values = (rooted(start, is_plain=True, seed=nth).tree.glance(0)[0] for nth in range(number))
    results = [each.result for each in simulate(KINDS[kind], start.grid, number, seed=1)]
    shares = sum(values) / number, sum(worth(each, Side.X) for each in results) / number
    assert shares[0] == pytest.approx(shares[1], abs=0.03)


# How it searches


@relaxed
@given(any_plays, st.integers(0, 120))
def test_what_came_of_a_position_is_what_came_of_its_placements(play: AnyPlay, looks: int) -> None:
    root = rooted(last(play), seed=1)
    grown = let_grow(root, looks * 16)
    assert root.visits == grown
    for node in reached(root):
        assert 0 <= node.value <= 1
        assert sum(branch.visits for branch in node.branches) <= node.visits
        if node is root and root.visits:
            assert sum(branch.visits for branch in node.branches) == node.visits - 1


def test_it_grows_no_more_often_than_it_may() -> None:
    root = rooted(Oust(square(7)), seed=1)
    assert root.tree.grow(0, 0, 1_000_000, 7) == 7
    searcher = Searcher("oust", square(7), random.Random(1))
    assert searcher.grow(searcher.root(Oust(square(7))), most=40) == 40


@relaxed
@given(any_plays)
def test_a_position_is_in_a_tree_once_for_each_length_of_the_way_to_it(play: AnyPlay) -> None:
    root = rooted(last(play), seed=1)
    root.tree.grow(0, 0, 120 * 16)
    level = [root]
    while level:
        assert len({node.position for node in level}) == len(level)
        following = [branch.node for node in level for branch in node.branches]
        level = list({node.number: node for node in following}.values())


@pytest.mark.parametrize("name", ["square 2x2", "square 3x3", "hex 2", "hex 2,3", "square 4x3"])
def test_what_a_tree_of_oust_proves_is_true(name: str) -> None:
    position = Oust(parse_grid(name))
    search, root = Search(position.grid, RoomForPositions(PLENTY)), rooted(position, seed=1)
    root.tree.grow(0, 0, 300_000)
    proved = [node for node in reached(root) if node.proved is not None]
    assert len(proved) > 5
    for node in proved:
        if not node.position.result:
            halves = {Worth.LOSS: 0.0, Worth.DRAW: 0.5, Worth.WIN: 1.0}
            assert node.proved == halves[search.worth(node.position)]


# What it keeps


def assert_same(one: Searched, other: Searched) -> None:
    """Compare what two trees say, position by position."""
    waiting, known = [(one, other)], set[int]()
    while waiting:
        one, other = waiting.pop()
        assert told(one) == told(other)
        for way, like in zip(one.branches, other.branches, strict=True):
            assert way[:3] == like[:3]
            if way.node.number not in known:
                known.add(way.node.number)
                waiting.append((way.node, like.node))


def told(node: Searched) -> tuple[object, ...]:
    """Return all that is known of a position of a tree, but for the branches."""
    stones = node.tree.stones(node.number)
    return stones, node.side, node.position.is_mid_turn, node.visits, node.value, node.proved


@relaxed
@given(st.one_of(plays, large_plays), st.integers(30, 300))
def test_the_part_of_a_tree_that_is_kept_is_as_it_was_and_grows_on(play: Play, looks: int) -> None:
    whole, part = (rooted(last(play)) for _ in range(2))
    for root in (whole, part):
        let_grow(root, looks * 16)
    one, other = whole.best().node, part.best().node
    if not one.position.result:
        other.keep(2**30)
        assert_same(one, other)
        visits, grown = other.visits, let_grow(other, looks * 16)
        assert other.visits == visits + grown
        assert all(node.position.result is None or not node.branches for node in reached(other))


def small_tree(looks: int) -> tuple[Searcher, Searched]:
    """Return a tree of 7x7 that has been full, and what grows it."""
    small = Searcher("oust", square(7), random.Random(1), most_bytes=2**20)
    root = small.root(Oust(square(7)))
    small.grow(root, times(looks))
    return small, root


def test_a_tree_that_is_full_forgets_what_it_visits_least_and_goes_on() -> None:
    _, root = small_tree(400)
    assert root.visits > 2 * root.tree.positions
    assert root.tree.memory < 2**20
    assert sum(branch.visits for branch in root.branches) == root.visits - 1


def test_a_tree_that_has_been_full_can_be_played_to_its_end() -> None:
    small, node = small_tree(60)
    while not node.position.result and (node.proved is None or node.branches):
        small.grow(node, times(2))
        assert node.best().cell & node.position.placements()
        node = node.best().node


def test_what_a_tree_forgets_changes_nothing_else_that_it_knows() -> None:
    root, whole = (rooted(Oust(square(7))) for _ in range(2))
    for each in (root, whole):
        each.tree.grow(0, 0, 300_000)
    root.make_room(root.tree.memory // 2)
    assert root.tree.memory < whole.tree.memory * 0.6
    waiting, forgotten = [(whole, root)], 0
    while waiting:
        one, other = waiting.pop()
        assert told(one) == told(other)
        if one.branches and not other.branches:
            forgotten += 1
        else:
            ways = zip(one.branches, other.branches, strict=True)
            waiting += [(way.node, like.node) for way, like in ways]
    assert forgotten


def test_a_tree_without_any_room_still_finds_a_placement() -> None:
    position = Oust(square(7))
    small = Searcher("oust", position.grid, random.Random(1), most_bytes=0)
    root = small.root(position)
    small.grow(root, times(10))
    assert root.best().cell & position.placements()


@pytest.mark.slow
def test_nothing_is_left_of_trees_that_nobody_needs() -> None:
    # Each tree takes some two megabytes, and the proofs of hex 2 are shared.
    plant = """
import random, resource, sys
from pbm_oust.robot.search import Searcher
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.grid import parse_grid
def megabytes(times):
    for nth in range(times):
        for kind, name in ("oust", "square 7x7"), ("oust", "square 11x11"), ("churn", "hex 2"):
            position = KINDS[kind].start(parse_grid(name))
            searcher = Searcher(kind, position.grid, random.Random(nth))
            root = searcher.root(position)
            root.tree.grow(0, 0, 300_000)
            root.tree.glance(0), root.tree.stones(0), root.branches, root.proved
            root.best().node.keep(2**19)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
first = megabytes(10)
print(megabytes(25) - first)
"""
    done = subprocess.run([sys.executable, "-c", plant], check=True, capture_output=True, text=True)
    assert float(done.stdout) < 15


def test_games_of_churn_on_large_boards_are_cut_short() -> None:
    # To the end, one takes tens of millions of placements.
    root = Searcher("churn", hexagon(9), random.Random(1)).root(Churn(hexagon(9)))
    assert root.tree.grow(0, 0, 1) == 1
    assert root.value in (0.0, 0.5, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(SOURCES.glob("*.c")), ids=lambda path: path.name)
def test_a_compiler_has_nothing_to_say_about_the_core(path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None and "CI" not in os.environ:
        pytest.skip("there is no compiler")
    assert compiler
    options = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-c", "-o", "/dev/null"]
    include = sysconfig.get_paths()["include"]
    done = subprocess.run(
        [compiler, *options, "-isystem", include, path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def planted(lattice: tuple[bytes, int, int], x: bytes, o: bytes, curiosity: float = 1.0) -> Any:
    """Return a tree of a position with these stones, or raise ValueError."""
    net = net_on("oust", square(5))
    asked = (False, False, 1, None, 10, 1, 10**7, False)
    return _core.Tree(*lattice, _core.OUST_BY_CHANCE, net, curiosity, x, o, *asked)


def test_a_grid_where_hardly_any_cells_touch_is_played_on() -> None:
    # Around each of some cells are five others that touch nothing else.
    stars = [(7 * (nth % 6), 4 * (nth // 6)) for nth in range(36)]
    shape = {
        (x + dx, y + dy) for x, y in stars for dx, dy in ((1, 1), (0, 1), (2, 1), (1, 0), (1, 2))
    }
    cells = sum(1 << x + 42 * y for x, y in shape)
    centres = sum(1 << x + 1 + 42 * (y + 1) for x, y in stars)
    data, ends = (each.to_bytes(128, "little") for each in (cells, cells & ~centres))
    tree = planted((data, 42, 42), ends, b"")
    assert tree.grow(0, 0, 1000) > 0
    assert tree.rows(0)


def test_the_core_takes_no_nonsense() -> None:
    grid = square(3)
    cells, stride, slant = lattice_of(grid)
    with pytest.raises(ValueError, match="1 to 256 cells"):
        _core.Proofs(bytes(84), stride, slant, False, 1024, [])
    with pytest.raises(ValueError, match="too large"):
        _core.Proofs(*lattice_of(square(9)), False, 1024, [])
    for images in [bytes(8)], [bytes([9] * 9)], ["text"], [bytes(9)] * 13:
        with pytest.raises(ValueError, match="a symmetry has"):
            _core.Proofs(cells, stride, slant, False, 1024, images)
    with pytest.raises(TypeError):
        _core.Proofs(cells, stride, slant)
    for aim in 0, 7:
        with pytest.raises(ValueError, match="no such aim"):
            _core.Proofs(cells, stride, slant, False, 1024, []).reaches(b"", b"", aim)
    lone = sum(1 << 2 * nth for nth in range(200)).to_bytes(64, "little")
    with pytest.raises(ValueError, match="each touches another"):
        _core.Proofs(lone, 400, 400, False, 1024, [])
    with pytest.raises(ValueError, match="each touches another"):
        planted((lone, 400, 400), b"", b"")
    with pytest.raises(ValueError, match="stones of both sides"):
        planted((cells, stride, slant), cells, cells)
    for curiosity in math.nan, math.inf, -1.0:
        with pytest.raises(ValueError, match="out of bounds"):
            planted((cells, stride, slant), b"", b"", curiosity)
    proofs = _core.Proofs(cells, stride, slant, False, 1024, [])
    with pytest.raises(ValueError, match="stones of both sides"):
        proofs.reaches(cells, cells, _core.WIN)
    with pytest.raises(ValueError, match="stones of both sides"):
        proofs.prove(cells, cells, _core.WIN, 10)
    tree = rooted(Oust(grid)).tree
    for ask in (tree.know, tree.stones, tree.branches, tree.glance):
        with pytest.raises(IndexError):
            ask(1)
    with pytest.raises(IndexError):
        tree.grow(1, 0, 100)
    with pytest.raises(IndexError):
        tree.keep([0, 1], 100)
    with pytest.raises(ValueError, match="no position"):
        tree.keep([], 100)
    with pytest.raises(ValueError, match="halves"):
        tree.settle(0, 3)
    with pytest.raises(ValueError, match="another length"):
        Searcher("oust", grid, random.Random(1), net=b"no net").root(Oust(grid))
    with pytest.raises(ValueError, match="does not play"):
        Searcher("oust", square(25), random.Random(1))

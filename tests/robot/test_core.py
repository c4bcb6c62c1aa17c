"""The compiled core sees, plays and searches as the Python code does."""

import os
import random
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import repeat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.robot import compiled
from pbm_oust.robot.churn import Proofs
from pbm_oust.robot.compiled import CompiledNode, CompiledSearcher
from pbm_oust.robot.eye import Eye, Glance, playing_eye, ranked, worth
from pbm_oust.robot.oust import oust_eye
from pbm_oust.robot.search import MANY, Node, Searched, grow
from pbm_oust.rules.churn import fast_game
from pbm_oust.rules.grid import Grid, hexagon, parse_grid, square
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import Position, Side
from tests.support.strategies import ChurnPlay, Play, Taste, churn_plays, plays, relaxed
from tests.support.thinking import churn_by_chance, lowest

_core = (import_module if "CI" in os.environ else pytest.importorskip)("pbm_oust.robot._core")

SOURCES = Path(__file__).parents[2] / "pbm_oust" / "robot" / "core"

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


def searcher(kind: str, grid: Grid, *, is_plain: bool = False) -> CompiledSearcher:
    """Return a searcher that leaves nothing to chance."""
    rng = random.Random(1)
    return CompiledSearcher(kind, grid, rng, is_plain=is_plain, picks_lowest=True, proving=MANY)


def rooted(kind: str, position: Position, *, is_plain: bool = False) -> CompiledNode:
    """Return a compiled tree of a position that goes on."""
    root = searcher(kind, position.grid, is_plain=is_plain).root(position)
    assert isinstance(root, CompiledNode)
    return root


def seen(root: CompiledNode) -> tuple[float, list[tuple[float, int]]]:
    """Return what the core sees at a glance."""
    value, priors = root.tree.glance(root.number)
    return value, [(prior, int.from_bytes(cells, "little")) for prior, cells in priors[::-1]]


def seen_by(eye: Eye, position: Position) -> tuple[float, list[tuple[float, int]]]:
    """Return what an eye sees, with a pass if nothing else is left."""
    node = Node(position)
    value = node.see(eye)
    return value, node._untried[::-1]


def churn_by_lowest(grid: Grid, prover: Proofs | None = None) -> Eye:
    """Return an eye for Churn that plays on the lowest cells."""

    def look(position: Position) -> Glance:
        mover = position.to_move
        _, result = fast_game(grid, lowest, position.stones(mover), position.stones(mover.other))
        return Glance(position, worth(result, Side.X), ranked([(1.0, position.placements())]))

    return Eye(look, lowest, prover)


def let_grow(root: CompiledNode, effort: int) -> int:
    """Let a compiled tree grow for some effort, and at least to a branch; return how often."""
    grown = root.tree.grow(root.number, 0, effort)
    if root.proved is None and not root.branches:
        grown += root.tree.grow(root.number, grown, 1)
    return grown


def times(number: int) -> Callable[[], bool]:
    """Return what lets a tree grow so many times."""
    left = repeat(True, number)
    return lambda: next(left, False)


def told(node: Searched) -> tuple[object, ...]:
    """Return all that is known of a position of a tree, but for the branches."""
    position = node.position
    stones = position.stones(Side.X), position.stones(Side.O)
    return stones, node.side, position.is_mid_turn, node.visits, node.value, node.proved


def compared(one: Searched, other: Searched) -> Iterator[tuple[object, object]]:
    """Yield what two trees say, position by position."""
    waiting, known = [(one, other)], set[int]()
    while waiting:
        one, other = waiting.pop()
        yield told(one), told(other)
        ways, others = one.branches, other.branches
        yield (
            [(w.cell, w.prior, w.visits) for w in ways],
            [(w.cell, w.prior, w.visits) for w in others],
        )
        for way, like in zip(ways, others, strict=True):
            if id(way.node) not in known:
                known.add(id(way.node))
                waiting.append((way.node, like.node))


def assert_same(python: Node, core: CompiledNode) -> None:
    for one, other in compared(python, core):
        assert one == other


def after(play: Play | ChurnPlay) -> Position:
    """Return the last position of a play that goes on."""
    *_, (before, _, last) = play.steps()
    return before if last.result else last


def grown_alike(core: CompiledNode, position: Position, eye: Eye, effort: int) -> int:
    """Let a compiled tree and one in Python grow equally often, compare them, and say how often."""
    python, grown = Node(position), let_grow(core, effort)
    assert grow(python, eye, times(grown)) == grown
    assert_same(python, core)
    return grown


@relaxed
@given(st.one_of(plays, large_plays))
def test_it_sees_in_oust_what_the_eye_sees(play: Play) -> None:
    for position in play.positions():
        if not position.result:
            assert seen(rooted("oust", position)) == seen_by(oust_eye(play.grid, lowest), position)


@relaxed
@given(st.one_of(plays, large_plays), st.integers(1, 300))
def test_a_tree_of_oust_is_the_same(play: Play, looks: int) -> None:
    position = after(play)
    grown_alike(rooted("oust", position), position, oust_eye(play.grid, lowest), looks * 16)


@pytest.mark.parametrize(
    "name", ["square 5x5", "square 7x7", "hex 4", "square 9x9", "square 13x13"]
)
def test_a_large_tree_of_oust_is_the_same(name: str) -> None:
    position = Oust(parse_grid(name))
    core, eye = rooted("oust", position), oust_eye(position.grid, lowest)
    assert grown_alike(core, position, eye, 200_000) > 1000


@relaxed
@given(plays, st.integers(1, 40))
def test_a_tree_of_games_of_oust_by_chance_is_the_same(play: Play, looks: int) -> None:
    position = after(play)
    core = rooted("oust", position, is_plain=True)
    eye = playing_eye(play.grid, lowest, captures_first=False)
    grown_alike(core, position, eye, looks * 16)


@relaxed
@given(churn_plays, st.integers(1, 60))
def test_a_tree_of_games_of_churn_by_chance_is_the_same(play: ChurnPlay, looks: int) -> None:
    position = after(play)
    core = rooted("churn", position, is_plain=True)
    grown_alike(core, position, churn_by_lowest(play.grid), looks * 16)


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_of_churn_with_proofs_is_the_same(seed: int) -> None:
    compiled.proofs_on.cache_clear()
    position = churn_by_chance(38, seed)
    python, core = Node(position), rooted("churn", position)
    grown = let_grow(core, 20_000)
    eye = churn_by_lowest(position.grid, Proofs(position.grid))
    assert grow(python, eye, times(grown)) == grown
    assert_same(python, core)


def test_a_won_position_is_proved_again_where_what_wins_was_overwritten() -> None:
    position, other = churn_by_chance(34, 2), churn_by_chance(34, 100)
    searching = CompiledSearcher("churn", position.grid, random.Random(1))
    few = _core.Proofs(*compiled._lattice(position.grid), entries=256)
    searching._proofs = few

    def wins(each: Position) -> bool | None:
        won: bool | None = few.wins(*sides_of(each))
        return won

    few.prove(*sides_of(position), 1_000_000)
    few.prove(*sides_of(other), 300)
    following = [position.place(each) for each in position.grid.each(position.placements())]
    assert wins(position)
    assert all(wins(each) is None for each in following)
    root = searching.root(position)
    searching.grow(root, times(10))
    assert root.proved == 1.0
    assert wins(root.best().node.position) is False


def sides_of(position: Position) -> tuple[bytes, bytes]:
    """Return the stones of the side to move and of the other, as the core takes them."""
    mover = position.to_move
    return compiled._bytes(position.stones(mover)), compiled._bytes(position.stones(mover.other))


def small_tree(looks: int) -> tuple[CompiledSearcher, CompiledNode]:
    """Return a tree of 7x7 that has been full, and what grows it."""
    small = CompiledSearcher("oust", square(7), random.Random(1), most_bytes=2**20)
    root = small.root(Oust(square(7)))
    assert isinstance(root, CompiledNode)
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
        node = node.after_best()


def test_what_a_tree_forgets_changes_nothing_else_that_it_knows() -> None:
    root = rooted("oust", Oust(square(7)))
    root.tree.grow(0, 0, 300_000)
    whole = rooted("oust", Oust(square(7)))
    whole.tree.grow(0, 0, 300_000)
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


@relaxed
@given(st.one_of(plays, large_plays), st.integers(30, 300))
def test_the_part_of_a_tree_that_is_kept_grows_on_as_in_python(play: Play, looks: int) -> None:
    position = after(play)
    python, core = Node(position), rooted("oust", position)
    eye, grown = oust_eye(play.grid, lowest), let_grow(core, looks * 16)
    grow(python, eye, times(grown))
    one, other = python.after_best(), core.after_best()
    if not one.position.result:
        one.keep(0)
        other.keep(2**30)
        assert_same(one, other)
        grown = let_grow(other, looks * 16)
        assert grow(one, eye, times(grown)) == grown
        assert_same(one, other)


def test_a_tree_without_any_room_still_finds_a_placement() -> None:
    position = Oust(square(7))
    small = CompiledSearcher("oust", position.grid, random.Random(1), most_bytes=0)
    root = small.root(position)
    small.grow(root, times(10))
    assert root.best().cell & position.placements()


def test_nothing_is_left_of_trees_that_nobody_needs() -> None:
    # Each tree takes some two megabytes, and the proofs of hex 2 are shared.
    plant = """
import random, resource, sys
from pbm_oust.robot.compiled import CompiledSearcher
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.grid import parse_grid
def megabytes(times):
    for nth in range(times):
        for kind, name in ("oust", "square 7x7"), ("oust", "square 11x11"), ("churn", "hex 2"):
            position = KINDS[kind].start(parse_grid(name))
            searcher = CompiledSearcher(kind, position.grid, random.Random(nth))
            root = searcher.root(position)
            root.tree.grow(0, 0, 300_000)
            root.tree.glance(0), root.tree.stones(0), root.branches, root.proved
            root.after_best().keep(2**19)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
first = megabytes(10)
print(megabytes(100) - first)
"""
    done = subprocess.run([sys.executable, "-c", plant], check=True, capture_output=True, text=True)
    assert float(done.stdout) < 15


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(SOURCES.glob("*.c")), ids=lambda path: path.name)
def test_a_compiler_has_nothing_to_say_about_the_core(path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no compiler")
    options = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-c", "-o", "/dev/null"]
    include = sysconfig.get_paths()["include"]
    done = subprocess.run(
        [compiler, *options, "-isystem", include, path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_core_takes_no_nonsense() -> None:
    grid = square(3)
    cells = grid.cells.to_bytes(84, "little")
    with pytest.raises(ValueError, match="1 to 256 cells"):
        _core.Proofs(bytes(84), grid.stride, grid.slant, 1024)
    large = square(6).cells.to_bytes(84, "little")
    with pytest.raises(ValueError, match="too large"):
        _core.Proofs(large, square(6).stride, square(6).slant, 1024)
    with pytest.raises(TypeError):
        _core.Proofs(cells, grid.stride, grid.slant)
    root = rooted("oust", Oust(grid))
    for ask in (root.tree.know, root.tree.stones, root.tree.branches, root.tree.glance):
        with pytest.raises(IndexError):
            ask(1)
    with pytest.raises(IndexError):
        root.tree.grow(1, 0, 100)
    with pytest.raises(IndexError):
        root.tree.keep([0, 1], 100)
    with pytest.raises(ValueError, match="no position"):
        root.tree.keep([], 100)
    with pytest.raises(ValueError, match="halves"):
        root.tree.settle(0, 3)
    with pytest.raises(ValueError, match="does not play"):
        CompiledSearcher("oust", square(25), random.Random(1))


def test_proofs_of_another_grid_are_refused() -> None:
    theirs, ours = hexagon(2), hexagon(3)
    proofs = compiled.proofs_on(theirs)
    with pytest.raises(ValueError, match="no proofs of this grid"):
        _core.Tree(
            ours.cells.to_bytes(84, "little"),
            ours.stride,
            ours.slant,
            eye=_core.CHURN_BY_CHANCE,
            x=b"",
            o=b"",
            to_move=False,
            is_mid_turn=False,
            seed=1,
            proofs=proofs,
            proving=1,
            most_bytes=2**20,
            picks_lowest=False,
        )

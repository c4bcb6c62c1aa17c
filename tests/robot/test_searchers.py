"""The house thinks with the compiled core where that is there, and in Python elsewhere."""

import random
import shutil
import subprocess
import sys
from itertools import count, repeat
from pathlib import Path

import pytest

from pbm_oust.robot import compiled
from pbm_oust.robot.analysis import verdict_on
from pbm_oust.robot.churn import Proofs
from pbm_oust.robot.compiled import CompiledSearcher
from pbm_oust.robot.player import LEVELS
from pbm_oust.robot.searchers import VARIABLE, PythonSearcher, searcher_for
from pbm_oust.rules.churn import Churn
from pbm_oust.rules.grid import hexagon, square
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from tests.support.boards import board
from tests.support.games import new_game
from tests.support.kinds import grids_of
from tests.support.thinking import churn_by_chance, counting_clock, decided, done

ROOT = Path(__file__).parents[2]

needs_core = pytest.mark.skipif(not compiled.IS_THERE, reason="there is no compiled core")


@pytest.fixture(params=["core", "python"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, request.param)


@needs_core
def test_the_core_searches_what_it_knows() -> None:
    rng = random.Random(1)
    assert isinstance(searcher_for("oust", square(16), rng), CompiledSearcher)
    assert isinstance(searcher_for("churn", hexagon(4), rng), CompiledSearcher)
    assert isinstance(searcher_for("oust", square(17), rng), PythonSearcher)


def test_it_can_be_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "python")
    assert isinstance(searcher_for("oust", square(7), random.Random(1)), PythonSearcher)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_either_plays_every_kind_to_the_end(kind: Kind) -> None:
    for grid in grids_of(kind, largest=16):
        game = new_game(str(grid), kind=kind.name)
        while not game.result:
            game = done(game, decided(game, 3).wish)


@pytest.mark.usefixtures("_way")
def test_either_tells_what_is_proved() -> None:
    position = board("""
        . . . . .
        . x . o .
        . . x . .
        . . . . .
    """)
    searcher, left = searcher_for("oust", position.grid, random.Random(1)), repeat(True, 500)
    root = node = searcher.root(position)
    searcher.grow(root, lambda: next(left, False))
    assert root.proved == 1
    while not node.position.result and node.side is root.side:
        node = node.after_best()
        assert (node.value if node.side is root.side else 1 - node.value) == 1


def lost_position() -> Churn:
    """Return a position on hex 3 that the side to move loses."""
    proofs, position = Proofs(hexagon(3)), Churn(hexagon(3))
    for seed in count():
        position = churn_by_chance(45, seed)
        proofs.prove(position, 100_000)
        if proofs.wins(position) is False:
            break
    return position


@pytest.mark.usefixtures("_way")
def test_either_knows_that_a_position_of_churn_is_lost() -> None:
    position = lost_position()
    searcher = searcher_for("churn", position.grid, random.Random(1))
    root = searcher.root(position)
    searcher.grow(root, lambda: not searcher.is_lost(position))
    assert root.proved is None
    for cell in position.grid.each(position.placements()):
        assert not searcher.is_lost(position.place(cell))


@needs_core
def test_who_has_more_time_uses_more_of_it_for_proofs() -> None:
    position = churn_by_chance(24, seed=2)

    def looks_until_proved(seconds: float) -> int:
        compiled.proofs_on.cache_clear()
        searcher = searcher_for("churn", position.grid, random.Random(1), seconds)
        root = searcher.root(position)
        looks = searcher.grow(root, lambda: True)
        assert root.proved == 1
        return looks

    easy, fair, strong = (looks_until_proved(level.seconds) for level in LEVELS)
    assert strong < fair == easy


@pytest.mark.usefixtures("_way")
def test_either_analyses_a_game() -> None:
    game = new_game("square 5x5")
    for _ in range(6):
        game = done(game, decided(game, 3).wish)
        if game.result:
            break
    verdict = verdict_on(game, 5, counting_clock())
    assert 0 <= verdict.x_wins <= 1
    assert verdict.line or verdict.is_certain


@pytest.mark.usefixtures("_way")
def test_the_tree_of_a_game_that_is_over_has_its_result() -> None:
    position = board("""
        x . o
        . . .
    """)
    over = position.place(position.capturing())
    assert over.result
    searcher = searcher_for("oust", over.grid, random.Random(1))
    root = searcher.root(over)
    assert root.proved == 1
    assert searcher.grow(root, lambda: True) == 0


@needs_core
def test_games_of_churn_on_large_boards_are_cut_short() -> None:
    # To the end, one takes tens of millions of placements.
    root = CompiledSearcher("churn", hexagon(9), random.Random(1)).root(Churn(hexagon(9)))
    assert isinstance(root, compiled.CompiledNode)
    assert root.tree.grow(0, 0, 1) == 1
    assert root.value in (0.0, 0.5, 1.0)


@pytest.mark.slow
def test_without_a_compiler_everything_but_the_core_is_built(tmp_path: Path) -> None:
    for name in ("pbm_oust", "templates"):
        ignored = shutil.ignore_patterns("*.mo", "*.so", "built", "__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/catalogues.py", tmp_path / "scripts")
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, tmp_path)
    build = [sys.executable, "setup.py", "-q", "build", "--build-lib", "built"]
    environment = {"CC": "/bin/false", "PATH": "/usr/bin:/bin"}
    subprocess.run(build, cwd=tmp_path, env=environment, check=True, capture_output=True)
    script = "from pbm_oust.robot.compiled import IS_THERE; print(IS_THERE)"
    ran = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "built")},
        check=True,
        capture_output=True,
        text=True,
    )
    assert ran.stdout == "False\n"

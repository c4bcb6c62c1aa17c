"""Without the compiled core the house plays the simple way, and says so."""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pbm_oust.board import Deed
from pbm_oust.board.header import Terms
from pbm_oust.robot.levels import LEVELS, SIMPLE, Level
from pbm_oust.robot.player import decide, takes_draw
from pbm_oust.robot.search import VARIABLE, can_search
from pbm_oust.rules import KINDS, Kind, Side
from pbm_oust.rules.grid import hexagon, square
from tests.support.boards import board
from tests.support.core import needs_core
from tests.support.games import act, new_game, play, standing_at
from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, Talk
from tests.support.kinds import grids_of
from tests.support.outbox import letters
from tests.support.rings import first_is_fast
from tests.support.server import PROGRAM
from tests.support.thinking import counting_clock, decided, done
from tests.support.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
NO_SWAP = Terms(swap=False)
UNSEARCHED = f"Nothing is searched here, so it plays about as well as {SIMPLE.userid}."
PLAYERS = f"{LEVELS[0].userid} to {LEVELS[-1].userid}"
ALIKE = f"its programs all play about as well as {SIMPLE.userid}."


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "python")


@needs_core
def test_the_core_searches_what_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    known, unknown = ("oust", square(16)), ("oust", square(17))
    assert can_search(*known)
    assert can_search("churn", hexagon(4))
    assert not can_search(*unknown)
    assert not can_search("trio", square(5))
    monkeypatch.setenv(VARIABLE, "python")
    assert not can_search(*known)


@pytest.mark.usefixtures("_alone")
@pytest.mark.parametrize("level", first_is_fast(LEVELS), ids=[each.userid for each in LEVELS])
@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_every_level_plays_every_kind_to_the_end(kind: Kind, level: Level) -> None:
    rng = random.Random(1)
    for grid in grids_of(kind, largest=16):
        game = new_game(str(grid), kind=kind.name)
        while not game.result:
            decision = decide(game, 30, rng, counting_clock(), level=level)
            assert 0 <= decision.value <= 1
            assert decision.root is None
            game = done(game, decision.wish)


@pytest.mark.usefixtures("_alone")
def test_it_plays_small_boards_perfectly_all_the_same() -> None:
    game = play(new_game("hex 3", NO_SWAP), "x A1")
    while not game.result:
        game = done(game, decided(game, 3).wish)
    assert game.result.winner is Side.O


@pytest.mark.usefixtures("_alone")
def test_it_takes_over_a_first_stone_and_takes_a_draw_where_it_has_fewer_stones() -> None:
    game = play(new_game("square 7x7"), "x D4")
    assert decided(game, 10).wish is Deed.SWAP
    few = board("""
        x x . . o
        . . . . .
        . . . . .
    """)
    for side in Side:
        asked = act(standing_at(new_game("square 5x3", NO_SWAP), few), f"{side.value} propose")
        is_taken = takes_draw(asked, 10, random.Random(1), counting_clock())
        assert is_taken is (side is Side.X)


@pytest.mark.usefixtures("_alone")
def test_players_are_told_that_it_plays_in_a_simple_way(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE)
    for level in LEVELS:
        talk.send(ALICE, f"oust challenge alice {level.userid} wonderland -size=7")
        is_weaker = level.looks is None or level.looks > (SIMPLE.looks or 0)
        assert (UNSEARCHED in talk.letter_to(ALICE).words) is is_weaker
        talk.send(ALICE, f"oust resign {level.userid[5:]} alice wonderland")
    talk.send(ALICE, "help house")
    words = talk.letter_to(ALICE).words
    assert ALIKE in words
    assert "It never resigns." in words
    talk.send(ALICE, "settings alice wonderland language fr")
    talk.send(ALICE, f"oust challenge alice {LEVELS[-1].userid} wonderland -size=7")
    assert "Ici, rien n'est calculé à l'avance" in talk.letter_to(ALICE).words


@needs_core
def test_with_the_core_only_boards_that_are_too_large_for_it_are_played_simply(
    tmp_path: Path,
) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE)
    talk.home.configuration.write_text("house_cells = 400\n")
    for size, is_simple in ((16, False), (17, True)):
        talk.send(ALICE, f"oust challenge alice {LEVELS[-1].userid} wonderland -size={size}")
        assert (UNSEARCHED in talk.letter_to(ALICE).words) is is_simple
    talk.send(ALICE, "help house")
    words = talk.letter_to(ALICE).words
    assert ALIKE not in words
    assert "it resigns when it has lost" in words


def ran(words: Sequence[str], home: Path, stdin: str = "", **environment: str) -> str:
    """Run a program for a home; return what it prints and logs."""
    found = subprocess.run(
        [*words[:-1], "--home", str(home), *words[-1].split()],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=os.environ | environment,
    )
    return found.stdout + found.stderr


@pytest.mark.slow
def test_the_operator_is_told_how_the_house_plays_and_why(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE)
    talk.send(ALICE, "oust challenge house3 alice wonderland -size=7")
    talk.send(ALICE, "oust challenge alice house1 wonderland -size=17")
    talk.send(ALICE, "oust resign 1 alice wonderland")
    home, alone = talk.home.path, {VARIABLE: "python"}
    told = ran([PROGRAM, "doctor"], home, **alone)
    assert f"note  house: {PLAYERS} play in a simple way and analyse nothing" in told
    assert f"{VARIABLE} is python in the environment; remove it from there" in told
    assert "core=none" in ran([PROGRAM, "house"], home, **alone)
    refused = ran([PROGRAM, "games analyse oust 1"], home, **alone)
    assert f"Error: oust 1 cannot be analysed: {VARIABLE} is python" in refused


@needs_core
def test_the_operator_is_told_what_cannot_be_searched_with_the_core(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE)
    talk.home.configuration.write_text("house_cells = 400\n")
    talk.send(ALICE, "oust challenge alice house1 wonderland -size=17")
    talk.send(ALICE, "oust resign 1 alice wonderland")
    home = talk.home.path
    assert f"ok    house: {PLAYERS} search with the compiled core" in ran([PROGRAM, "doctor"], home)
    assert "cannot be analysed: the house does not search oust on square 17x17" in ran(
        [PROGRAM, "games analyse oust 1"], home
    )


@pytest.mark.slow
def test_without_a_compiler_everything_but_the_core_is_built_and_says_so(tmp_path: Path) -> None:
    for name in ("docs", "pbm_oust", "templates"):
        ignored = shutil.ignore_patterns("*.mo", "*.so", "built", "__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    (tmp_path / "scripts").mkdir()
    for name in ("catalogues.py", "readme.py"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    build = [sys.executable, "setup.py", "-q", "build", "--build-lib", "built"]
    environment = {"CC": "/bin/false", "PATH": "/usr/bin:/bin"}
    subprocess.run(build, cwd=tmp_path, env=environment, check=True, capture_output=True)
    talk = Talk.begin(tmp_path / "home", ALICE)
    talk.home.database.close()
    home, alone = talk.home.path, {"PYTHONPATH": str(tmp_path / "built")}
    program = [sys.executable, "-P", "-c", "from pbm_oust.cli.main import main; main()"]
    told = ran([*program, "doctor"], home, **alone)
    assert f"{PLAYERS} play in a simple way and analyse nothing" in told
    assert "install a C compiler and the headers of Python (Debian: gcc, python3-dev)" in told
    challenge = "oust challenge house8 alice wonderland -size=7"
    mail = f"From: {ALICE}\nMessage-ID: <1@example.org>\nSubject: {challenge}\n\n"
    ran([*program, "deliver"], home, mail, **alone)
    assert UNSEARCHED in " ".join(letters(talk.home)[-1].text.split())
    assert "core=none" in ran([*program, "house"], home, **alone)
    assert len(moves_of(talk.home)) == 1

"""The house analyses finished games when nothing else waits for it."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.board import Game
from pbm_oust.robot.analysis import Analysis
from pbm_oust.rules import KINDS
from pbm_oust.service.house import Finished
from pbm_oust.store.analyses import keep, kept
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game
from tests.support.games import history_of, new_game, play
from tests.support.histories import lay_histories, moves_of
from tests.support.home_by_mail import ALICE, home_of, mailed
from tests.support.processes import processes_of
from tests.support.server import PROGRAM, running
from tests.support.waiting import PATIENCE, wait_until

PAGES = 'web_address = "https://games.example.org"\n'
SHORT = play(new_game("hex 3"), "x C3", "o A1", "x resign")
VOID = play(new_game("hex 3"), "x decline")
GOING = play(new_game("hex 3"), "x C3")
LONG = play(
    new_game("square 9x9"), "x A1", "o C1", "x E1", "o G1", "x J1", "o A3", "x C3", "o resign"
)


def on_board(game: Game, number: int) -> str:
    numbered = replace(game, header=replace(game.header, board=number))
    return history_of(numbered).decode()


def home_with(path: Path, *games: Game, configuration: str = PAGES) -> Home:
    """Return a home with alice and these games, on boards from 1 on."""
    home = home_of(path, ALICE)
    lay_histories(home, {number: on_board(game, number) for number, game in enumerate(games, 1)})
    home.configuration.write_text(configuration)
    return home


def waiting(home: Home, most_cells: int = 170) -> list[str]:
    return [game.name for game in Finished(home).waiting(most_cells)]


def analysis(home: Home, board: int = 1) -> Analysis | None:
    return home.ask(kept, read_game(home, KINDS["oust"], board))


def house(home: Home) -> None:
    words = [PROGRAM, "--home", str(home.path), "house"]
    subprocess.run(words, check=True, timeout=PATIENCE, capture_output=True)


def test_only_games_that_were_played_to_an_end_wait_to_be_analysed(tmp_path: Path) -> None:
    home = home_with(tmp_path / "home", GOING, VOID, SHORT, LONG)
    assert sorted(waiting(home)) == ["oust 3", "oust 4"]
    assert waiting(home, most_cells=19) == ["oust 3"]
    game = read_game(home, KINDS["oust"], 3)
    home.do(keep, game, Analysis.of(game, 1, ()))
    assert waiting(home) == ["oust 4"]


def test_it_is_seen_when_a_game_ends(tmp_path: Path) -> None:
    home = home_with(tmp_path / "home", GOING)
    finished = Finished(home)
    assert [home.ask(finished.have_changed) for _ in range(2)] == [True, False]
    lay_histories(home, {2: on_board(SHORT, 2)})
    assert [home.ask(finished.have_changed) for _ in range(2)] == [True, False]


@pytest.mark.slow
def test_the_house_analyses_what_is_over_if_there_are_pages(tmp_path: Path) -> None:
    home = home_with(tmp_path / "home", SHORT, GOING, configuration="")
    house(home)
    assert analysis(home) is None
    home.configuration.write_text(f"{PAGES}house_analyses = false\n")
    house(home)
    assert analysis(home) is None
    home.configuration.write_text(PAGES)
    house(home)
    found = analysis(home)
    assert found
    assert len(found.evaluations) == 4
    assert waiting(home) == []


def test_a_server_analyses_a_game_that_has_just_ended(tmp_path: Path) -> None:
    home = home_with(tmp_path / "home")
    with running(home.path):
        mailed(home, ALICE, "oust challenge alice house1 wonderland -hex=3")
        mailed(home, ALICE, "oust move 1 alice wonderland C3")
        wait_until(lambda: len(moves_of(home)) == 2, "the house's turn")
        mailed(home, ALICE, "oust resign 1 alice wonderland")
        wait_until(lambda: analysis(home), "the analysis")


@pytest.mark.slow
def test_a_house_that_is_killed_while_it_analyses_begins_again_and_plays_first(
    tmp_path: Path,
) -> None:
    home = home_with(tmp_path / "home", LONG)
    with running(home.path) as server:
        (analysing,) = wait_until(
            lambda: processes_of(server.process.pid, "house"), "somebody who analyses"
        )
        os.kill(analysing, signal.SIGKILL)
        wait_until(
            lambda: set(processes_of(server.process.pid, "house")) - {analysing}, "another one"
        )
        mailed(home, ALICE, "oust challenge house1 alice wonderland -size=5")
        wait_until(lambda: moves_of(home, 2), "the house's turn")
        assert analysis(home) is None
        wait_until(lambda: analysis(home), "the analysis")
    assert len(moves_of(home, 2)) == 1

"""The house beside a server: it plays by itself, and a killed one goes on without playing twice."""

import os
import signal
from pathlib import Path

import pytest

from pbm_oust.board import Game
from pbm_oust.rules import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game
from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, home_of, mailed
from tests.support.processes import processes_of
from tests.support.server import running
from tests.support.waiting import wait_until


@pytest.mark.slow
def test_a_server_lets_the_house_play_until_the_end_of_a_game(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", ALICE)
    with running(home.path):
        mailed(home, ALICE, "oust challenge alice house1 wonderland -size=3")
        for turn in range(40):
            game = moves_of(home)
            if turn and _is_over(home):
                break
            mailed(home, ALICE, f"oust move 1 alice wonderland {_first_placement(home)}")
            wait_until(lambda: _is_over(home) or _is_alices(home), "the house's turn")
            assert len(moves_of(home)) > len(game)
        assert _is_over(home)


@pytest.mark.slow
def test_a_house_that_is_killed_goes_on_and_plays_each_turn_once(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", ALICE)
    with running(home.path) as server:
        mailed(home, ALICE, "oust challenge house4 alice wonderland -size=7")
        (thinking,) = wait_until(lambda: processes_of(server.process.pid, "house"), "a thinker")
        os.kill(thinking, signal.SIGKILL)
        wait_until(lambda: moves_of(home), "the house's turn")
        mailed(home, ALICE, f"oust move 1 alice wonderland {_first_placement(home)}")
        wait_until(lambda: len(moves_of(home)) == 3, "the house's second turn")
    assert len(moves_of(home)) == 3


@pytest.mark.slow
def test_the_same_process_plays_the_turns_of_a_game_and_ends_with_the_server(
    tmp_path: Path,
) -> None:
    home = home_of(tmp_path / "home", ALICE)
    with running(home.path) as server:
        mailed(home, ALICE, "oust challenge house1 alice wonderland -size=7 -noswap")
        wait_until(lambda: moves_of(home), "the house's turn")
        (thinking,) = processes_of(server.process.pid, "house")
        for _ in range(2):
            # The house may have won: its first stones are where chance and its time let them be.
            if not _game(home).result:
                mailed(home, ALICE, f"oust move 1 alice wonderland {_first_placement(home)}")
            wait_until(lambda: _is_alices(home) or _game(home).result, "the house's turn")
            assert processes_of(server.process.pid, "house") == [thinking]
    wait_until(lambda: not Path(f"/proc/{thinking}").exists(), "the house to end")


def _game(home: Home) -> Game:
    return read_game(home, KINDS["oust"], 1)


def _is_over(home: Home) -> bool:
    return _game(home).result is not None


def _is_alices(home: Home) -> bool:
    return _game(home).player_to_move == "alice"


def _first_placement(home: Home) -> str:
    """Return the first whole turn that can be made, by the names of its cells; or `pass`."""
    position, cells = _game(home).position, list[str]()
    while position.has_placement() and (position.is_mid_turn or not cells) and not position.result:
        cell = position.placements() & -position.placements()
        cells.append(position.grid.format_cell(cell))
        position = position.place(cell)
    return ",".join(cells) or "pass"

"""Playing against the house by mail: it answers by itself, and each move is made once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.request import Request
from pbm_oust.robot.levels import LEVELS, level_of
from pbm_oust.service.house import HouseBoards, identity_of
from pbm_oust.service.service import handle
from tests.speed.running import processor_time
from tests.support.command_line import play_house, run
from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.outbox import letters
from tests.support.server import PROGRAM
from tests.support.waiting import PATIENCE, wait_until


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.begin(tmp_path / "home", ALICE, BOB)


def house(talk: Talk) -> None:
    """Let the house play on all boards that wait for it."""
    play_house(talk.home)


def test_the_house_begins_where_it_is_x_and_plays_every_kind(talk: Talk) -> None:
    for line in (
        "oust challenge house1 alice wonderland -size=4",
        "oust challenge house alice wonderland -hex=3",
        "churn challenge house1 alice wonderland",
    ):
        talk.send(ALICE, line)
    house(talk)
    for kind, number in (("oust", 1), ("oust", 2), ("churn", 1)):
        assert len(moves_of(talk.home, number, kind)) == 1


def test_the_house_plays_on_hexagons_whose_sides_differ(talk: Talk) -> None:
    for line in (
        "churn challenge alice house1 wonderland -size=3,3,5",
        "oust challenge alice house1 wonderland -hex=2,3,4,1,4,3",
    ):
        talk.send(ALICE, line)
    talk.send(ALICE, "churn move 1 alice wonderland A5")
    talk.send(ALICE, "oust move 1 alice wonderland D6")
    house(talk)
    for kind, grid in (("churn", "hex 3,3,5"), ("oust", "hex 2,3,4,1,4,3")):
        assert len(moves_of(talk.home, 1, kind)) == 2
        history = (talk.home.path / kind / "1.txt").read_text()
        assert f"\nGrid: {grid}\n" in history


@pytest.mark.slow
def test_two_processes_make_each_move_once(talk: Talk) -> None:
    for size in (4, 5, 6):
        talk.send(ALICE, f"oust challenge house1 alice wonderland -size={size}")
    words = [PROGRAM, "--home", str(talk.home.path), "house"]
    with subprocess.Popen(words) as one, subprocess.Popen(words) as other:
        assert (one.wait(PATIENCE), other.wait(PATIENCE)) == (0, 0)
    assert [len(moves_of(talk.home, number)) for number in (1, 2, 3)] == [1, 1, 1]
    assert len([letter for letter in letters(talk.home) if "house1 played" in letter.text]) == 3


WRITES = """
import os
import sys
from pbm_oust.cli import main
from pbm_oust.service import house

def noted(*given, handle=house.handle):
    print(os.getpriority(os.PRIO_PROCESS, 0), flush=True)
    return handle(*given)

house.handle = noted
main(["--home", sys.argv[1], "house"])
"""


@pytest.mark.slow
def test_nobody_waits_to_write_until_a_house_that_steps_back_has_written(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge house1 alice wonderland -size=4")
    command = [sys.executable, "-c", WRITES, str(talk.home.path)]
    told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert told.stdout == f"{os.getpriority(os.PRIO_PROCESS, 0)}\n", told.stderr


@pytest.mark.slow
def test_nobody_waits_for_a_program_that_thinks_long_about_another_board(talk: Talk) -> None:
    for level in (LEVELS[0], LEVELS[-1]):
        talk.send(ALICE, f"oust challenge {level.userid} alice wonderland -size=9 -noswap")
    with subprocess.Popen([PROGRAM, "--home", str(talk.home.path), "house"]) as thinking:
        try:
            wait_until(lambda: moves_of(talk.home, 1), "the turn of house1")
            used = processor_time(thinking.pid)
            wait_until(lambda: processor_time(thinking.pid) > used + 0.1, "some thinking")
            talk.send(BOB, "oust challenge house1 bob lookingglass -size=9")
            wait_until(lambda: moves_of(talk.home, 3), "the turn of house1 against bob")
            assert moves_of(talk.home, 2) == []
        finally:
            thinking.kill()


def test_the_operator_renames_no_program(talk: Talk) -> None:
    for words in (("rename", "house1", "deepest"), ("merge", "alice", "house1")):
        refused = run(talk.home, "players", *words)
        assert refused.exit_code == 1
        assert "house1 is a program of this server" in refused.output


def test_a_board_on_which_one_of_five_players_has_moved_goes_on_at_its_strength(
    talk: Talk,
) -> None:
    work = open_inbound(talk.home, talk.own, lambda: talk.now).work
    for kept in (True, False):
        talk.send(ALICE, "oust challenge house3 alice wonderland -size=5 -noswap")
        (waiting,) = HouseBoards(talk.home).waiting()
        assert waiting.level is level_of("house3")
        number = waiting.game.header.board
        before = f"house3 oust {number} #1" if kept else identity_of(waiting.game, "house3", 1)
        reply = Ask.on_board(Topic.PLAY, "oust", number, 1, "house3")
        handle(Request("", "C3", "", before, reply=reply), work)
        talk.send(ALICE, f"oust move {number} alice wonderland A1")
        (waiting,) = HouseBoards(talk.home).waiting()
        assert waiting.level is level_of("house3", of_five=kept)
        house(talk)
        talk.send(ALICE, f"oust move {number} alice wonderland A5")
        (waiting,) = HouseBoards(talk.home).waiting()
        assert waiting.level is level_of("house3", of_five=kept)
        talk.send(ALICE, f"oust resign {number} alice wonderland")

"""Playing against the house by mail: it answers by itself, and each move is made once."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.speed.running import processor_time
from tests.support.command_line import run
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
    subprocess.run([PROGRAM, "--home", str(talk.home.path), "house"], check=True, timeout=PATIENCE)


@contextmanager
def configured(talk: Talk, text: str) -> Iterator[None]:
    """Set what an operator sets, for the body."""
    talk.home.configuration.write_text(text, encoding="utf-8")
    yield


def test_the_house_takes_a_challenge_and_answers_a_move(talk: Talk) -> None:
    assert talk.send(ALICE, "oust challenge alice house1 wonderland -size=5") == [
        f"{ALICE}: oust 1 #1: your turn, alice"
    ]
    started = talk.letter_to(ALICE).words
    assert "house1 is a program of this server, and answers by itself." in started
    assert "The game does not count for ratings." in started
    house(talk)
    assert moves_of(talk.home) == []
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    before = len(letters(talk.home))
    for _ in range(2):
        house(talk)
    assert len(moves_of(talk.home)) == 2
    (told,) = letters(talk.home)[before:]
    assert told.to == ALICE
    assert "house1" in told.text
    why = run(talk.home, "games", "why", "oust", "1").output
    assert why.splitlines()[1].split(None, 1) == ["how", "by the house, a program of this server"]


def test_the_house_begins_where_it_is_x_and_plays_every_kind(talk: Talk) -> None:
    for line in (
        "oust challenge house1 alice wonderland -size=4",
        "oust challenge house alice wonderland -hex=3",
        "churn challenge house2 alice wonderland",
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


def test_two_processes_make_each_move_once(talk: Talk) -> None:
    for size in (4, 5, 6):
        talk.send(ALICE, f"oust challenge house1 alice wonderland -size={size}")
    words = [PROGRAM, "--home", str(talk.home.path), "house"]
    with subprocess.Popen(words) as one, subprocess.Popen(words) as other:
        assert (one.wait(PATIENCE), other.wait(PATIENCE)) == (0, 0)
    assert [len(moves_of(talk.home, number)) for number in (1, 2, 3)] == [1, 1, 1]
    assert len([letter for letter in letters(talk.home) if "house1 played" in letter.text]) == 3


def test_nobody_waits_for_a_program_that_thinks_long_about_another_board(talk: Talk) -> None:
    for line in ("house1 alice wonderland", "house3 alice wonderland"):
        talk.send(ALICE, f"oust challenge {line} -size=9")
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


def test_the_house_answers_offers(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice house1 wonderland -size=5 -noswap")
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    house(talk)
    talk.send(ALICE, "oust undo 1 alice wonderland")
    house(talk)
    assert moves_of(talk.home)[-1] == "o accept"
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    talk.send(ALICE, "oust propose 1 alice wonderland")
    house(talk)
    assert "o accept" in moves_of(talk.home)[4:] or "o reject" in moves_of(talk.home)[4:]


def test_nobody_is_a_house_player(talk: Talk) -> None:
    for line in (
        "oust move 1 house1 - C3",
        "signup house9 secret12",
        "signup house1 secret12",
        "settings house1 none",
        "forgot house1",
    ):
        talk.send(BOB, line)
        assert not talk.outcome.startswith("done: settings")
    talk.send(ALICE, "oust challenge alice house1 wonderland -size=5")
    talk.send(BOB, "oust resign 1 house1 lookingglass")
    assert talk.outcome.startswith("refused")
    talk.send(ALICE, "oust challenge house1 house2 wonderland")
    assert talk.outcome.startswith("refused")


def test_the_operator_closes_a_program_and_renames_none(talk: Talk) -> None:
    for words in (("rename", "house1", "deepest"), ("merge", "alice", "house1")):
        done = subprocess.run(
            [PROGRAM, "--home", str(talk.home.path), "players", *words],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert "house1 is a program of this server" in done.stderr
    closing = [PROGRAM, "--home", str(talk.home.path), "players", "disable", "house1"]
    subprocess.run(closing, check=True)
    talk.send(ALICE, "oust challenge alice house1 wonderland -size=5")
    assert talk.outcome == "refused: disabled"


def test_a_rematch_counts_only_if_boards_with_the_house_still_do(talk: Talk) -> None:
    with configured(talk, 'house = "rated"\n'):
        talk.send(ALICE, "oust challenge alice house1 wonderland -size=5")
        talk.send(ALICE, "oust resign 1 alice wonderland")
    with configured(talk, 'house = "unrated"\n'):
        talk.send(ALICE, "oust rematch 1 alice wonderland")
        assert "The game does not count for ratings." in talk.letter_to(ALICE).words


def test_lists_mark_machines(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice house1 wonderland -size=5")
    talk.send(ALICE, "list")
    assert "alice (x) - house1 (machine) (o)" in talk.letter_to(ALICE).words
    talk.send(ALICE, "oust resign 1 alice wonderland")
    talk.send(ALICE, "oust history")
    assert "alice (x) - house1 (machine) (o)" in talk.letter_to(ALICE).words


def test_ratings_mark_machines(talk: Talk) -> None:
    with configured(talk, 'house = "rated"\n'):
        talk.send(ALICE, "oust challenge alice house1 wonderland -size=5 -noswap")
        talk.send(ALICE, "oust move 1 alice wonderland C3")
        talk.send(ALICE, "oust resign 1 alice wonderland")
        talk.send(ALICE, "oust ratings alice")
    assert "oust 1 lost against house1 (machine)" in talk.letter_to(ALICE).words


def test_no_text_reaches_a_program(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice house1 wonderland -size=5", "Good luck!")
    assert "does not reach" not in talk.letter_to(ALICE).text
    talk.send(ALICE, "message alice wonderland house1", "Are you there?")
    assert "house1 is a program and reads no text." in talk.letter_to(ALICE).text
    talk.send(ALICE, "oust chat 1 alice wonderland", "Are you there?")
    assert "house1 is a program and reads no text." in talk.letter_to(ALICE).text


def test_the_operator_sets_whether_and_how_much_the_house_plays(talk: Talk) -> None:
    with configured(talk, "house_boards = 2\nhouse_cells = 40\n"):
        for size, refused in (("5", ""), ("6", ""), ("5", "house_busy")):
            talk.send(ALICE, f"oust challenge alice house1 wonderland -size={size}")
            assert refused in talk.outcome
        assert "at most 2 boards against the house" in talk.letter_to(ALICE).text
        talk.send(BOB, "oust challenge bob house1 lookingglass -size=7")
        assert talk.outcome == "refused: house_board_too_large"
    with configured(talk, 'house = "rated"\n'):
        talk.send(BOB, "oust challenge bob house1 lookingglass -size=5")
        assert "not rated" not in talk.letter_to(BOB).text
    with configured(talk, 'house = "off"\n'):
        talk.send(BOB, "oust challenge bob house1 lookingglass -size=5")
        assert talk.outcome == "refused: house_off"
    with configured(talk, 'house = "often"\n'):
        found = subprocess.run(
            [PROGRAM, "--home", str(talk.home.path), "house"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "off, unrated, rated" in found.stderr

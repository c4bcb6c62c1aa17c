"""What a person at a terminal gets, and a program that reads along does not."""

import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click import unstyle

from pbm_oust.board import Game
from pbm_oust.rules import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_board
from tests.support.games import act, history_of, new_game, play
from tests.support.histories import make_from_files
from tests.support.home_by_mail import ADDRESS, ALICE, home_of
from tests.support.rings import first_is_fast
from tests.support.server import PROGRAM
from tests.support.sink import SinkThatWaits, listening_sink
from tests.support.waiting import PATIENCE, has_news

ROOT = Path(__file__).parents[2]
CLEARED = "\x1b[2J"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with the sample games, and board 17, which has begun today and has a column O."""
    home = Home(tmp_path)
    home.prepare()
    for number in (1, 2, 3):
        shutil.copy(ROOT / "games" / "oust" / f"{number}.txt", tmp_path / "oust")
    begun = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=4)
    going = play(new_game("square 15x15", started=begun), "x C3", "o O15", "x A1")
    (tmp_path / "oust" / "17.txt").write_bytes(history_of(going))
    make_from_files(tmp_path)
    return home


def environment(**settings: str) -> dict[str, str]:
    """Return the environment of this process, with nothing that changes what is printed."""
    left_out = ("NO_COLOR", "LINES", "COLUMNS", "LESS", "PAGER")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return kept | {"TERM": "xterm", "PAGER": "cat -n"} | settings


def piped(home: Home, *arguments: str) -> str:
    command = [PROGRAM, "--home", str(home.path), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment()
    ).stdout


@contextmanager
def at_terminal(
    home: Home, *arguments: str, rows: int = 60, **settings: str
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run a command at a terminal of so many rows; gives it and what the person sees."""
    seen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
    command = [PROGRAM, "--home", str(home.path), *arguments]
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment(**settings)
    ) as process:
        os.close(terminal)
        try:
            yield process, seen
        finally:
            process.kill()
            os.close(seen)


def shown(home: Home, *arguments: str, rows: int = 60, **settings: str) -> str:
    """Return what a command shows at a terminal."""
    with at_terminal(home, *arguments, rows=rows, **settings) as (process, seen):
        text = read_until(seen, None)
        assert process.wait(timeout=PATIENCE) == 0
        return text


def read_until(seen: int, awaited: str | None) -> str:
    """Return what is printed up to a text, or to the end."""
    text = ""
    while awaited is None or awaited not in text:
        assert has_news(seen, PATIENCE), text
        try:
            text += os.read(seen, 1024).decode()
        except OSError:  # how the end of a terminal is told on Linux
            break
    assert awaited is None or awaited in text, text
    return text.replace("\r\n", "\n")


@pytest.mark.slow
def test_stones_have_colours_at_a_terminal_and_the_names_of_columns_do_not(home: Home) -> None:
    text = shown(home, "games", "show", "oust", "17")
    assert unstyle(text) == piped(home, "games", "show", "oust", "17")
    assert re.findall(r"((?:\x1b\[\d+m)+)(.)\x1b\[0m", text) == [
        ("\x1b[36m\x1b[22m", "o"),
        ("\x1b[31m\x1b[22m", "x"),
        ("\x1b[31m\x1b[1m", "X"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours_shows_none(settings: dict[str, str], home: Home) -> None:
    text = shown(home, "games", "show", "oust", "17", rows=60, **settings)
    assert text == piped(home, "games", "show", "oust", "17")
    assert "\x1b" not in text


@pytest.mark.parametrize(
    "arguments",
    first_is_fast(
        [
            ("games", "show", "oust", "1"),
            ("games", "history", "oust", "1"),
            ("games", "list"),
            ("standings",),
        ]
    ),
)
def test_what_does_not_fit_on_the_terminal_goes_through_the_pager(
    arguments: tuple[str, ...], home: Home
) -> None:
    plain = piped(home, *arguments)
    paged = shown(home, *arguments, rows=3, NO_COLOR="1")
    assert [line.split("\t", 1)[1] for line in paged.splitlines()] == plain.splitlines()
    assert shown(home, *arguments, NO_COLOR="1") == plain


@pytest.mark.slow
def test_a_person_at_a_terminal_sees_how_far_rebuilding_is(home: Home) -> None:
    seen = shown(home, "home", "rebuild")
    assert "reading histories" in seen
    assert "100%" in seen
    assert "the database holds 4 boards" in seen
    assert piped(home, "home", "rebuild") == "the database holds 4 boards\n"


def test_a_person_at_a_terminal_sees_how_many_positions_were_searched(home: Home) -> None:
    solve = ("rules", "solve", "oust", "--size", "3x2", "--census")
    seen = shown(home, *solve)
    assert re.findall(r"(who wins|forced draws|census) .* +([1-9]\d*)/\d+", seen) == [
        ("who wins", "15"),
        ("forced draws", "23"),
        ("census", "36"),
    ]
    assert piped(home, *solve).startswith("oust square 3x2, both sides playing")


@pytest.mark.slow
def test_a_person_at_a_terminal_sees_how_far_an_analysis_is(home: Home) -> None:
    seen = shown(home, "games", "analyse", "oust", "2", "--seconds", "0.01")
    assert re.search(r"searching .* 100%", seen)
    assert "searching" not in shown(home, "games", "analyse", "oust", "2", "--seconds", "0.01")


def grow(home: Home, command: str) -> Game:
    board = read_board(home, KINDS["oust"], 17)
    game = act(board.game, command)
    home.do(home.boards.append, board, game)
    return game


@pytest.mark.slow
def test_a_watched_board_is_drawn_anew_until_its_game_is_over(home: Home) -> None:
    with at_terminal(home, "games", "show", "--watch", "oust", "17") as (process, seen):
        assert CLEARED in read_until(seen, "o: marksteere 1/1")
        grow(home, "o C5")
        second = read_until(seen, "x: rrognlie 1/2   o: marksteere 1/2")
        assert CLEARED in second
        grow(home, "x resign")
        last = read_until(seen, None)
        assert "oust 17, square 15x15: marksteere won, resign" in last
        assert process.wait(timeout=PATIENCE) == 0


def test_a_watched_board_is_printed_one_below_the_other_where_it_is_piped(home: Home) -> None:
    command = [PROGRAM, "--home", str(home.path), "games", "show", "--watch", "oust", "17"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if line.strip() == "A B C D E F G H J K L M N O P":
                break
        grow(home, "x resign")
        rest = process.stdout.read()
        assert process.wait(timeout=PATIENCE) == 0
    assert "\n\noust 17, square 15x15: marksteere won, resign\n" in rest
    assert "\x1b" not in rest


def test_ctrl_c_ends_watching_and_is_no_failure(home: Home) -> None:
    with at_terminal(home, "games", "show", "--watch", "oust", "17") as (process, seen):
        read_until(seen, "rrognlie")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 0


@pytest.mark.parametrize("words", [("sweep",), ("outbox", "flush")])
def test_ctrl_c_ends_a_command_with_a_line(words: tuple[str, ...], tmp_path: Path) -> None:
    """It is pressed while the relay takes long over a letter."""
    with listening_sink(handler=SinkThatWaits()) as (sink, relay):
        home = home_of(tmp_path, ALICE, mails=[(ALICE, "help")])
        home.configuration.write_text(f'address = "{ADDRESS}"\nrelay = "smtp://{relay}"\n')
        home.close()
        with at_terminal(home, *words) as (process, seen):
            assert sink.hanging.wait(PATIENCE)
            process.send_signal(signal.SIGINT)
            assert read_until(seen, None).split() == ["Aborted!"]
            assert process.wait(timeout=PATIENCE) == 130

"""Boards that came from something which leads to one board, such as an open challenge."""

from pathlib import Path

import pytest

from pbm_oust.board.game import Game
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.accounts import next_seek_number
from pbm_oust.store.boards import challenge_remark
from pbm_oust.store.home import Home
from pbm_oust.store.index import Source
from pbm_oust.store.open_boards import next_number, start_new_board, started_from
from tests.store.kept import new_game

OUST = KINDS["oust"]
SEEK = Source("seek", 5)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.prepare()
    return made


def start(home: Home, source: Source) -> Game:
    game = new_game(next_number(home, OUST))
    key = f"{game.header.board:016d}"
    start_new_board(home, game, challenge_remark(key), source)
    return game


def test_where_a_board_came_from_is_known_again_when_the_database_is_lost(home: Home) -> None:
    game = start(home, SEEK)
    home.database.close()
    for path in home.path.glob("pbm_oust.db*"):
        path.unlink()
    other = Home(home.path)
    other.prepare()
    assert started_from(other, OUST, SEEK) == game
    assert other.ask(next_seek_number, "oust") == 6
    assert other.ask(next_seek_number, "churn") == 1


def test_only_a_line_right_below_the_message_key_says_where_a_board_came_from(home: Home) -> None:
    game, key = new_game(1), "f" * 16
    remarks = challenge_remark(key) + b"# by hand\n" + SEEK.remark
    start_new_board(home, game, remarks)
    assert started_from(home, OUST, SEEK) is None

"""Boards as the players receive them in plain text, compared character by character."""

from pathlib import Path

import pytest
from hypothesis import given
from msgspec.structs import replace

from pbm_oust.board import Game, Record
from pbm_oust.board.record import Placement, Records
from pbm_oust.render.text import board_text, players_text, star_points
from pbm_oust.rules import Grid, Side, parse_grid
from pbm_oust.rules.grid import square
from pbm_oust.rules.oust import Oust
from tests.support import tables
from tests.support.boards import O, X, board, names, placed
from tests.support.games import STARTED, new_game, play, standing_at
from tests.support.recorded import figures
from tests.support.strategies import Play, plays, relaxed

tabled = tables.tabled(__file__)
DRAWN = tables.blocks(Path(__file__).with_name("drawn.txt"))


def figure_7() -> Game:
    """Return the game of figure 7, the latest record of which placed a stone on F6."""
    position = board(figures()[7]["board"], to_move=O)
    latest = Record(1, X, (Placement("F6"),), STARTED, "0" * 16)
    return replace(standing_at(new_game(), position), records=Records([latest]))


def test_figure_7_is_drawn_with_its_heading() -> None:
    game = figure_7()
    drawn = board_text(game.position, game.latest_stones())
    assert f"{players_text(game)}\n\n{drawn}" == DRAWN["figure 7"]


def test_the_owners_stand_beside_their_sides_after_a_swap() -> None:
    game = play(new_game(), "x G7", "o swap", "o C3")

    assert players_text(game) == "x: marksteere 1/1   o: rrognlie 1/1"


@pytest.mark.parametrize("name", [name for name in DRAWN if "hex" in name])
def test_a_hexagon_is_drawn_with_its_columns_leaning(name: str) -> None:
    grid, _, stones = name.partition("; ")
    assert board_text(placed(Oust(parse_grid(grid)), stones)) == DRAWN[name]


def test_the_stones_of_the_latest_record_are_capitals() -> None:
    game = play(new_game("square 3x3"), "x A1", "o C1", "x B3", "o A3", "x B1 C2")

    assert "\n" + board_text(game.position, game.latest_stones()) == (
        """
  A B C
3 o x . 3
2 . . X 2
1 x X . 1
  A B C"""
    )


def test_a_board_without_latest_stones_has_no_capitals_but_its_letters() -> None:
    rows = board_text(figure_7().position).splitlines()[1:-1]

    assert not any(mark in row for row in rows for mark in "XO")


@tabled("grid", "points")
def test_star_points_are_marked_on_larger_square_boards(grid: str, points: str) -> None:
    assert names(parse_grid(grid), star_points(parse_grid(grid))) == points


def test_a_stone_hides_its_star_point() -> None:
    empty = board_text(Oust(square(9)))

    assert empty.count(",") == 9
    assert board_text(placed(Oust(square(9)), "E5")).count(",") == 8


@tabled("grid", grid=parse_grid)
def test_the_widest_boards_stay_under_76_columns(grid: Grid) -> None:
    lines = board_text(Oust(grid)).splitlines()

    assert max(len(line) for line in lines) < 76
    assert len(lines) == len(grid.rows) + (2 if "square" in str(grid) else 1)


@relaxed
@given(plays)
def test_every_stone_and_every_free_cell_is_drawn_once(play: Play) -> None:
    *_, position = play.positions()
    cells = [
        mark
        for line in board_text(position).splitlines()
        for mark in line
        if mark in {".", ",", *(side.value for side in Side)}
    ]

    assert len(cells) == play.grid.cells.bit_count()
    assert [cells.count(side.value) for side in Side] == [
        position.stones(side).bit_count() for side in Side
    ]


@relaxed
@given(plays)
def test_no_line_of_a_board_ends_in_a_space(play: Play) -> None:
    *_, position = play.positions()

    assert all(line == line.rstrip() for line in board_text(position).split("\n"))

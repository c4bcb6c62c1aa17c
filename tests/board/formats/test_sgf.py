"""SGF as other programs see it: a library for Go reads it and plays it through."""

from importlib import import_module
from typing import Any

import pytest

from pbm_oust.board.formats.sgf import format_sgf
from pbm_oust.board.formats.sheet import Sheet
from pbm_oust.board.record import Ruling, Verb
from pbm_oust.rules.position import Side
from tests.support.games import EXAMPLE, new_game, play
from tests.support.happenings import GRIDS, anything_goes, taken_back, written

sgfmill, boards = (import_module(f"sgfmill.{name}") for name in ("sgf", "boards"))


def shown_by_sgfmill(text: str) -> list[set[tuple[str, str]]]:
    """Return the stones that a library for Go sees at each record that the nodes say."""
    game = sgfmill.Sgf_game.from_bytes(text.encode())
    board = boards.Board(game.get_size())
    seen: list[set[tuple[str, str]]] = []
    for node in game.get_main_sequence()[1:]:
        if node.has_property("PBMRECORD"):
            seen.append(set())
        for colour, points in zip(("b", "w", None), node.get_setup_stones(), strict=True):
            for row, column in points:  # as they are: setting stones takes none off
                board.board[row][column] = colour
        colour, move = node.get_move()
        if move:
            board.play(*move, colour)
        seen[-1] = {(colour, name(at)) for colour, at in board.list_occupied_points()}
    return seen


def name(at: tuple[int, int]) -> str:
    return f"{'ABCDEFGHJKLMNOPQRSTUVWXYZ'[at[1]]}{at[0] + 1}"


@pytest.mark.parametrize(("kind", "grid"), [each for each in GRIDS if each[1] != "square 7x3"])
@pytest.mark.parametrize("seed", range(8))
def test_a_library_for_go_sees_the_stones_that_are_on_the_board(
    kind: str, grid: str, seed: int
) -> None:
    game = anything_goes(kind, grid, seed)
    on = game.header.grid
    assert shown_by_sgfmill(format_sgf(Sheet(game))) == [
        {
            (colour, cell)
            for side, colour in ((Side.X, "b"), (Side.O, "w"))
            for cell in on.names(game.after(number).position.stones(side))
        }
        for number in range(1, len(game.records) + 1)
    ]


def root_of(text: str) -> Any:
    return sgfmill.Sgf_game.from_bytes(text.encode()).get_root()


def test_sgf_says_in_the_words_of_the_standard_who_played_when_and_who_won() -> None:
    root = root_of(written("sgf", EXAMPLE))
    said = {name: root.get(name) for name in ("FF", "CA", "AP", "SZ", "GN", "RU")}
    assert said.pop("AP")[0] == "pbm_oust"
    assert said == {"FF": 4, "CA": "UTF-8", "SZ": 13, "GN": "oust 17", "RU": "Oust"}
    assert (root.get("PB"), root.get("PW"), root.get("RE")) == ("marksteere", "rrognlie", "B+R")
    assert root.get("DT") == "2026-11-20,2026-11-21,2026-11-22"
    assert not root.has_property("GM")
    assert ";B[gh]C[takes 1]" in written("sgf", EXAMPLE)
    assert ";C[o swap]" in written("sgf", EXAMPLE)


@pytest.mark.parametrize(
    ("ruling", "result"),
    [
        (Ruling(Verb.FORFEIT, Side.X), "W+T"),
        (Ruling(Verb.AWARD, Side.X), "B+"),
        (Ruling(Verb.AWARD), "0"),
        (Ruling(Verb.VOID), "Void"),
    ],
)
def test_sgf_says_how_the_operator_ended_a_game(ruling: Ruling, result: str) -> None:
    game = play(new_game("hex 3"), "x A1", "o C4")
    over = game.rule(ruling, game.header.started, "0" * 16)
    assert root_of(format_sgf(Sheet(over))).get("RE") == result
    assert not root_of(format_sgf(Sheet(game))).has_property("RE")


def test_a_grid_that_is_no_square_has_two_lengths_in_sgf() -> None:
    assert "SZ[7:3]" in format_sgf(Sheet(new_game("square 7x3")))


def test_the_view_of_a_hexagonal_board_is_its_cells() -> None:
    root = root_of(format_sgf(Sheet(new_game("hex 2"))))
    assert {name(at) for at in root.get("VW")} == {"A1", "B1", "A2", "B2", "C2", "B3", "C3"}


def test_variations_that_somebody_added_are_left_aside() -> None:
    text = written("sgf", EXAMPLE)
    varied = text.replace("\n;W[jd]", "\n(;W[jd]").replace("\n)\n", "\n)(;W[aa]C[or \\](\\]]))\n")
    assert varied.count("(") > text.count("(") + 1
    assert taken_back(varied) == EXAMPLE


def test_what_a_program_wrote_into_comments_and_between_nodes_does_no_harm() -> None:
    text = written("sgf", EXAMPLE).replace("C[takes 1]", "C[takes 1\n\\] ;B[aa\\]]\r\n\tN[here]")
    assert taken_back(text) == EXAMPLE

"""A game as its moves alone: what is left of it where there is no room for more."""

import re

from pbm_oust.board.formats.sgf import format_bare_sgf, format_sgf
from pbm_oust.board.formats.sheet import Sheet, format_game, format_moves
from pbm_oust.board.header import Terms
from pbm_oust.board.history import read_history
from pbm_oust.board.record import Place
from tests.support.games import EXAMPLE, new_game

GAME = read_history(EXAMPLE.encode()).game


def test_a_line_has_what_was_done_on_a_day() -> None:
    assert format_game(GAME) == (
        "Kind: oust\n"
        "Board: 17\n"
        "Grid: square 13x13\n"
        "X: rrognlie\n"
        "O: marksteere\n"
        "Options: swap rated nagtime=7 forfeittime=21\n"
        "Started: 2026-11-20T15:36:00Z\n"
        "\n"
        "   1 2026-11-20 x G7\n"
        "   2 2026-11-21 o swap o G5 x D4 o K10\n"
        "   6 2026-11-22 x G6*1 C10 o resign\n"
        "= x resign\n"
    )


def test_a_long_day_goes_on_in_the_next_line() -> None:
    game = new_game("square 9x9", Terms(swap=False))
    for nth in range(20):
        cell = "ABCDEFGHJ"[nth % 9] + "159"[nth // 9]
        game = game.act(game.to_move, Place((cell,)), game.latest, f"{nth:016x}")
    first, *later = format_moves(game).split("\n")
    assert later
    assert max(map(len, (first, *later))) <= 75
    assert first.startswith("   1 2026-11-20 x A1 o B1 ")
    assert all(re.match(r" {16}[xo] [A-J]\d", line) for line in later)


def test_a_game_without_a_result_has_no_line_for_it() -> None:
    assert format_moves(GAME.after(2)).endswith("\n   2 2026-11-21 o swap")


def test_bare_sgf_is_sgf_without_properties_of_ours_and_without_the_days_between() -> None:
    whole, bare = format_sgf(Sheet(GAME)), format_bare_sgf(GAME)
    without = re.sub(r"PBM[A-Z]+(\[(\\.|[^\]\\])*\])+", "", whole)
    assert bare == without.replace("2026-11-20,2026-11-21,2026-11-22", "2026-11-20,2026-11-22")
    assert "PBM" not in bare

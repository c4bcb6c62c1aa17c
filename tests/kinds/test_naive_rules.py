"""The engine agrees with the naive rules of a kind, which are in `tests/support/naive_NAME.py`."""

from itertools import takewhile

from pbm_oust.experiments.counting import count_sequences
from pbm_oust.rules.position import Kind, taken
from tests.support.boards import naive_start
from tests.support.kinds import games_of, grids_of, short_games
from tests.support.naive import Naive, names_of, point_of

FEW = 1_500
"""The most sequences of placements that are counted the naive way."""

SMALL = 12
"""The most cells of a grid on which whole games are played the naive way."""


def test_both_count_the_same_sequences_of_placements(kind: Kind) -> None:
    for grid in grids_of(kind)[:6]:
        start, naive = kind.start(grid), naive_start(kind.name, str(grid))
        counts = (count_sequences(start, depth) for depth in range(1, 6))
        counted = list(takewhile(lambda count: count <= FEW, counts))
        assert counted
        assert [naive.count_sequences(nth) for nth, _ in enumerate(counted, 1)] == counted


def test_both_play_the_same_games(kind: Kind) -> None:
    small = [game for game in games_of(kind) if game.grid.cells.bit_count() <= SMALL]
    for game in (*small, *short_games(kind).values()):
        naive: Naive = naive_start(kind.name, str(game.grid))
        for before, cell, after in game.steps:
            assert naive.to_move == before.to_move.value
            assert names_of(naive.placements()) == game.grid.names(before.placements())
            if cell:
                point = point_of(game.grid.format_cell(cell))
                gone = game.grid.names(taken(before, after))
                assert names_of(naive.taken_at(point)) == gone
                naive = naive.place(point)
            else:
                naive = naive.pass_turn()
        winner = game.result.winner
        assert naive.ended == (winner.value if winner else "draw")

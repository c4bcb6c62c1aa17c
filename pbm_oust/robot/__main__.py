"""`python -m pbm_oust.robot KIND GRID CELLS`: the turn of a house player after placements.

For example, `python -m pbm_oust.robot oust "square 7x7" D4` prints `C3`. A search keeps all threads
of its process waiting, so pages ask another process.
"""

import os
import sys
import time
from datetime import UTC, datetime
from random import Random

from pbm_oust.board import Game, Header, Place
from pbm_oust.board.header import Terms
from pbm_oust.board.line import line_of
from pbm_oust.robot.greedy import simple_turn
from pbm_oust.robot.player import decide
from pbm_oust.rules import KINDS, parse_grid

NICENESS = 10
"""How far it steps back behind those who take mail."""


def answer(game: Game, seconds: float, rng: Random) -> tuple[str, ...]:
    """Return the cells of the turn of the side to move, which never gives a game up."""
    wish = decide(game, seconds, rng, time.perf_counter).wish
    if isinstance(wish, Place):
        return wish.cells
    cells = simple_turn(game.header.kind, game.position, 1, rng, lambda: True)
    return tuple(map(game.header.grid.format_cell, cells))


def main(kind: str, grid: str, cells: str, seconds: str) -> None:
    """Write a turn to standard output, its cells with commas between them."""
    os.nice(NICENESS)
    sides, terms = ("x", "o"), Terms(swap=False)
    header = Header(KINDS[kind], 1, parse_grid(grid), *sides, terms, datetime.now(UTC))
    line = line_of(Game.start(header), filter(None, cells.split(",")))
    rng = Random(f"{grid} {cells}")  # a game # noqa: S311 # nosec B311
    sys.stdout.write(",".join(answer(line.games[-1], float(seconds), rng)))


if __name__ == "__main__":
    main(*sys.argv[1:])

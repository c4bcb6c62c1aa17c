"""The rules of each game, drawn: a board for each rule, and for each case that they leave open.

They stand in a file for each game, each below its sentence. Rows of a board are drawn as in
`tests/support/boards.py`. Before the first one may stand `on hex 3` and `o to move`; each further
one is what has come of it. A line of cells names where stones are placed one after the other, and
`pass` passes. What else a line says is so of the board above it:

    refused: B2 TakesNothing 2          the fault of a placement, with its fields
    allowed: A1 A3, capturing: none     the placements of the side to move
    takes: D3 E5                        what the latest placement took
    x to move, goes on, x capture       and the like
"""

import re
from dataclasses import astuple, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from pbm_oust.rules import KINDS, Position, Shape, Side, parse_grid
from pbm_oust.rules.grid import square
from pbm_oust.rules.position import taken
from tests.support import tables
from tests.support.boards import capturing, drawn, names, placed, placements, refusal, rows, stones

CASES = [
    (kind, name, text)
    for kind in KINDS
    for name, text in tables.blocks(Path(__file__).with_name(f"{kind}.txt")).items()
]


def started(kind: str, shown: str, grid: str, to_move: Side) -> Position:
    """Return the position of a drawing; where no grid is named, on a square one of its size."""
    rules, lines = KINDS[kind], rows(shown).split("/")
    is_square = Shape.SQUARE in rules.defaults
    usual = square(len(lines[0]), len(lines)) if is_square else rules.default_grid
    on = parse_grid(grid) if grid else usual
    empty: Any = rules.start(on)
    x, o = stones(shown, on)
    position: Position = replace(empty, x=x, o=o, to_move=to_move)
    return position


def is_drawing(line: str) -> bool:
    return set(line) <= set("xo.? ")


def said(before: Position, position: Position) -> set[str]:
    """Return all that is so of a board, after what was done on the one before."""
    result, grid = position.result, position.grid
    winner = result and result.winner
    return {
        f"{position.to_move.value} to move",
        f"{'in the middle' if position.is_mid_turn else 'at the start'} of a turn",
        f"{winner.value if winner else 'draw'} {result.how.value}" if result else "goes on",
        f"allowed: {placements(position) or 'none'}",
        f"capturing: {capturing(position) or 'none'}",
        f"takes: {names(grid, taken(before, position)) or 'nothing'}",
        *(f"tally of {side.value}: {'/'.join(map(str, position.tally(side)))}" for side in Side),
    }


@pytest.mark.parametrize(("kind", "name", "text"), CASES)
def test_a_board_goes_by_the_rules(kind: str, name: str, text: str) -> None:
    position: Position | None = None
    grid, to_move = "", Side.X
    lines = [line for line in text.split("\n") if line and line[0] != "#"]
    for drawing, group in groupby(lines, is_drawing):
        if drawing:
            shown = "\n".join(group)
            if position is None:
                before = position = started(kind, shown, grid, to_move)
            assert drawn(position) == rows(shown), name
            continue
        for line in group:
            if position is None:
                grid = line.removeprefix("on ") if line.startswith("on ") else grid
                to_move = Side(line[0]) if line.endswith(" to move") else to_move
            elif re.fullmatch(r"([A-Z]\d+ ?)+", line):
                before, position = position, placed(position, line)
            elif line == "pass":
                before, position = position, position.pass_turn()
            elif line.startswith("refused: "):
                _, cell, fault = line.split(" ", 2)
                found = refusal(position, cell)
                assert " ".join(map(str, (type(found).__name__, *astuple(found)))) == fault
            else:
                assert line in said(before, position), said(before, position)

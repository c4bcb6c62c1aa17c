"""A game as its moves and the days on which they were made, to be read and not read back. Pure.

    Kind: oust
    Board: 17
    ...

       1 2026-11-20 x G7
       2 2026-11-21 o swap o F6 x G6*1 D5
    = x resign

A line has the number of its first record, a day, and what each record of that day did.
"""

from itertools import groupby

from pbm_oust.board.formats.sheet import Sheet
from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_action, format_time


def format_moves(game: Game) -> str:
    """Return a game as lines of moves."""
    sheet = Sheet(game)
    lines = [f"{key}: {value}" for key, value in sheet.header] + [""]
    for day, records in groupby(game.records, lambda record: format_time(record.at)[:10]):
        first, *later = records
        done = " ".join(f"{each.by} {format_action(each.action)}" for each in (first, *later))
        lines.append(f"{first.number:>4} {day} {done}")
    lines += [f"= {sheet.result}"] if sheet.result else []
    return "".join(f"{line}\n" for line in lines)

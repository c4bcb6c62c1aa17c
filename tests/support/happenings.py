"""Games in which everything happened, and their histories, with remarks and in other formats."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

from pbm_oust.board import Deed, Game, Place, Ruling, Verb
from pbm_oust.board.formats import format_structured, parse_any
from pbm_oust.board.header import Terms
from pbm_oust.board.sgf import format_sgf
from pbm_oust.board.sheet import BadGame, Sheet, read_sheet
from pbm_oust.refusal import Refusal
from pbm_oust.rules import Side
from tests.support.games import new_game

FORMATS: dict[str, Callable[[Sheet], str]] = {
    "sgf": format_sgf,
    "json": format_structured,
}
OF_OUST = ("square 5x5", "square 2x2", "square 7x3", "square 25x25", "hex 3", "hex 1,4")
GRIDS = [*(("oust", grid) for grid in OF_OUST), ("churn", "hex 3"), ("churn", "hex 3,4")]


def written(form: str, history: bytes | str) -> str:
    """Return a history in another format."""
    return FORMATS[form](read_sheet(history.encode() if isinstance(history, str) else history))


def taken_back(text: str) -> str:
    """Return the history in a text of any format."""
    return parse_any(text).check().history


def refused(text: str) -> BadGame:
    with pytest.raises(BadGame) as error:
        parse_any(text).check()
    return error.value


def anything_goes(kind: str, grid: str, seed: int) -> Game:
    """Return a game in which everything happened that chance and the rules allowed."""
    chance = Random(seed)
    game = new_game(grid, Terms(swap=chance.random() < 0.8), kind=kind)
    rulings: list[Ruling] = [
        Ruling(Verb.REMIND, Side.X),
        Ruling(Verb.ADOPT, Side.O, "deadbeefdeadbeef"),
        Ruling(Verb.EXTEND, chance.choice(list(Side)), days=14),
        Ruling(Verb.UNDO, back_to=chance.randrange(20)),
    ]
    ends = [Ruling(Verb.VOID), Ruling(Verb.AWARD), Ruling(Verb.FORFEIT, Side.X)]
    leaves = [Deed.RESIGN, Deed.DECLINE]
    deeds = [deed for deed in Deed if deed not in (Deed.RESIGN, Deed.DECLINE)]
    for nth in range(chance.randrange(60)):
        at, key = game.header.started + timedelta(hours=nth), f"{nth:016x}"
        side = chance.choice(list(Side))
        try:
            match chance.choice(["place"] * 12 + ["deed"] * 6 + ["rule", "end"]):
                case "place":
                    game = game.act(game.to_move, Place(turn(game, chance)), at, key)
                case "deed":
                    game = game.act(side, chance.choice(deeds), at, key)
                case "rule":
                    game = game.rule(chance.choice(rulings), at, key)
                case _ if nth > 20:
                    if chance.random() < 0.5:
                        game = game.rule(chance.choice(ends), at, key)
                    else:
                        game = game.act(side, chance.choice(leaves), at, key)
        except (Refusal, ValueError):
            continue
    return game


def turn(game: Game, chance: Random) -> tuple[str, ...]:
    """Return the names of cells for a turn, or a part of one, most of it captures."""
    position, cells = game.position, list[str]()
    while not cells or (position.is_mid_turn and not position.result and chance.random() < 0.8):
        some = position.capturing() if chance.random() < 0.7 else 0
        cell = chance.choice(list(position.grid.each(some or position.placements())) or [0])
        if not cell:
            break
        position = position.place(cell)
        cells.append(position.grid.format_cell(cell))
    return tuple(cells)


def with_remarks(history: bytes, chance: Random) -> str:
    """Return a history with remarks of all kinds between its lines."""
    lines = history.decode().splitlines(keepends=True)
    odd = ["#", "# ", "#  two  spaces ", "#no space", "# ]\\;[ 100%", "# \N{SNOWMAN} > >", "#\t."]
    long = "# " + "https://example.org/" + "x" * 200
    for remark in chance.sample([*odd, long, "# back\\slash\\ at the end\\"], 4):
        lines.insert(chance.randrange(len(lines) + 1), remark + "\n")
    return "".join(lines)

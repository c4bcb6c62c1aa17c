"""The examples of the rules: short games that show one thing each. Pure.

docs/rules.md has the same ones.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from pbm_oust.board.game import Game, redo
from pbm_oust.board.header import Header, Terms
from pbm_oust.board.notation import parse_action
from pbm_oust.board.record import Record
from pbm_oust.letters.translator import to_translate
from pbm_oust.rules.grid import parse_grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Side

_AT = datetime(2026, 11, 20, tzinfo=UTC)
"""When everything in an example happens."""


@dataclass(frozen=True, slots=True)
class Example:
    """A game that shows a rule."""

    name: str
    """What addresses call it."""
    kind: str
    grid: str
    turns: tuple[str, ...]
    """Each with the side and its action, as histories have them."""
    title: str
    told: str
    """What there is to see at the end."""


EXAMPLES = (
    Example(
        "no-placement-left",
        "oust",
        "square 4x2",
        ("x A1", "o B1", "x B2", "o D1", "x A2*1 D2", "o C1*1"),
        to_translate("A capture can leave no placement"),
        to_translate(
            "o captured D2 with C1 and has no placement left, so the turn is over. On B1 or C2 its"
            " group of three would touch x's group of three, and on D2 it would touch no enemy."
        ),
    ),
    Example(
        "full-board",
        "oust",
        "square 2x2",
        ("x A1", "o B1", "x B2", "o A2"),
        to_translate("A board can be full"),
        to_translate("The turn is over and neither side has a placement, so the game is a draw."),
    ),
    Example(
        "blocked-board",
        "oust",
        "square 4x4",
        (
            *("x A2", "o A3", "x C1", "o B4", "x D2", "o A4*1 B1"),
            *("x D1*1 A2", "o B1", "x B3", "o C2", "x C4", "o D3"),
        ),
        to_translate("A board can be blocked"),
        to_translate("There are free cells that nobody can use. This is a draw, too."),
    ),
    Example(
        "no-stones",
        "oust",
        "square 2x2",
        ("x A1",),
        to_translate("A side without stones has not lost"),
        to_translate(
            "Only a capture loses the game. Before its first stone a side has none on the board,"
            " and the game goes on."
        ),
    ),
    Example(
        "forced-pass",
        "oust",
        "square 4x2",
        ("x A1", "o D1", "x C1", "o D2*1 B1", "x C2", "o A2", "x pass"),
        to_translate("A forced pass"),
        to_translate(
            "x had no placement. On B2 or C1 it would have made a group of two, which is not larger"
            " than o's pair on D1 and D2, which it would have touched."
        ),
    ),
    Example(
        "first-pair",
        "churn",
        "hex 3",
        (
            *("x A1", "o E5", "x C2", "o B4", "x C5", "o D2", "x D4"),
            *("o C3", "x A3", "o B1", "x E3", "o A2", "x B3*5"),
        ),
        to_translate("The first pair takes all other stones of its side"),
        to_translate(
            "Every free cell touched a stone of x, so x had to make the smallest group possible."
            " That is the pair on A3 and B3. All other single stones of x came off the board."
        ),
    ),
)


def examples_of(kind: str) -> tuple[Example, ...]:
    """Return the examples of the rules of a game."""
    return tuple(each for each in EXAMPLES if each.kind == kind)


@cache
def game_of(example: Example) -> Game:
    """Return an example as a game."""
    header = Header(KINDS[example.kind], 1, parse_grid(example.grid), "x", "o", Terms(), _AT)
    game = Game.start(header)
    for number, turn in enumerate(example.turns, 1):
        side, _, words = turn.partition(" ")
        game = redo(game, Record(number, Side(side), parse_action(words), _AT, f"{number:016x}"))
    return game

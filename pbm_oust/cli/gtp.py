"""`pbm-oust gtp`: a house player as an engine that speaks the Go Text Protocol, version 2.

The protocol is that of Gunnar Farnebäck's "GTP - Go Text Protocol, version 2, draft 2". It knows
neither turns of several placements nor other games than Go, so black is x, and a side that is asked
while the other has to place again passes: a pass that the rules do not see.
"""

import inspect
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

import click
from msgspec import Struct

from pbm_oust import __version__
from pbm_oust.board import Deed, Game, Header, Place, Terms
from pbm_oust.cli.common import grid_named
from pbm_oust.cli.terminal import say_text
from pbm_oust.refusal import Refusal
from pbm_oust.render.text import board_text
from pbm_oust.robot.levels import LEVELS, Level, level_of
from pbm_oust.robot.player import decide
from pbm_oust.rules import KINDS, Grid, Kind, Shape, Side, parse_grid
from pbm_oust.rules.grid import BadGrid, hexagon, square

_SIDES = {"b": Side.X, "black": Side.X, "w": Side.O, "white": Side.O}
_PASS, _RESIGN = "pass", "resign"
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_ID = re.compile("[0-9]+")
_TURNS_LEFT = 20
"""The number of placements for which the time has to last, unless the controller says it."""
_SPENT = 0.8
"""The share of the time for a turn in which it is searched; the rest is for all else."""
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


class GtpError(Exception):
    """A command that cannot be carried out; the message is its answer."""


class _Allowance(Struct, frozen=True):
    """The time that a side has: `seconds` for so many `stones`; 0 if these are all of the game."""

    seconds: float
    stones: int

    @property
    def for_turn(self) -> float:
        """The seconds for which a turn may be searched."""
        return _SPENT * self.seconds / (self.stones or _TURNS_LEFT)


class Engine:
    """A house player that carries out commands of GTP, one game after the other."""

    def __init__(self, kind: Kind, grid: Grid, level: Level, rng: random.Random) -> None:
        self._level = level
        self._rng = rng
        self._allowed = dict[Side, _Allowance]()
        self._planned: tuple[Game | None, Sequence[str]] = None, ()
        """The placements that are left of a turn we chose, and the game that they belong to."""
        self.is_over = False
        """Whether the controller has sent us away."""
        self._begin(kind, grid)

    def answers(self, lines: Iterator[str]) -> Iterator[str]:
        """Yield the answer to each line that holds a command, until one is `quit`."""
        for line in lines:
            words = _CONTROLS.sub("", line.replace("\t", " ")).partition("#")[0].split()
            if not words:
                continue
            number = words.pop(0) if _ID.fullmatch(words[0]) else ""
            try:
                said, sign = self._carry_out(words), "="
            except GtpError as error:
                said, sign = str(error), "?"
            yield f"{sign}{number} {said}\n\n"
            if self.is_over:
                return

    def _carry_out(self, words: Sequence[str]) -> str:
        name, *values = words or [""]
        command = _COMMANDS.get(name)
        if command is None:
            raise GtpError("unknown command")
        try:
            given = inspect.signature(command).bind(self, *values)
        except TypeError:
            raise GtpError("syntax error") from None
        return command(*given.args)

    # The game

    def _begin(self, kind: Kind, grid: Grid) -> None:
        """Begin a game without the pie rule, which the protocol does not know."""
        header = Header(kind, 1, grid, "black", "white", Terms(swap=False), _BEGAN)
        self._games = [Game.start(header)]
        """The game after each command that has changed it."""

    @property
    def _game(self) -> Game:
        return self._games[-1]

    def _add(self, side: Side, vertex: str) -> None:
        """Let a side place or pass. Raises GtpError."""
        game, is_pass = self._game, vertex.lower() == _PASS
        if is_pass and self._passes_over(side):
            self._games.append(game)
            return
        wish = Deed.PASS if is_pass else Place((vertex.upper(),))
        try:
            self._games.append(game.act(side, wish, _BEGAN, ""))
        except Refusal:
            raise GtpError("illegal move") from None

    def _passes_over(self, side: Side) -> bool:
        """Return whether a pass of a side is none: the game is over, or the other has its turn."""
        return self._game.result is not None or side is not self._game.to_move

    def _chosen(self, side: Side) -> Sequence[str]:
        """Return the placements of the house player for a side, or one pass or resignation."""
        game = self._game
        if self._passes_over(side):
            return [_PASS]
        if self._planned[0] is game:
            return self._planned[1]
        allowed = self._allowed.get(side)
        seconds = allowed.for_turn if allowed else self._level.seconds
        found = decide(game, seconds, self._rng, time.monotonic, level=self._level)
        if isinstance(found.wish, Place):
            return found.wish.cells
        return [_RESIGN if found.wish is Deed.RESIGN else _PASS]

    # Commands

    def protocol_version(self) -> str:
        """Answer with the version of the protocol."""
        return "2"

    def name(self) -> str:
        """Answer with the name of the engine."""
        return f"pbm_oust {self._level.userid}"

    def version(self) -> str:
        """Answer with the version of the program."""
        return __version__

    def known_command(self, name: str) -> str:
        """Answer whether there is a command."""
        return "true" if name in _COMMANDS else "false"

    def list_commands(self) -> str:
        """Answer with all commands, one on a line."""
        return "\n".join(_COMMANDS)

    def quit(self) -> str:
        """End."""
        self.is_over = True
        return ""

    def boardsize(self, size: str) -> str:
        """Begin on a square grid with so many columns and rows, or on a hexagonal one of sides."""
        kind, shape = self._game.header.kind, self._game.header.grid.shape
        try:
            grid = (square if shape is Shape.SQUARE else hexagon)(int(size))
        except ValueError:  # a BadGrid is one
            raise GtpError("unacceptable size") from None
        return self._begin_on(kind, grid)

    def board(self, kind: str, *grid: str) -> str:
        """Begin a game on a grid with the name that it has in histories: churn hex 5."""
        found = KINDS.get(kind)
        if found is None:
            raise GtpError(f"unknown game; there are: {' '.join(KINDS)}")
        try:
            return self._begin_on(found, parse_grid(" ".join(grid)) if grid else found.default_grid)
        except BadGrid as error:
            raise GtpError(str(error)) from None

    def _begin_on(self, kind: Kind, grid: Grid) -> str:
        if not kind.plays_on(grid):
            raise GtpError("unacceptable size")
        self._begin(kind, grid)
        return ""

    def clear_board(self) -> str:
        """Begin a new game on the same grid."""
        self._begin(self._game.header.kind, self._game.header.grid)
        return ""

    def komi(self, number: str) -> str:
        """Take the points for white, which mean nothing here."""
        _number(number)
        return ""

    def play(self, color: str, vertex: str) -> str:
        """Let a side place a stone, or pass."""
        self._add(_side(color), vertex)
        return ""

    def genmove(self, color: str) -> str:
        """Choose for a side, and do that."""
        side = _side(color)
        vertex, *following = self._chosen(side)
        if vertex != _RESIGN:
            self._add(side, vertex)
        if following:
            self._planned = self._game, following
        return vertex

    def reg_genmove(self, color: str) -> str:
        """Choose for a side, and leave the game as it is."""
        return self._chosen(_side(color))[0]

    def undo(self) -> str:
        """Take the latest placement or pass back."""
        if len(self._games) == 1:
            raise GtpError("cannot undo")
        self._games.pop()
        return ""

    def time_settings(self, main: str, overtime: str, stones: str) -> str:
        """Take the time for a game, and that for so many stones when it is over."""
        whole, later, count = map(_number, (main, overtime, stones))
        has_end = not later or count > 0
        allowed = _Allowance(whole, 0) if whole else _Allowance(later, int(count))
        self._allowed = dict.fromkeys(Side, allowed) if has_end and whole + later else {}
        return ""

    def time_left(self, color: str, seconds: str, stones: str) -> str:
        """Take the time that a side has left."""
        self._allowed[_side(color)] = _Allowance(_number(seconds), int(_number(stones)))
        return ""

    def final_score(self) -> str:
        """Answer who has won, by one point: there are no others."""
        if self._game.result is None:
            raise GtpError("cannot score")
        winner = self._game.result.winner
        return {None: "0", Side.X: "B+1", Side.O: "W+1"}[winner]

    def showboard(self) -> str:
        """Answer with the board and whose turn it is."""
        game = self._game
        drawn = board_text(game.position, game.latest_stones()).splitlines()
        turn = "The game is over." if game.result else f"{_COLOURS[game.to_move]} to place."
        return "\n" + "\n".join([*filter(str.strip, drawn), turn])


_COLOURS = {Side.X: "Black (x)", Side.O: "White (o)"}
_COMMANDS: dict[str, Callable[..., str]] = {
    **{
        command.__name__: command
        for command in (
            *(Engine.protocol_version, Engine.name, Engine.version, Engine.known_command),
            *(Engine.list_commands, Engine.quit, Engine.boardsize, Engine.clear_board),
            *(Engine.komi, Engine.play, Engine.genmove, Engine.reg_genmove, Engine.undo),
            *(Engine.time_settings, Engine.time_left, Engine.final_score, Engine.showboard),
        )
    },
    "pbm_oust-board": Engine.board,
}
"""The commands; ours alone begins with the name of the program, as the protocol wants."""


def _side(color: str) -> Side:
    """Return the side of a colour. Raises GtpError."""
    side = _SIDES.get(color.lower())
    if side is None:
        raise GtpError("syntax error")
    return side


def _number(text: str) -> float:
    """Return a number that is not negative. Raises GtpError."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e9:
        raise GtpError("syntax error")
    return number


@click.command()
@grid_named
@click.option(
    "--player",
    type=click.Choice([level.userid for level in LEVELS]),
    default=LEVELS[-1].userid,
    show_default=True,
    help="Who plays.",
)
@click.option("--seed", type=int, help="Same seed, same choices where looks are counted.")
def gtp(kind: Kind, grid: Grid, player: str, seed: int | None) -> None:
    """Play as an engine of the Go Text Protocol (GTP), version 2.

    Commands come on standard input. Black is x. A side that is asked for a move while the other one
    has to place again answers "pass". Without time_settings, a turn takes what it takes on boards.
    The command "pbm_oust-board churn hex 5" begins another game, on another grid.
    """
    engine = Engine(kind, grid, level_of(player), random.Random(seed))  # a game # noqa: S311 # nosec B311
    for said in engine.answers(iter(sys.stdin.readline, "")):
        say_text(said)

"""Positions with a task: the steps of the rules, and puzzles. `puzzles/KIND.toml` draws them. Pure.

Whoever solves one plays x and has a turn. A game without a file has none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from pkgutil import get_data
from typing import Any

import msgspec
from msgspec import Struct

from pbm_oust.board.game import NO_KEY, Game
from pbm_oust.board.header import NO_BOARD, Header, Terms
from pbm_oust.board.reasons import AfterTurn, AgainstRules, OffGrid
from pbm_oust.board.record import Place
from pbm_oust.refusal import Illegal
from pbm_oust.rules import KINDS, Grid, Kind, Position, Side, parse_grid

_AT = datetime(2026, 11, 20, tzinfo=UTC)
"""The time of every event in a puzzle."""


class Goal(Enum):
    """The aim of a turn in a puzzle."""

    TURN = "turn"
    """Any turn does."""
    WIN = "win"
    """The turn wins."""
    MOST = "most"
    """The turn takes as many stones as can be taken."""
    HOLD = "hold"
    """The other side cannot win in its next turn."""
    FORCE = "force"
    """The other side can no longer keep x from winning."""
    BLOCK = "block"
    """The other side has to pass."""
    DRAW = "draw"
    """The game is a draw."""


class Drawing(Struct, frozen=True, forbid_unknown_fields=True):
    """A position with a task, as `puzzles/KIND.toml` has it."""

    grid: str
    board: str
    """The rows of the board, the top row first. Spaces do not matter."""
    goal: Goal
    answer: str = ""
    """A turn that reaches the goal: `D4,E5`. A step of the rules without a task has none."""
    name: str = ""
    """The name of a step of the rules in templates."""
    replies: Mapping[str, str] = {}
    """Answers of the other side to turns that do not force a win."""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    steps: tuple[Drawing, ...] = ()
    puzzles: tuple[Drawing, ...] = ()


class Puzzle(Struct, frozen=True):
    """A position with x to move, and the goal of the turn."""

    number: int
    """The place among the puzzles, or the steps, of its game, from 1 on."""
    game: Game
    """It is on no board."""
    goal: Goal
    answer: tuple[str, ...]
    """The cells of a solving turn; none for a step of the rules without a task."""
    name: str
    """The name of a step of the rules in templates."""
    replies: Mapping[tuple[str, ...], tuple[str, ...]]
    """Answers of the other side to turns that do not force a win."""

    @property
    def kind(self) -> Kind:
        """The game of the puzzle."""
        return self.game.header.kind

    @property
    def solution(self) -> "Attempt":
        """The turn that reaches the goal."""
        return self.tried(self.answer)

    @property
    def candidates(self) -> Sequence[str]:
        """The first cell of the answer and two other placements, in order."""
        position, right = self.game.position, self.answer[0]
        others = [name for name in position.grid.names(position.placements()) if name != right]
        return sorted((right, *others[:1], *others[1:][-1:]))

    def tried(self, cells: Sequence[str]) -> "Attempt":
        """Return the attempt with these placements, perhaps not a whole turn. Raises Illegal."""
        game = self.game
        if cells:
            game = game.act(game.to_move, Place(tuple(cells)), game.latest, NO_KEY)
        return Attempt(self, tuple(cells), game)

    def tried_as_far(self, cells: Sequence[str]) -> tuple["Attempt", Illegal | None]:
        """Return the attempt up to the first illegal placement, and the error of that one."""
        try:
            return self.tried(cells), None
        except Illegal as refused:
            match refused.reason:
                case OffGrid(nth=nth) | AfterTurn(nth=nth) | AgainstRules(nth=nth):
                    return self.tried(cells[: nth - 1]), refused
            raise


class Attempt(Struct, frozen=True):
    """A puzzle after some placements."""

    puzzle: Puzzle
    cells: tuple[str, ...]
    game: Game

    @property
    def took(self) -> int:
        """The number of stones taken off the board: the enemy's in Oust, one's own in Churn."""
        placements = (each.action for each in self.game.records if isinstance(each.action, tuple))
        return sum(done.took for action in placements for done in action)

    @property
    def is_over(self) -> bool:
        """Whether the turn is over."""
        return bool(self.game.result) or self.game.to_move is not self.puzzle.game.to_move

    @property
    def is_reached(self) -> bool:
        """Whether the goal is reached."""
        result = self.game.result
        match self.puzzle.goal:
            case Goal.WIN:
                return result is not None and result.winner is self.puzzle.game.to_move
            case Goal.MOST:
                return bool(self.cells) and self.took == self.puzzle.solution.took
            case Goal.DRAW:
                return result is not None and result.winner is None
            case _ if not self.is_over:
                return False
            case Goal.HOLD:
                return not self.reply
            case Goal.FORCE:
                return self.is_after(self.puzzle.answer)
            case Goal.BLOCK:
                return self.game.must_pass
            case Goal.TURN:
                return True

    @property
    def reply(self) -> tuple[str, ...]:
        """The refuting turn of the other side; none if there is none."""
        if self.puzzle.goal is Goal.FORCE:
            return next((o for x, o in self.puzzle.replies.items() if self.is_after(x)), ())
        return () if self.game.result else winning_turn(self.game.position)

    def is_after(self, cells: Sequence[str]) -> bool:
        """Return whether other placements lead to the same position."""
        return self.game.position == self.puzzle.tried(cells).game.position


def turns(position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
    """Yield each position that a turn can reach, also halfway, with one way to it.

    Each comes once: it does not matter in which order stones are placed.
    """
    seen = {position}
    waiting: list[tuple[tuple[str, ...], Position]] = [((), position)]
    while waiting:
        cells, before = waiting.pop()
        for cell in position.grid.each(before.placements()):
            after = before.place(cell)
            if after not in seen:
                seen.add(after)
                found = (*cells, position.grid.format_cell(cell)), after
                yield found
                if after.is_mid_turn:
                    waiting.append(found)


def winning_turn(position: Position) -> tuple[str, ...]:
    """Return a turn that wins at once for the side to move; empty if there is none."""
    return next(
        (
            cells
            for cells, after in turns(position)
            if after.result and after.result.winner is position.to_move
        ),
        (),
    )


BELIEF = 10
"""The number of tries that weighs as much as the place of a puzzle in its file."""


class Difficulty(Enum):
    """The difficulty of a puzzle."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"

    @classmethod
    def of(cls, puzzle: Puzzle, tried: int, failed: int) -> "Difficulty":
        """Return the difficulty by how many have tried a puzzle, and failed at their first try.

        As long as these are few, its place counts, for the puzzles of a game go from easy to hard.
        """
        place = (puzzle.number - 0.5) / len(puzzles_of(puzzle.kind))
        share = (failed + BELIEF * place) / (tried + BELIEF)
        return tuple(cls)[min(int(len(cls) * share), len(cls) - 1)]


def puzzle_of_day(day: date) -> Puzzle | None:
    """Return the puzzle of a day: those of all games in turn, each once before one comes again."""
    known = [puzzle for kind in KINDS.values() for puzzle in puzzles_of(kind)]
    return known[day.toordinal() % len(known)] if known else None


def steps_of(kind: Kind) -> Sequence[Puzzle]:
    """Return the steps of the rules of a game, in their order."""
    return _in_file(kind)[0]


def puzzles_of(kind: Kind) -> Sequence[Puzzle]:
    """Return the puzzles of a game, from easy to hard; their numbers are their places."""
    return _in_file(kind)[1]


@cache
def _in_file(kind: Kind) -> tuple[Sequence[Puzzle], Sequence[Puzzle]]:
    try:
        data = get_data(__package__, f"puzzles/{kind.name}.toml")
    except FileNotFoundError:
        return (), ()
    found = msgspec.toml.decode(data or b"", type=_File)
    steps, puzzles = (
        tuple(_puzzle(kind, number, each) for number, each in enumerate(drawn, 1))
        for drawn in (found.steps, found.puzzles)
    )
    return steps, puzzles


def _puzzle(kind: Kind, number: int, drawn: Drawing) -> Puzzle:
    grid = parse_grid(drawn.grid)
    header = Header(kind, NO_BOARD, grid, "x", "o", Terms(swap=False), _AT)
    game = Game(header, drawn_position(kind, grid, drawn.board), header.x, header.o)
    replies = {_cells(turn): _cells(reply) for turn, reply in drawn.replies.items()}
    return Puzzle(number, game, drawn.goal, _cells(drawn.answer), drawn.name, replies)


def _cells(turn: str) -> tuple[str, ...]:
    return tuple(filter(None, turn.split(",")))


def drawn_position(kind: Kind, grid: Grid, drawing: str) -> Position:
    """Return the position in a drawing, the top row first, with x to move.

    Raises ValueError for another number of cells than the grid has.
    """
    empty: Any = kind.start(grid)
    lines = filter(None, ("".join(line.split()) for line in drawing.splitlines()))
    marked = [
        (mark, cell)
        for line, row in zip(lines, reversed(grid.rows), strict=True)
        for mark, cell in zip(line, row, strict=True)
    ]
    x, o = (sum(cell for mark, cell in marked if mark == side.value) for side in Side)
    position: Position = replace(empty, x=x, o=o)
    return position

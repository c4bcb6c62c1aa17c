"""What every game of the server has in common: sides, results, positions and refused placements."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import ClassVar, Protocol, Self

from pbm_oust.rules.grid import Grid, Shape, rings


class Side(Enum):
    """One of the two colours; x places first."""

    X = "x"
    O = "o"

    @property
    def other(self) -> "Side":
        """The opposing side."""
        return Side.O if self is Side.X else Side.X


class How(Enum):
    """The ways in which any game may end: its players', the server's and the operator's.

    Each game has its own Enum, beside its positions, of the ways in which its rules end it.
    """

    RESIGN = "resign"
    FORFEIT = "forfeit"
    AGREED = "agreed"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game: the winning side, or none for a draw, and how the game ended."""

    winner: Side | None
    how: Enum
    """A How, or a member of the game's own Enum; its value is the word in histories."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The rule that a placement breaks, with the figures that belong to it.

    Each game derives its own, and its templates turn them into sentences.
    """

    word: ClassVar[str]
    """Its name in templates and in what the operator reads."""


@dataclass(frozen=True, slots=True)
class Occupied(Fault):
    """There is a stone on the cell; this is a fault in every game."""

    word = "occupied"


class IllegalPlacement(ValueError):
    """The rules refuse a placement."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.word)
        self.fault = fault


class IllegalPass(ValueError):
    """A side that has a placement has passed."""


@dataclass(frozen=True, slots=True)
class Position(ABC):
    """The stones on a board, whose turn it is, and what the rules say about that.

    Positions are values: placing and passing return the next position. Sets of cells are integers
    as `Grid` lays them out. The first position has no stones. A placement adds one stone, which
    stays until the end of the turn, and may take others of either side off the board.

    A game says where its sides may place and what comes of it. What it does not say otherwise is
    so: a turn is one placement, which takes no enemy stones, and nobody passes.
    """

    grid: Grid
    x: int = 0
    """The stones of x."""
    o: int = 0
    to_move: Side = Side.X
    """The side that acts next; meaningless once there is a result."""
    is_mid_turn: bool = False
    """Whether the side to move has already placed in this turn and must place again."""
    result: Result | None = None
    """How the rules ended the game, or None while it goes on."""

    @property
    def occupied(self) -> int:
        """The stones of both sides."""
        return self.x | self.o

    def stones(self, side: Side) -> int:
        """Return the stones of a side."""
        return self.x if side is Side.X else self.o

    @abstractmethod
    def placements(self) -> int:
        """Return the cells where the side to move may place; none once there is a result."""

    def capturing(self) -> int:
        """Return the placements that take enemy stones off the board."""
        return 0

    def taken_by(self, cell: int) -> int:
        """Return the stones that come off the board if the side to move places on `cell`.

        It is one of `placements()`.
        """
        return taken(self, self.place(cell))

    def has_placement(self) -> bool:
        """Return whether the side to move has a placement: usually until there is a result.

        Where a side can be without a placement, the game says so.
        """
        return self.result is None

    @abstractmethod
    def place(self, cell: int) -> Self:
        """Return the position after the side to move has placed a stone on `cell`.

        Raises IllegalPlacement if the rules refuse it.
        """

    def pass_turn(self) -> Self:
        """Return the position after the side to move has passed.

        Raises IllegalPass if that side has a placement.
        """
        raise IllegalPass

    def tally(self, side: Side) -> tuple[int, ...]:
        """Return the figures shown beside a player's name; the last is the number of stones."""
        return (self.stones(side).bit_count(),)


@lru_cache(maxsize=64)
def choices(position: Position) -> tuple[int, int]:
    """Return the placements, and those of them that capture.

    The latest ones are remembered, because a letter needs them in several places.
    """
    return position.placements(), position.capturing()


def suggestion(position: Position, among: int) -> int:
    """Return the one of some placements that looks best at a glance; no cell if there are none.

    It takes most stones. If none takes any, it keeps away from the enemy, whose next stone could
    take it, and then from the edge. The very first stone is halfway between edge and middle: the
    best one would only be swapped.
    """
    grid = position.grid
    capturing = among & choices(position)[1]
    if capturing & (capturing - 1):
        return max(grid.each(capturing), key=lambda cell: position.taken_by(cell).bit_count())
    if capturing:
        return capturing
    beside = grid.neighbours(position.stones(position.to_move.other))
    apart = among & ~(beside | grid.neighbours(beside)) or among & ~beside or among
    around = rings(grid)
    tried = reversed(around) if position.occupied else around[len(around) // 2 :]
    best = next(filter(None, (ring & apart for ring in tried)), apart)
    return best & -best


class FastGame(Protocol):
    """Plays a whole game by choosing among placements, faster than positions."""

    def __call__(
        self, grid: Grid, choose: Callable[[int], int], x: int = 0, o: int = 0
    ) -> tuple[int, Result]:
        """Return the turns and the result of a game that goes on from these stones; x is to move.

        `choose` picks one cell of a set.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A game that the server knows: what it is called and where it is played.

    Each game has one Kind object, in the registry.
    """

    name: str
    """The word in commands and histories."""
    title: str
    author: str
    year: int
    start: Callable[[Grid], Position]
    """Returns the position before the first turn."""
    endings: type[Enum]
    """The ways in which the game's own rules end it; the values are the words in histories."""
    defaults: Mapping[Shape, Grid]
    """The usual grid of each shape the game is played on. The first shape is the game's own."""
    first_grids: tuple[Grid, ...] = ()
    """Small grids for a first game."""
    common_grids: tuple[Grid, ...] = ()
    """Grids that players often choose, besides the usual ones."""
    can_use: Callable[[Grid], bool] = lambda grid: True
    """Returns whether the game can be played on a grid of one of its shapes: see `plays_on`."""
    has_chains: bool = False
    """Whether a turn can have several placements."""
    fast_game: FastGame | None = None
    """Plays a whole game by choosing among placements, faster than positions; for chance."""

    @property
    def own_shape(self) -> Shape:
        """The shape of a grid that is named by its size alone."""
        return next(iter(self.defaults))

    @property
    def default_grid(self) -> Grid:
        """The grid of a challenge that does not name one."""
        return self.defaults[self.own_shape]

    @property
    def grids(self) -> list[Grid]:
        """The grids to choose from at first sight: by shape, those with fewer cells first."""
        known = dict.fromkeys((*self.first_grids, *self.common_grids, *self.defaults.values()))
        return sorted(
            known, key=lambda grid: (grid.shape is not self.own_shape, grid.cells.bit_count())
        )

    def plays_on(self, grid: Grid) -> bool:
        """Return whether the game can be played on a grid."""
        return grid.shape in self.defaults and self.can_use(grid)


def taken(before: Position, after: Position) -> int:
    """Return the stones that came off the board between two successive positions."""
    return before.occupied & ~after.occupied

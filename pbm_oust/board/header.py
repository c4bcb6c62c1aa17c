"""The header of a board: game, grid, players, terms, and moves that it continues. Pure."""

from datetime import datetime

from msgspec import Struct

from pbm_oust.board.record import Deed, Placement
from pbm_oust.rules import Grid, Kind, Position, Side
from pbm_oust.rules.grid import NoSuchCell
from pbm_oust.rules.position import IllegalPass, IllegalPlacement, taken

NO_BOARD = 0
"""The number of what is played on no board: a puzzle."""


class BadOrigin(ValueError):
    """An origin whose moves are illegal or end the game; the message says why."""


class Step(Struct, frozen=True):
    """A side's move as it changes the position: its placements, or none for a pass."""

    side: Side
    placements: tuple[Placement, ...]


class Origin(Struct, frozen=True):
    """The continued board, the number of its latest record, and its moves."""

    board: int
    number: int
    steps: tuple[Step, ...]


def position_of(origin: Origin, kind: Kind, grid: Grid) -> Position:
    """Return the position that the moves of an origin lead to. Raises BadOrigin."""
    position = kind.start(grid)
    for nth, step in enumerate(origin.steps, 1):
        if position.result or step.side is not position.to_move:
            raise BadOrigin(f"move {nth} is not one that {step.side.value} can make then")
        try:
            position = _after(step, position)
        except (IllegalPlacement, IllegalPass, NoSuchCell) as fault:
            raise BadOrigin(f"move {nth} is against the rules, {fault or 'a pass'}") from None
    if position.result:
        raise BadOrigin("the game is over after these moves")
    return position


def _after(step: Step, position: Position) -> Position:
    """Return the position after a step. Raises BadOrigin, and the errors of rules and grid."""
    if not step.placements:
        return position.pass_turn()
    for done in step.placements:
        if position.result or step.side is not position.to_move:
            raise BadOrigin(f"{done.cell} comes after the end of the turn")
        following = position.place(position.grid.parse_cell(done.cell))
        if taken(position, following).bit_count() != done.took:
            raise BadOrigin(f"{done.cell} does not take {done.took} stones")
        position = following
    return position


def steps_of(side: Side | None, action: object) -> tuple[Step, ...]:
    """Return the one step of a record: its move. Swaps and records of other kinds have none."""
    if side and isinstance(action, tuple):
        return (Step(side, action),)
    return (Step(side, ()),) if side and action is Deed.PASS else ()


class Terms(Struct, frozen=True):
    """Terms of a game besides the grid. Times are in days; 0 means no limit."""

    swap: bool = True
    rated: bool = True
    binding: bool = False
    """Whether nobody can decline, and a missing first move loses: in a tournament."""
    nagtime: int = 7
    """From the beginning of a turn to the reminder."""
    forfeittime: int = 21
    """From the reminder to the loss of the game."""
    totaltime: int = 0
    """For all turns of a player together."""
    maxtime: int = 0
    """For each turn."""


class Header(Struct, frozen=True):
    """The header of a board. `x` and `o` are the userids that own the sides at the start."""

    kind: Kind
    board: int
    grid: Grid
    x: str
    o: str
    terms: Terms
    started: datetime
    origin: Origin | None = None
    """The beginning of the board, if it continues another one of the same game."""

    @property
    def first_position(self) -> Position:
        """The position before the first record. Raises BadOrigin."""
        if self.origin:
            return position_of(self.origin, self.kind, self.grid)
        return self.kind.start(self.grid)

    @property
    def owners(self) -> frozenset[str]:
        """The userids of both players."""
        return frozenset((self.x, self.o))

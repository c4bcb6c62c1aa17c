"""What is fixed when a board starts: game, grid, players, terms, and moves it continues. Pure."""

from datetime import datetime

from msgspec import Struct

from pbm_oust.board.record import Deed, Placement
from pbm_oust.rules import Grid, Kind, Position, Side
from pbm_oust.rules.grid import NoSuchCell
from pbm_oust.rules.position import IllegalPass, IllegalPlacement, taken

NO_BOARD = 0
"""The number of what is played on no board: a puzzle."""


class BadOrigin(ValueError):
    """Moves do not lead to a position from which a game can go on; the message says why."""


class Step(Struct, frozen=True):
    """A move of a side that counts for the position: placements, or none for a pass."""

    side: Side
    placements: tuple[Placement, ...]


class Origin(Struct, frozen=True):
    """The board that is continued, the number of its latest record, and the moves so far."""

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
    """Return the position after a move. Raises BadOrigin, and what the rules and the grid raise."""
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
    """Return what a record does to the position: nothing if it is a swap or not a move."""
    if side and isinstance(action, tuple):
        return (Step(side, action),)
    return (Step(side, ()),) if side and action is Deed.PASS else ()


class Terms(Struct, frozen=True):
    """What the players agreed on besides the grid. Times are in days; 0 means no limit."""

    swap: bool = True
    rated: bool = True
    binding: bool = False
    """Whether nobody can decline it, and who makes no first move loses: in a tournament."""
    nagtime: int = 7
    """From the beginning of a turn to the reminder."""
    forfeittime: int = 21
    """From the reminder to the loss of the game."""
    totaltime: int = 0
    """For all turns of a player together."""
    maxtime: int = 0
    """For each turn."""


class Header(Struct, frozen=True):
    """What is fixed when a board starts. `x` and `o` are the userids that own the sides then."""

    kind: Kind
    board: int
    grid: Grid
    x: str
    o: str
    terms: Terms
    started: datetime
    origin: Origin | None = None
    """Where the board begins, if it continues another one of the same game."""

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

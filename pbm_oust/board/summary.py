"""What a list says about a board. Pure."""

from datetime import datetime

from pbm_oust.board.game import Game
from dataclasses import dataclass
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Kind, Result, Side


@dataclass(frozen=True, slots=True)
class Summary:
    """A board in a line."""

    kind: Kind
    board: int
    grid: Grid
    x: str
    """The userid that owns side x."""
    o: str
    to_move: str | None
    """The userid that acts next; None if the game is over."""
    result: Result | None
    records: int
    latest: datetime
    """When the latest record was made, or the board was started."""

    @property
    def name(self) -> str:
        """The name of the board: `oust 17`."""
        return f"{self.kind.name} {self.board}"

    @property
    def winner(self) -> str | None:
        """The userid that has won; None if nobody has."""
        if self.result is None or self.result.winner is None:
            return None
        return self.x if self.result.winner is Side.X else self.o


def summary_of(game: Game) -> Summary:
    """Return what a list says about the board of a game."""
    header, result = game.header, game.result
    return Summary(
        header.kind,
        header.board,
        header.grid,
        game.x,
        game.o,
        None if result else game.player_to_move,
        result,
        len(game.records),
        game.latest,
    )

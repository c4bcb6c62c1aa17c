"""A line: placements that somebody looks at without playing them, from a position on. Pure."""

from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed, Place, Record
from pbm_oust.refusal import Illegal, NotAllowed

NO_KEY = "0" * 16
"""The message key of what no mail asked for."""


class Line(Struct, frozen=True):
    """Placements from a position on, by the side whose turn it is each time."""

    games: Sequence[Game]
    """The game before the first placement and after each one, with passes that follow."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the placements, in their order."""
        return tuple(
            done.cell
            for record in self.records
            if isinstance(record.action, tuple)
            for done in record.action
        )

    @property
    def records(self) -> Sequence[Record]:
        """What has been done since the beginning, passes among it."""
        return self.games[-1].records[len(self.games[0].records) :]


def line_of(game: Game, cells: Iterable[str]) -> Line:
    """Return the longest beginning of some placements that can be made from a position on.

    A game that has ended otherwise than by its rules goes on. Whoever cannot place passes.
    """
    games = [_passed(structs.replace(game, result=game.position.result, offer=None))]
    for cell in cells:
        try:
            games.append(_passed(_done(games[-1], Place((cell,)))))
        except (Illegal, NotAllowed):
            break
    return Line(games)


def _passed(game: Game) -> Game:
    while game.must_pass:
        game = _done(game, Deed.PASS)
    return game


def _done(game: Game, wish: Place | Deed) -> Game:
    return game.act(game.to_move, wish, game.latest, NO_KEY)

"""The eye for games that can be played fast by chance: it plays positions to the end that way."""

from pbm_oust.robot.eye import Choose, Eye, Glance, ranked, worth
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import FastGame, Position, Side


def fast_eye(fast_game: FastGame, grid: Grid, choose: Choose) -> Eye:
    """Return an eye for a game with such a way to be played, on a grid."""

    def look(position: Position) -> Glance:
        mover = position.to_move
        _, result = fast_game(grid, choose, position.stones(mover), position.stones(mover.other))
        # The fast game calls the side to move x.
        value = worth(result, Side.X)
        return Glance(position, value, ranked([(1.0, position.placements())]))

    return Eye(look, choose)

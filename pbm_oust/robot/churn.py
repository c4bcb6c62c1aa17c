"""The eye for Churn: it plays positions to the end by chance, in the rules' fastest way."""

import random

from pbm_oust.experiments.simulate import chooser
from pbm_oust.robot.eye import Eye, Glance, ranked, worth
from pbm_oust.rules.churn import fast_game
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position, Side


def churn_eye(grid: Grid, rng: random.Random) -> Eye:
    """Return an eye for Churn on a grid."""
    choose = chooser(grid, rng)

    def look(position: Position) -> Glance:
        mover = position.to_move
        _, result = fast_game(grid, choose, position.stones(mover), position.stones(mover.other))
        placements = list(grid.each(position.placements()))
        rng.shuffle(placements)
        # The fast game calls the side to move x.
        return Glance(worth(result, Side.X), ranked([(1.0, cell) for cell in placements]))

    return look

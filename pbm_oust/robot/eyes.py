"""The eyes of the house players: one line here gives a game an eye of its own."""

import random
from collections.abc import Callable

from pbm_oust.experiments.simulate import chooser
from pbm_oust.robot.churn import LARGEST, churn_eye
from pbm_oust.robot.eye import Choose, Eye
from pbm_oust.robot.fast import fast_eye
from pbm_oust.robot.oust import oust_eye
from pbm_oust.robot.playouts import playing_eye
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.kinds import KINDS

MakeEye = Callable[[Grid, Choose], Eye]

EYES: dict[str, MakeEye] = {"oust": oust_eye}
"""By the names of kinds. A game that is not here is played to the end by chance."""

_ON_SMALL_BOARDS: dict[str, MakeEye] = {"churn": churn_eye}
"""Those for boards of up to LARGEST cells."""


def eye_for(kind: str, grid: Grid, rng: random.Random) -> Eye:
    """Return an eye for a kind of game on a grid."""
    is_small = grid.cells.bit_count() <= LARGEST
    own = EYES.get(kind) or (_ON_SMALL_BOARDS.get(kind) if is_small else None)
    choose = chooser(grid, rng)
    if own:
        return own(grid, choose)
    fast_game = KINDS[kind].fast_game
    return fast_eye(fast_game, grid, choose) if fast_game else playing_eye(grid, choose)

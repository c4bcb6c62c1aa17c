"""The eyes of the house players: one line here gives a game an eye of its own."""

import random
from collections.abc import Callable

from pbm_oust.robot.churn import churn_eye
from pbm_oust.robot.eye import Eye
from pbm_oust.robot.fast import fast_eye
from pbm_oust.robot.oust import oust_eye
from pbm_oust.robot.playouts import playing_eye
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.kinds import KINDS

EYES: dict[str, Callable[[Grid, random.Random], Eye]] = {
    "oust": oust_eye,
    "churn": churn_eye,
}
"""By the names of kinds. A game that is not here is played to the end by chance."""


def eye_for(kind: str, grid: Grid, rng: random.Random) -> Eye:
    """Return an eye for a kind of game on a grid."""
    fast_game = KINDS[kind].fast_game
    if fast_game and kind not in EYES:
        return fast_eye(fast_game, grid, rng)
    return EYES.get(kind, playing_eye)(grid, rng)

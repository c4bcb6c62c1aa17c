"""The eyes of the house players: one line here gives a game an eye of its own."""

import random
from collections.abc import Callable

from pbm_oust.robot.churn import churn_eye
from pbm_oust.robot.eye import Eye
from pbm_oust.robot.oust import oust_eye
from pbm_oust.robot.playouts import playing_eye
from pbm_oust.rules.grid import Grid

EYES: dict[str, Callable[[Grid, random.Random], Eye]] = {"oust": oust_eye, "churn": churn_eye}
"""By the names of kinds. A game that is not here is played to the end by chance."""


def eye_for(kind: str, grid: Grid, rng: random.Random) -> Eye:
    """Return an eye for a kind of game on a grid."""
    return EYES.get(kind, playing_eye)(grid, rng)

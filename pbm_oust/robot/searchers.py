"""What grows the trees of the house players: the compiled core if it is there, else Python.

One line here gives a game an eye of its own.
"""

import os
import random
from collections.abc import Callable

from pbm_oust.experiments.simulate import chooser
from pbm_oust.robot.churn import LARGEST, churn_eye
from pbm_oust.robot.compiled import CompiledSearcher, knows, proving_in
from pbm_oust.robot.eye import Choose, Eye, fast_eye, playing_eye
from pbm_oust.robot.oust import oust_eye
from pbm_oust.robot.search import Node, Searched, Searcher, grow
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Position

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


VARIABLE = "PBM_OUST_HOUSE"
"""If this variable of the environment is `python`, the compiled core is left alone."""


class PythonSearcher:
    """Grows trees as `search.py` does, for any kind of game."""

    def __init__(self, eye: Eye) -> None:
        self._eye = eye

    def root(self, position: Position) -> Searched:
        """Return a tree that has not grown."""
        return Node(position)

    def grow(self, node: Searched, may_go_on: Callable[[], bool]) -> int:
        """Let a tree of this searcher grow from a position, as `Searcher` says."""
        return grow(node, self._eye, may_go_on) if isinstance(node, Node) else 0

    def is_lost(self, position: Position) -> bool:
        """Return whether the side to move is known to lose, though the tree still searches it."""
        return self._eye.prover is not None and self._eye.prover.wins(position) is False


def searcher_for(kind: str, grid: Grid, rng: random.Random, seconds: float = 0.0) -> Searcher:
    """Return what grows trees of a kind of game on a grid, for a player with so long for a turn."""
    if knows(kind, grid) and os.environ.get(VARIABLE) != "python":
        return CompiledSearcher(kind, grid, rng, proving=proving_in(seconds))
    return PythonSearcher(eye_for(kind, grid, rng))

"""An eye for any game: it plays a position to the end by chance, captures first."""

from pbm_oust.robot.eye import Choose, Eye, Glance, ranked, worth
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position

LONGEST = 10
"""A playout that has not ended after this many placements for each cell counts as a draw."""

PROMISE = 4.0
"""How many times as promising as other placements captures are taken to be."""


def playing_eye(grid: Grid, choose: Choose, *, captures_first: bool = True) -> Eye:
    """Return an eye that plays positions to the end once; without captures first, uniformly."""

    def look(position: Position) -> Glance:
        captures = position.capturing() if captures_first else 0
        others = position.placements() & ~captures
        return Glance(position, play_out(position), ranked([(PROMISE, captures), (1.0, others)]))

    def play_out(position: Position) -> float:
        mover = position.to_move
        for _ in range(LONGEST * grid.cells.bit_count()):
            if position.result:
                return worth(position.result, mover)
            allowed = (captures_first and position.capturing()) or position.placements()
            position = position.place(choose(allowed)) if allowed else position.pass_turn()
        return 0.5

    return Eye(look, choose)

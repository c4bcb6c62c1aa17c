"""The eye for Churn on small boards: it plays positions to the end by chance, and proves some.

On larger boards the same stones seldom come up again.
"""

from pbm_oust.robot.camps import Camp, camps_on
from pbm_oust.robot.eye import Choose, Eye, Glance, ranked
from pbm_oust.robot.proofs import proofs_on
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position

LARGEST = 19
"""The most cells of a small board: those of hex 3."""


def churn_eye(grid: Grid, choose: Choose) -> Eye:
    """Return an eye for Churn on a small grid."""
    camps, half = camps_on(grid), grid.cells.bit_count() // 2

    def look(position: Position) -> Glance:
        mover = position.to_move
        own, enemy = (camps.of(position.stones(side)) for side in (mover, mover.other))
        free = grid.cells & ~(own.stones | enemy.stones)
        value = play_out(own, enemy, free)
        return Glance(position, value, ranked([(1.0, own.placements(free))]))

    def play_out(own: Camp, enemy: Camp, free: int) -> float:
        """Return 1 if the side with its own camp, which is to move, wins a game by chance."""
        cells, is_mover = grid.cells, True
        while free:
            cell = choose(own.placements(free))
            own, enemy = enemy, own.after.get(cell) or camps.place(own, cell)
            free = cells & ~(own.stones | enemy.stones)
            is_mover = not is_mover
        return float((own.stones.bit_count() > half) is is_mover)

    return Eye(look, choose, proofs_on(grid))

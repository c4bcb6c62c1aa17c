"""Positions by chance, on grids of every kind, for what draws them."""

from random import Random

from pbm_oust.rules import KINDS, Position, parse_grid

GRIDS = [
    *(("oust", f"square {size}") for size in ("2x2", "7x7", "9x5", "11x11", "3x19", "25x25")),
    *(("oust", f"hex {size}") for size in ("2", "5", "7", "3,4", "13", "1,4", "3,3,5", "13,1,13")),
    ("churn", "hex 3"),
    ("churn", "hex 3,4"),
    ("churn", "hex 4,6,4"),
    ("churn", "hex 2,3,4,1,4,3"),
]


def played(kind: str, grid: str, seed: int) -> tuple[Position, int]:
    """Return a position by chance, and the stone placed last."""
    chance = Random(seed)
    position, cell = KINDS[kind].start(parse_grid(grid)), 0
    for _ in range(chance.randrange(1, 60)):
        placements = list(position.grid.each(position.placements()))
        if not placements:
            break
        cell = chance.choice(placements)
        position = position.place(cell)
    return position, cell

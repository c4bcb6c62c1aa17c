"""Every position of Oust that play can reach on a small board."""

from functools import cache

from pbm_oust.rules import parse_grid
from pbm_oust.rules.oust import Oust


@cache
def reachable(grid: str) -> frozenset[Oust]:
    """Return every position that play can reach from the empty board."""
    start = Oust(parse_grid(grid))
    found, waiting = {start}, [start]
    while waiting:
        position = waiting.pop()
        if not position.result:
            for _, after in following(position):
                if after not in found:
                    found.add(after)
                    waiting.append(after)
    return frozenset(found)


def following(position: Oust) -> list[tuple[int, Oust]]:
    """Return each cell that can be placed on, 0 for a pass, with the position after it."""
    cells = list(position.grid.each(position.placements()))
    return [(cell, position.place(cell)) for cell in cells] or [(0, position.pass_turn())]

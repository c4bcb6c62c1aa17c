"""What a net of the house says, worked out without the core."""

import math
import struct
from collections.abc import Iterable

WIDTH, INNER = 16, 8


def value_of(net: bytes, rows: int, picked: Iterable[int]) -> float:
    """Return how likely the side to move is to win: a net has so many rows, and some are picked."""
    figures, size, chosen = struct.unpack(f"{len(net)}b", net), WIDTH * rows, list(picked)
    sums = [max(0, sum(figures[WIDTH * row + each] for row in chosen)) for each in range(WIDTH)]
    inner, outer = figures[size : size + INNER * WIDTH], size + INNER * WIDTH
    *others, last = figures[outer : outer + 2 * INNER + 1]
    score = 64 * last
    for nth, (bias, weight) in enumerate(zip(others[:INNER], others[INNER:], strict=True)):
        layer = inner[WIDTH * nth : WIDTH * (nth + 1)]
        score += max(0, 64 * bias + sum(map(int.__mul__, sums, layer))) // 64 * weight
    return 1 / (1 + math.exp(-score / 4096))

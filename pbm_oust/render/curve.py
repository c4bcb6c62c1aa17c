"""Numbers that follow each other, as a curve in SVG. Pure.

Its colours are those of the text around it.
"""

from collections.abc import Sequence

WIDTH, HEIGHT = 320, 96
_MARGIN = 8
_LEAST = 1.0
"""What the highest and the lowest number are taken to be apart at least."""


def curve_svg(numbers: Sequence[float]) -> str:
    """Return numbers as an SVG element: a line from left to right, and a dot on the last one.

    It is an ornament to a table that has the numbers, so programs that read aloud pass it over.
    """
    low, high = min(numbers), max(numbers)
    apart, step = max(high - low, _LEAST), (WIDTH - 2 * _MARGIN) / max(len(numbers) - 1, 1)
    places = [
        (_MARGIN + nth * step, _MARGIN + (HEIGHT - 2 * _MARGIN) * (high - number) / apart)
        for nth, number in enumerate(numbers)
    ]
    points, (x, y) = " ".join(f"{x:.1f},{y:.1f}" for x, y in places), places[-1]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" class="curve" '
        'aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" '
        f'stroke-linejoin="round"><polyline points="{points}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="currentColor"/></svg>'
    )

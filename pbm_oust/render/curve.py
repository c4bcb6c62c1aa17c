"""Numbers that follow each other, as a curve in SVG. Pure.

Its colours are those of the text around it.
"""

from collections.abc import Collection, Sequence

from dataclasses import dataclass

WIDTH, HEIGHT = 320, 96
_MARGIN = 8
_LEAST = 1.0
"""What the highest and the lowest number are taken to be apart at least."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers at the lower and the upper edge of a curve, with a line halfway."""

    low: float
    high: float


def curve_svg(
    numbers: Sequence[float],
    scale: Scale | None = None,
    *,
    place: int = -1,
    rings: Collection[int] = (),
) -> str:
    """Return numbers as an SVG element: a line from left to right, with a dot and rings on places.

    Without a scale, the line fills the picture. The dot is on the last number unless another place
    is named. It is an ornament to a table that has the numbers, so programs that read aloud pass
    it over.
    """
    low, high = (scale.low, scale.high) if scale else _edges(numbers)
    step = (WIDTH - 2 * _MARGIN) / max(len(numbers) - 1, 1)
    places = [
        (_MARGIN + nth * step, _MARGIN + (HEIGHT - 2 * _MARGIN) * (high - number) / (high - low))
        for nth, number in enumerate(numbers)
    ]
    points, (x, y) = " ".join(f"{x:.1f},{y:.1f}" for x, y in places), places[place]
    halfway = (
        f'<path d="M{_MARGIN} {HEIGHT / 2:g}H{WIDTH - _MARGIN}" stroke-width="1" opacity="0.4"/>'
        if scale
        else ""
    )
    ringed = "".join(
        f'<circle cx="{places[each][0]:.1f}" cy="{places[each][1]:.1f}" r="6"/>' for each in rings
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" class="curve" '
        'aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" '
        f'stroke-linejoin="round">{halfway}<polyline points="{points}"/>{ringed}'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="currentColor"/></svg>'
    )


def _edges(numbers: Sequence[float]) -> tuple[float, float]:
    high = max(numbers)
    return min(min(numbers), high - _LEAST), high

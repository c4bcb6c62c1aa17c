"""Numbers as a curve."""

import re
from itertools import pairwise

import pytest
from lxml import etree

from pbm_oust.render.svg import CURVE_HEIGHT, CURVE_WIDTH, curve_svg


def points_of(numbers: list[float]) -> list[tuple[float, float]]:
    """Return the points of a curve."""
    (line,) = etree.fromstring(curve_svg(numbers)).findall("{*}polyline")
    pairs = re.findall(r"([\d.]+),([\d.]+)", line.get("points") or "")
    return [(float(x), float(y)) for x, y in pairs]


def test_a_higher_number_stands_higher_and_a_later_one_further_right() -> None:
    (x1, y1), (x2, y2), (x3, y3) = points_of([1600, 1700, 1650])
    assert x1 < x2 < x3
    assert y2 < y3 < y1


@pytest.mark.parametrize("numbers", [[1600.0], [1600.0, 1600.0], [0.0, 1e6], [-5.0, 5.0, 0.1]])
def test_a_curve_stays_within_its_picture(numbers: list[float]) -> None:
    points = points_of(numbers)
    assert len(points) == len(numbers)
    assert all(0 < x < CURVE_WIDTH and 0 < y < CURVE_HEIGHT for x, y in points)


def test_a_long_curve_has_no_more_links_than_a_pointer_can_tell_apart() -> None:
    drawn = etree.fromstring(curve_svg([0.5] * 1000, (0.0, 1.0), leads=str))
    links = [int(each.get("href") or "") for each in drawn.iter("{*}a")]
    assert links[0] == 0
    assert len(links) <= 80
    assert len({after - before for before, after in pairwise(links)}) == 1

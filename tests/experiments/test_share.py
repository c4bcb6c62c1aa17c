"""Shares of games won, with their intervals, as Wilson (1927) has them."""

import pytest

from pbm_oust.experiments.simulate import Share


@pytest.mark.parametrize(
    ("won", "games", "low", "high"),
    [
        (50, 100, 0.4038, 0.5962),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (38, 40, 0.8350, 0.9862),
    ],
)
def test_the_interval_is_that_of_wilson(won: int, games: int, low: float, high: float) -> None:
    assert Share(won, games).interval == pytest.approx((low, high), abs=1e-4)


def test_it_reads_as_percentages() -> None:
    assert str(Share(0.5, 2)) == "25.0% (2.7% to 80.2%)"

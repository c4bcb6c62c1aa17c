"""Vacations: how accounts keep them, what they take of the allowance, and when time is up."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm_oust.accounts.vacations import Absence, days_left, due, ended_at, present, without_later

BEGIN = datetime(2026, 12, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    return BEGIN + timedelta(days=number)


def away(*some: tuple[float, float]) -> tuple[Absence, ...]:
    return tuple(Absence(day(start), day(end)) for start, end in some)


@st.composite
def vacations(draw: st.DrawFn) -> tuple[Absence, ...]:
    """Return vacations one behind the other, in whole hours."""
    hours = sorted(draw(st.lists(st.integers(0, 5000), max_size=8, unique=True)))
    pairs = zip(hours[::2], hours[1::2], strict=False)
    return away(*((start / 24, end / 24) for start, end in pairs))


@pytest.mark.parametrize(
    ("some", "left"),
    [
        ([], 30),
        ([(0, 14)], 16),
        ([(0, 0.1)], 29),
        ([(0, 1)], 29),
        ([(0, 1.01)], 28),
        ([(0, 0)], 30),
        ([(0, 10), (12, 30)], 2),
        ([(20, 40)], 10),
        ([(31, 40)], 30),
    ],
)
def test_days_that_have_begun_are_taken_from_the_year_in_which_a_vacation_begins(
    some: list[tuple[float, float]], left: int
) -> None:
    assert days_left(away(*some), 2026, UTC) == left


@pytest.mark.parametrize(
    ("now", "ended", "without"),
    [
        (1, [(2, 5), (7, 9)], []),
        (2, [(2, 2), (7, 9)], []),
        (3, [(2, 3), (7, 9)], [(2, 3)]),
        (6, [(2, 5), (7, 9)], [(2, 5)]),
        (8, [(2, 5), (7, 8)], [(2, 5), (7, 8)]),
    ],
)
def test_a_vacation_ends_early_and_later_ones_are_dropped(
    now: float, ended: list[tuple[float, float]], without: list[tuple[float, float]]
) -> None:
    some = away((2, 5), (7, 9))
    assert ended_at(some, day(now)) == away(*ended)
    assert without_later(some, day(now)) == away(*without)


@given(vacations(), st.integers(0, 5000), st.integers(0, 2000))
@settings(deadline=None)
def test_when_time_is_up_the_player_was_present_for_so_long(
    absences: tuple[Absence, ...], since: int, span: int
) -> None:
    start, lasting = day(since / 24), timedelta(hours=span)
    end = due(absences, start, lasting)
    assert present(absences, start, end) == lasting
    assert end >= start + lasting

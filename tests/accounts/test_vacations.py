"""Vacations: how accounts keep them, what they take of the allowance, and when time is up."""

import json
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from pbm_oust.accounts.vacations import Absence, days_left, due, ended_at, present, without_later
from tests.support import tables

tabled = tables.tabled(__file__)

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


@tabled("some", "left", some=json.loads, left=int)
def test_days_that_have_begun_are_taken_from_the_year_in_which_a_vacation_begins(
    some: list[tuple[float, float]], left: int
) -> None:
    assert days_left(away(*some), 2026, UTC) == left


@tabled("now", "ended", "without", now=float, ended=json.loads, without=json.loads)
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

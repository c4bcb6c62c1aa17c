"""What the tests of the rooms leave to the slow rings."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet
from hypothesis import HealthCheck, settings

T = TypeVar("T")

USUAL = 100
"""How many examples hypothesis tries with all tests; the fast ones have their own profile."""


def slow(*values: object) -> ParameterSet:
    """Return the parameters of a test that runs only with all tests."""
    return pytest.param(*values, marks=pytest.mark.slow)


def first_is_fast(values: Iterable[object]) -> list[object]:
    """Return the values of a parameter: the fast ring tries the first of them."""
    first, *others = values
    return [first, *map(slow, others)]


def fast_if(is_fast: Callable[[T], bool], values: Iterable[T]) -> list[object]:
    """Return the values of a parameter: the fast ring tries those for which this is true."""
    return [value if is_fast(value) else slow(value) for value in values]


def is_fast_ring() -> bool:
    """Whether only the fast ring runs."""
    return bool(settings.default and settings.default.max_examples < USUAL)


def examples(number: int) -> settings:
    """Return the settings of a property that is tried so many times, and in the fast ring fewer.

    It may take as long as it needs on a busy machine.
    """
    share = settings.default.max_examples / USUAL if settings.default else 1
    return settings(
        deadline=None,
        max_examples=max(1, round(number * share)),
        suppress_health_check=[HealthCheck.too_slow],
    )

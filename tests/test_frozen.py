"""Frozen classes are what `dataclass(frozen=True, slots=True)` makes, and cost nothing unused."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import deepcopy
from dataclasses import KW_ONLY, FrozenInstanceError, asdict, dataclass, field, fields
from dataclasses import replace as usual_replace
from typing import Any, Generic, TypeVar

import pytest

from pbm_oust.frozen import frozen, replace

T = TypeVar("T")
MAKERS = [frozen, dataclass(frozen=True, slots=True)]
Maker = Callable[[type[Any]], type[Any]]


@frozen
class Kept:
    """Is made and copied."""

    number: int
    word: str = "x"


def family(maker: Maker) -> tuple[type[Any], type[Any]]:
    """Return a class, and one that is derived from it, with all that ours have."""

    @maker
    class Base(Generic[T], ABC):
        """Is derived from."""

        number: int
        word: str = "x"
        _: KW_ONLY
        items: list[T] = field(default_factory=list, hash=False)
        noted: int = field(default=0, compare=False)
        doubled: int = field(init=False, repr=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "doubled", 2 * self.number)

        @abstractmethod
        def said(self) -> str:
            """Return something."""

    @maker
    class Derived(Base[int]):
        """Is made."""

        last: tuple[int, ...] = ()

        def said(self) -> str:
            """Return a word."""
            return self.word * self.doubled

    return Base, Derived


@pytest.fixture(params=MAKERS, ids=["frozen", "dataclass"])
def derived(request: pytest.FixtureRequest) -> type[Any]:
    """A class that either of them makes."""
    return family(request.param)[1]


def test_fields_are_filled_in_their_order_and_by_name(derived: type[Any]) -> None:
    made = derived(2, "y", (3,), items=[4])
    assert asdict(made) == {
        "number": 2,
        "word": "y",
        "items": [4],
        "noted": 0,
        "doubled": 4,
        "last": (3,),
    }
    assert made == derived(number=2, word="y", last=(3,), items=[4])
    assert [each.name for each in fields(derived)] == list(asdict(made))


@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), ((1, "x", (), 4), {}), ((1,), {"doubled": 2}), ((1,), {"unknown": 2})],
)
def test_what_does_not_fit_is_refused(
    derived: type[Any], given: tuple[object, ...], named: dict[str, object]
) -> None:
    with pytest.raises(TypeError):
        derived(*given, **named)


def test_each_instance_has_a_list_of_its_own(derived: type[Any]) -> None:
    assert derived(1).items is not derived(1).items


def test_instances_are_equal_if_what_is_compared_is(derived: type[Any]) -> None:
    made = derived(1)
    assert made == derived(1, noted=5)
    assert made != derived(2)
    assert made != (1, "x", [], ())
    assert hash(made) == hash(derived(1, items=[7], noted=5))
    assert hash(made) != hash(derived(2))


def test_a_derived_class_is_another_class() -> None:
    @frozen
    class More(Kept):
        """Has the same fields."""

    assert More(1) != Kept(1)
    assert repr(More(1)).endswith("More(number=1, word='x')")


def test_it_shows_how_to_make_it(derived: type[Any]) -> None:
    shown = "Derived(number=1, word='x', items=[], noted=0, last=())"
    assert repr(derived(1)).endswith(f".{shown}")


def test_nothing_can_be_changed(derived: type[Any]) -> None:
    made = derived(1)
    for name in ("number", "unknown"):
        with pytest.raises((FrozenInstanceError, TypeError)):
            setattr(made, name, 3)
    with pytest.raises(FrozenInstanceError):
        del made.number
    assert not hasattr(made, "__dict__")
    assert usual_replace(made, number=3).said() == "xxxxxx"


def test_some_fields_are_replaced() -> None:
    made = family(frozen)[1](2, "y", (3,), items=[4], noted=5)
    for changes in ({}, {"number": 3}, {"items": [6], "last": (7,)}, {"noted": 8, "word": "z"}):
        assert repr(replace(made, **changes)) == repr(usual_replace(made, **changes))
    for unknown in ("doubled", "unknown"):
        with pytest.raises(TypeError):
            replace(made, **{unknown: 2})


def test_patterns_match_what_is_not_named(derived: type[Any]) -> None:
    match derived(1, "y"):
        case derived(number, word, last):
            assert (number, word, last) == (1, "y", ())


def test_a_class_that_cannot_be_made_is_not() -> None:
    with pytest.raises(TypeError, match="abstract"):
        family(frozen)[0](1)


def test_a_class_keeps_its_own_methods() -> None:
    @frozen
    class Folded:
        """Compares without regard to case."""

        word: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Folded) and self.word.lower() == other.word.lower()

        def __repr__(self) -> str:
            return self.word

    assert Folded("A") == Folded("a")
    assert repr(Folded("A")) == "A"
    assert hash(Folded("A")) == hash(Folded("A"))


def test_a_class_may_call_what_it_overrides() -> None:
    class Doubled(Kept):
        """Holds twice what it is given."""

        def __init__(self, number: int) -> None:
            super().__init__(2 * number)

        def __eq__(self, other: object) -> bool:
            return super().__eq__(other)

        __hash__ = Kept.__hash__

    for number in (1, 2):
        assert Doubled(number).number == 2 * number
        assert Doubled(number) == Doubled(number)
        assert hash(Doubled(number)) == hash(Kept(2 * number))
    assert Kept(3) == Kept(3)
    assert Doubled(3) != Kept(6)


def test_it_can_be_copied() -> None:
    made = Kept(3, "y")
    assert deepcopy(made) == made


def written(work: Callable[[], object]) -> int:
    """Return how often some work has Python compile the text of a method."""
    calls = []

    def note(frame: object, event: str, called: object) -> None:
        if event == "c_call" and called in (exec, eval, compile):
            calls.append(called)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(calls)


def test_methods_are_written_when_they_are_called_for_the_first_time() -> None:
    made: list[type[Any]] = []
    assert written(lambda: made.extend(family(frozen))) == 0
    cls = made[1]
    assert written(lambda: cls(1)) == 1
    assert written(lambda: cls(2)) == 0
    assert written(lambda: cls(1) == cls(2)) == 1
    assert written(lambda: {cls(1), cls(2)}) == 1
    assert written(lambda: replace(cls(1), number=2)) == 1
    assert written(lambda: (cls(1) == replace(cls(2), word="y"), {cls(1), cls(2)})) == 0

"""Frozen dataclasses with slots, which cost little until one is made.

`dataclass` writes the methods of each class as text and has Python compile them, which takes longer
than all else that an import does. There are hundreds of classes here, and a command needs a few of
them. So a method is written when it is called for the first time.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import replace as replace  # whose fields a checker of types knows

T = TypeVar("T")

_Writer = Callable[[Any], tuple[str, dict[str, Any]]]
"""Returns the text of a method for a class, and what the text knows besides its parameters."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Make a class what `dataclass(frozen=True, slots=True)` makes of it."""
    made = _with_slots(cls)
    written = {name: _first(made, name, write) for name, write in _WRITTEN.items()}
    for name, method in (_SHARED | written).items():
        # Python gives a class with an __eq__ of its own None for __hash__.
        if vars(made).get(name) is None:
            setattr(made, name, method)
    return made


if not TYPE_CHECKING:

    def replace(instance: T, /, **changes: object) -> T:
        """Return what `dataclasses.replace` does, of a class that is made here."""
        return instance.__replace__(**changes)


_with_slots = dataclass(init=False, repr=False, eq=False, slots=True)


def _first(cls: type, name: str, write: _Writer) -> Callable[..., Any]:
    """Return a method of a class that is written by the first call of it."""

    def method(*given: object, **named: object) -> Any:
        text, known = write(cls)
        exec(text, known)  # noqa: S102 - the text is made of the names of fields # nosec B102
        setattr(cls, name, known[name])
        return known[name](*given, **named)

    return method


def _init(cls: Any) -> tuple[str, dict[str, Any]]:
    known: dict[str, Any] = {"MISSING": MISSING}
    given, named, body = ["self"], ["*"], ["pass"]
    for each in fields(cls):
        name, parameter, value = each.name, each.name, each.name
        if each.default is not MISSING:
            known[f"default_{name}"] = each.default
            parameter = f"{name}=default_{name}"
        elif each.default_factory is not MISSING:
            known[f"make_{name}"] = each.default_factory
            parameter = f"{name}=MISSING"
            value = f"make_{name}() if {name} is MISSING else {name}"
        if each.init:
            (named if each.kw_only else given).append(parameter)
            # What sets a slot is twice as quick when it does not look for the slot by its name.
            known[f"fill_{name}"] = getattr(cls, name).__set__
            body.append(f"fill_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*given, *named] if named[1:] else given)
    return f"def __init__({parameters}): {'; '.join(body)}", known


def _eq(cls: Any) -> tuple[str, dict[str, Any]]:
    names = [each.name for each in fields(cls) if each.compare]
    is_equal = f"{_values('self', names)} == {_values('other', names)}"
    is_like = "other.__class__ is self.__class__"
    return f"def __eq__(self, other): return {is_equal} if {is_like} else NotImplemented", {}


def _hash(cls: Any) -> tuple[str, dict[str, Any]]:
    hashed = [each for each in fields(cls) if (each.compare if each.hash is None else each.hash)]
    values = _values("self", [each.name for each in hashed])
    return f"def __hash__(self): return hash({values})", {}


def _replace(cls: Any) -> tuple[str, dict[str, Any]]:
    given = sorted((each for each in fields(cls) if each.init), key=lambda each: bool(each.kw_only))
    named = ["*", *(f"{each.name}=KEPT" for each in given)] if given else []
    values = (
        f"{f'{each.name}=' if each.kw_only else ''}"
        f"self.{each.name} if {each.name} is KEPT else {each.name}"
        for each in given
    )
    made = f"self.__class__({', '.join(values)})"
    return f"def __replace__({', '.join(['self', *named])}): return {made}", {"KEPT": object()}


def _values(instance: str, names: Iterable[str]) -> str:
    """Return the text of a tuple with the values of some fields."""
    return f"({''.join(f'{instance}.{name},' for name in names)})"


def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _set(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(cls: Any) -> tuple[str, dict[str, Any]]:
    """Write what returns the values of the fields, which make a copy or go to another process."""
    names = [each.name for each in fields(cls)]
    return f"def __getstate__(self): return {_values('self', names)}", {}


def _set_state(cls: Any) -> tuple[str, dict[str, Any]]:
    known = {f"fill_{each.name}": getattr(cls, each.name).__set__ for each in fields(cls)}
    body = "; ".join(f"{fill}(self, state[{nth}])" for nth, fill in enumerate(known))
    return f"def __setstate__(self, state): {body or 'pass'}", known


_WRITTEN: dict[str, _Writer] = {
    "__init__": _init,
    "__eq__": _eq,
    "__hash__": _hash,
    "__getstate__": _state,
    "__setstate__": _set_state,
    "__replace__": _replace,
}
_SHARED: dict[str, Callable[..., Any]] = {
    "__repr__": _repr,
    "__setattr__": _set,
    "__delattr__": _delete,
}

"""How much work a call is, counted in steps of the program and not in time."""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from pbm_oust.accounts import password

_HASHES = password.Derivation.derive.__code__


@dataclass
class Work:
    """What a call has done."""

    steps: int = 0
    """How many functions were called, in Python or in C."""
    scrypts: int = 0
    """How many passwords were hashed."""


def work_of(call: Callable[[], object]) -> Work:
    """Return how much work a call is; what it raises goes on to the caller."""
    work = Work()

    def count(frame: FrameType, event: str, _called: object) -> None:
        if event in ("call", "c_call"):
            work.steps += 1
            work.scrypts += event == "call" and frame.f_code is _HASHES

    _run_profiled(call, count)
    return work


def calls_of(call: Callable[[], object]) -> Counter[tuple[str, str]]:
    """Return how often a call calls each function: by the names of file and function."""
    counted: Counter[tuple[str, str]] = Counter()

    def count(frame: FrameType, event: str, _called: object) -> None:
        if event == "call":
            path = Path(frame.f_code.co_filename)
            counted["/".join(path.parts[-2:]), frame.f_code.co_name] += 1

    _run_profiled(call, count)
    return counted


def _run_profiled(
    call: Callable[[], object], note: Callable[[FrameType, str, object], None]
) -> None:
    """Call something, and `note` each call in it."""
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)

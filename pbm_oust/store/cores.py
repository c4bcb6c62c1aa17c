"""Work on many histories, shared out to processes of our own: one for each core."""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pbm_oust.store.circles import look_less_for_circles

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
P = TypeVar("P")
R = TypeVar("R")

FEW = 500
"""So many histories are gone through before another process would have begun."""
TOGETHER = 100
"""How many of them are handed to a process at a time."""
_AHEAD = 2
"""How many of these portions wait for each process."""


def on_all_cores(
    work: Callable[[T, Sequence[P]], R],
    things: Sequence[P],
    here: T,
    prepare: Callable[[], T],
    *,
    few: int = 0,
    together: int = 0,
) -> Iterator[R]:
    """Yield what work returns for portions of some things, in their order.

    It is done with what `prepare` returns in each process that helps; with `here` in this one,
    which does it all if there are fewer than `few`. A portion has so many `together`. Where
    nothing else is said, these are the usual numbers.
    """
    few, together = few or FEW, together or TOGETHER
    portions = [things[first : first + together] for first in range(0, len(things), together)]
    cores = len(os.sched_getaffinity(0))
    if len(things) >= few:
        look_less_for_circles()
    if len(things) < few or cores == 1:
        yield from (work(here, portion) for portion in portions)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(cores, spawned, _prepare, (prepare,)) as helpers:
        begun: deque[Future[R]] = deque()
        for portion in portions:
            begun.append(helpers.submit(_work, work, portion))
            if len(begun) > _AHEAD * cores:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()


_prepared: list[Any] = []
"""What the work is done with, in a process that helps."""


def _prepare(prepare: Callable[[], object]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that is helped ends by it
    _prepared.append(prepare())
    look_less_for_circles()


def _work(work: Callable[[Any, Sequence[P]], R], things: Sequence[P]) -> R:
    return work(_prepared[0], things)

"""Processes beside the server."""

import asyncio
import itertools
from contextlib import suppress
from pathlib import Path

import pytest

from pbm_oust.cli.beside import run_beside
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.tallies import Tallies

ROUNDS, TURNS = 10, 8
"""How often the turns of the loop are gone through, and how many of them at most."""
ENOUGH = 10
"""How many of those who wait are to be cancelled."""


@pytest.mark.slow
def test_a_process_beside_is_given_up_at_whatever_moment_it_ends(tmp_path: Path) -> None:
    """Cancel whoever waits for a process 0, 1, 2.. turns of the loop after that was reaped."""

    async def is_cancelled(turns: int) -> bool:
        before = _children()
        beside = run_beside(["no-such-command"], Configuration(), tmp_path, 5, Tallies.make())
        running = asyncio.create_task(beside)
        while not (started := _children() - before):
            await asyncio.sleep(0)
        while started & _children():
            await asyncio.sleep(0)
        for _ in range(turns):
            await asyncio.sleep(0)
        if running.done():
            return False
        running.cancel()
        await asyncio.wait([running])
        assert running.cancelled(), f"it went on after {turns} turns"
        return True

    # On a busy machine some have ended before they are cancelled.
    cancelled = (asyncio.run(is_cancelled(turns)) for _ in range(ROUNDS) for turns in range(TURNS))
    assert sum(itertools.islice(filter(None, cancelled), ENOUGH)) == ENOUGH


def _children() -> set[int]:
    found = set[int]()
    for path in Path("/proc/self/task").glob("*/children"):
        with suppress(FileNotFoundError):  # the thread has ended
            found.update(map(int, path.read_text().split()))
    return found

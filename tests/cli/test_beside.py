"""Processes beside the server."""

import asyncio
import itertools
from pathlib import Path

import pytest

from pbm_oust.cli.beside import run_beside
from pbm_oust.store.configuration import Configuration


@pytest.mark.slow
def test_a_process_beside_is_given_up_at_whatever_moment_it_ends(tmp_path: Path) -> None:
    """Cancel whoever waits for a process 0, 1, 2.. turns of the loop after that was reaped."""

    async def is_cancelled(turns: int) -> bool:
        before = _children()
        running = asyncio.create_task(run_beside(["no-such-command"], Configuration(), tmp_path, 5))
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

    cancelled = itertools.takewhile(bool, (asyncio.run(is_cancelled(n)) for n in range(40)))
    assert len(list(cancelled)) in range(2, 40)


def _children() -> set[int]:
    found = Path("/proc/self/task").glob("*/children")
    return {int(each) for path in found for each in path.read_text().split()}

"""Programs that end with the test that needs them, also when the test is killed."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.waiting import PATIENCE

_LEASH = Path(__file__).with_name("leash.py")


@contextmanager
def leashed(
    command: Sequence[str | Path], environment: Mapping[str, str], printed: Path
) -> Iterator[None]:
    """Run a program for the body of the `with`; what it writes goes into a file."""
    with printed.open("wb") as output:
        leash = subprocess.Popen(
            [sys.executable, _LEASH, *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=dict(environment),
        )
    try:
        yield
    finally:
        assert leash.stdin is not None
        leash.stdin.close()
        leash.wait(timeout=PATIENCE)

"""A short run of each target; `scripts/fuzz` runs them for as long as you like."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]
RUNS = 3000
MOST_SECONDS = 20


@pytest.mark.skipif(sys.version_info >= (3, 15), reason="there is no atheris for this Python")
@pytest.mark.parametrize("target", TARGETS)
def test_no_promise_is_broken_in_a_short_run(target: str, tmp_path: Path) -> None:
    bounds = (f"-runs={RUNS}", f"-max_total_time={MOST_SECONDS}", f"-artifact_prefix={tmp_path}/")
    run = subprocess.run(
        [sys.executable, ROOT / "scripts/fuzz", target, *bounds], capture_output=True, text=True
    )
    found = [path.read_bytes() for path in tmp_path.iterdir()]
    assert run.returncode == 0, f"{found}\n{run.stderr[-3000:]}"

"""Trio (`tests/support/trio`) passes all of this, and nothing elsewhere knows of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pbm_oust.rules import KINDS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PLUGIN = "tests.support.trio.plugin"


@pytest.mark.slow
def test_a_game_that_lives_elsewhere_passes_every_test_of_a_kind(tmp_path: Path) -> None:
    command = (
        *(sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"),
        *("-p", PLUGIN, "-k", "trio", "--basetemp", str(tmp_path / "own")),
        *("--ignore", __file__, str(HERE)),
    )
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    counted = re.search(r"^(\d+) passed, (\d+) deselected in ", ran.stdout, re.MULTILINE)
    assert counted, ran.stdout
    assert int(counted[2]) == int(counted[1]) * len(KINDS)

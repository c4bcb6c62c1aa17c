"""What only some users install is missed by none of the commands that can do without it."""

import subprocess
import sys
from pathlib import Path

from tests.support import tables
from tests.support.home_by_mail import ALICE, BOB, home_of

tabled = tables.tabled(__file__)

EXTRAS = (
    *("dns", "icalendar", "prometheus_client", "psycopg"),
    *("resvg_py", "starlette", "uvicorn"),
)
"""The packages of the extras of setup.cfg."""
SCRIPT = f"""
import sys
for name in {EXTRAS}:
    sys.modules[name] = None
from pbm_oust.cli import run
run()
"""


@tabled("words", fast=1)
def test_a_command_needs_no_extra(words: str, tmp_path: Path) -> None:
    home_of(tmp_path, ALICE, BOB, mails=[(ALICE, "oust challenge alice bob wonderland")])
    given = [str(tmp_path.with_name("copy")) if word == "COPY" else word for word in words.split()]
    command = [sys.executable, "-c", SCRIPT, "--home", str(tmp_path), *given]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1), done.stderr

"""The program as an installation leaves it, with all compiled beforehand."""

import subprocess
import sys
from compileall import compile_dir
from pathlib import Path

ROOT = Path(__file__).parents[2]


def as_installed() -> None:
    """Compile what an installation compiles, though an environment keeps Python from it."""
    subprocess.run([sys.executable, ROOT / "scripts" / "catalogues.py"], check=True)
    for folder in ("pbm_oust", "templates"):
        compile_dir(ROOT / folder, quiet=1)

"""The command line of the program, within the process of the test."""

import subprocess
from pathlib import Path

from click.testing import CliRunner, Result

from pbm_oust.cli import main
from pbm_oust.store.home import Home
from tests.support.server import PROGRAM
from tests.support.waiting import PATIENCE


def run(home: Home | Path, *words: str, stdin: str | bytes = "") -> Result:
    """Run a command on a home, and return what it printed and how it ended."""
    path = home.path if isinstance(home, Home) else home
    return CliRunner().invoke(main, ["--home", str(path), *words], input=stdin)


def done(home: Home | Path, *words: str, stdin: str | bytes = "") -> str:
    """Return what a command prints on a home that ends well."""
    result = run(home, *words, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.output


def play_house(home: Home) -> None:
    """Let the house play on all boards that wait for it.

    It does so in a process of its own, which leaves the processor to others from then on.
    """
    subprocess.run([PROGRAM, "--home", str(home.path), "house"], check=True, timeout=PATIENCE)

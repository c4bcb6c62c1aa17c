"""The command line of the program, within the process of the test."""

from pathlib import Path

from click.testing import CliRunner, Result

from pbm_oust.cli import main
from pbm_oust.store.home import Home


def run(home: Home | Path, *words: str, stdin: str | bytes = "") -> Result:
    """Run a command on a home, and return what it printed and how it ended."""
    path = home.path if isinstance(home, Home) else home
    return CliRunner().invoke(main, ["--home", str(path), *words], input=stdin)


def done(home: Home | Path, *words: str, stdin: str | bytes = "") -> str:
    """Return what a command prints on a home that ends well."""
    result = run(home, *words, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.output

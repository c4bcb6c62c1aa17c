"""The command line: `pbm-oust`."""

from pbm_oust.cli.main import main, run

__all__ = ["main", "run"]

"""The command line as `python -m pbm_oust`."""

from pbm_oust.cli import run

run()

"""The command line: `pbm-oust`."""

import sys

try:
    from pbm_oust.cli.main import main, run
except KeyboardInterrupt:
    sys.stderr.write("Aborted!\n")
    raise SystemExit(130) from None

__all__ = ["main", "run"]

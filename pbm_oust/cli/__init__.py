"""The command line: `pbm-oust`."""

import os
import sys


def _open_streams() -> None:
    """Open the standard streams that are closed on /dev/null, before a file gets their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 - for good
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


_open_streams()
try:
    from pbm_oust.cli.main import main, run
except KeyboardInterrupt:
    sys.stderr.write("Aborted!\n")
    raise SystemExit(130) from None

__all__ = ["main", "run"]

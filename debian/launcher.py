#!/usr/lib/pbm-oust/bin/python3
"""The command line of pbm_oust, on the home of this host unless another one is named."""

import os

from pbm_oust.cli import run

os.environ.setdefault("PBM_OUST_HOME", "/var/lib/pbm_oust")
run()

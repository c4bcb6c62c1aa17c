#!/usr/lib/pbm-oust/bin/python3
"""The command line of pbm_oust, on the home of this host unless another one is named."""

from pbm_oust.cli.main import run, set_home

set_home("/var/lib/pbm_oust")
run()

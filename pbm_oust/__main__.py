"""`python -m pbm_oust`: the command line, as `pbm-oust` is."""

from pbm_oust.cli import run

if __name__ == "__main__":
    run()

"""A play-by-email turn server for Mark Steere's games, in the manner of Gamerz.net's pbmserv."""

from pbm_oust._version import __version__

__all__ = ["__version__"]

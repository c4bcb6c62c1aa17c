"""A play-by-email turn server for Mark Steere's games, in the manner of Gamerz.net's pbmserv."""

__version__ = "0.1.0"

"""A play-by-email turn server for Mark Steere's games, in the manner of Gamerz.net's pbmserv."""

__version__ = "0.3.1.dev0"
"""The version, which stands here alone; `scripts/release` moves it."""

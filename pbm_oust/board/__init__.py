"""One board as a fold over its records. Pure."""

from pbm_oust.board.game import Game, Summary
from pbm_oust.board.header import Header
from pbm_oust.board.record import Deed, Place, Record, Ruling, Verb, Wish

__all__ = ["Deed", "Game", "Header", "Place", "Record", "Ruling", "Summary", "Verb", "Wish"]

"""One board as a fold over its records. Pure."""

from pbm_oust.board.game import Game, Summary, Variation, has_counted, variation_of
from pbm_oust.board.header import Header, Terms
from pbm_oust.board.record import PLAYING, WISHED, Action, Deed, Place, Record, Ruling, Verb, Wish

__all__ = [
    "PLAYING",
    "WISHED",
    "Action",
    "Deed",
    "Game",
    "Header",
    "Place",
    "Record",
    "Ruling",
    "Summary",
    "Terms",
    "Variation",
    "Verb",
    "Wish",
    "has_counted",
    "variation_of",
]

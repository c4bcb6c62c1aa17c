"""Where exported pages lie, and which there are. Pure.

A page is found at its address with `.html`, the front page at `index.html`, and what is a file
already, such as `/oust/17.svg`, as it is. What is asked of a list becomes folders:
`/history?game=oust&page=2` is `history/game-oust/page-2.html`.
"""

import re
from enum import Enum
from functools import lru_cache
from posixpath import basename
from urllib.parse import parse_qsl, quote, unquote

from pbm_oust.rules.kinds import KINDS

FRONT = "index"
_BOARD = re.compile(rf"(/(?:{'|'.join(KINDS)})/[0-9]+)(?:/[0-9]+)?(?:\.[a-z]+)?")
_POSITION = re.compile(rf"(/(?:{'|'.join(KINDS)})/[0-9]+)/[0-9]+(\.[a-z]+)?$")


class Past(Enum):
    """How much there is of the positions that a board has had."""

    NONE = "none"
    SVG = "svg"
    """A page and an SVG of each."""
    PNG = "png"
    """A PNG of each, too, which takes long."""

    def has(self, address: str) -> bool:
        """Return whether there is a file for an address."""
        position = _POSITION.fullmatch(address)
        if position is None:
            return True
        return self is not Past.NONE and (self is Past.PNG or position[2] != ".png")


def is_of_board(address: str) -> bool:
    """Return whether an address is that of a board, in any form and after any record."""
    return bool(_BOARD.fullmatch(address))


def board_in(address: str) -> str:
    """Return the address of a board as it is, given that of a position of it; else the same.

    It has the same ending.
    """
    return _POSITION.sub(r"\1\2", address)


@lru_cache(4096)
def place_of(address: str) -> str:
    """Return the path of the file for an address."""
    path, _, query = address.partition("?")
    asked = [f"{name}-{value}" for name, value in parse_qsl(query)]
    place = "/".join([unquote(path).strip("/") or FRONT, *asked])
    return place if "." in basename(place) else f"{place}.html"


def link_to(place: str, here: str) -> str:
    """Return how the file at one place names that at another."""
    return "../" * here.count("/") + quote(place)

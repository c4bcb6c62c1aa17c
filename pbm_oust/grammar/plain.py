"""Letters that merely look different, made plain in time that grows with their number. Pure."""

import unicodedata
from typing import Literal

import re

APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4`", "'"))
"""Signs that are typed or set in the place of an apostrophe, and the apostrophe."""
_PIECE = re.compile(r"\S{1,100}")


def normal_form(form: Literal["NFKC", "NFD"], text: str) -> str:
    """Return a text in a normal form of Unicode (UAX #15), each word for itself.

    Words of more than 100 characters are taken in pieces: putting a run of marks into order takes
    time that grows with the square of its length.
    """
    if text.isascii():
        return text
    return _PIECE.sub(lambda piece: unicodedata.normalize(form, piece[0]), text)

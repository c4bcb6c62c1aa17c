"""What a player wishes to do on a board, as words: `D4,E5#9`, `pass`."""

import re
from collections.abc import Iterable, Sequence

from pbm_oust.board import notation
from pbm_oust.board.record import WISHED, Deed, Place, Wish
from pbm_oust.grammar.aliases import in_english
from pbm_oust.grammar.values import read_guard
from pbm_oust.grammar.words import find_command_word, fold
from pbm_oust.refusal import Unread, Unreadable

_PLACEMENT = re.compile(r"[a-z][1-9][0-9]?")

_TURNED = re.compile(r"([1-9][0-9]?)([a-z])")

_COLUMN_I = re.compile(r"i[1-9][0-9]?")

WISH_SHOWN = ("PLACEMENTS[#N]", f"{'|'.join(deed.value for deed in WISHED)}[#N]")


def read_wish(words: Sequence[str]) -> tuple[Wish, int | None]:
    """Return what some words ask for and the number behind `#`, if there is one.

    Raises Unreadable.
    """
    wished, hash_sign, number = " ".join(words).partition("#")
    guard = read_guard(f"#{number.strip()}") if hash_sign else None
    parts = [part for part in re.split(r"[\s,;]+", wished) if part]
    if not parts:
        raise Unreadable(Unread.MISSING_WORD, missing=WISH_SHOWN)
    deeds = [deed.value for deed in WISHED]
    # A single letter is rather a placement without its number than a deed.
    if len(parts) == 1 and parts[0].isalpha() and len(parts[0]) > 1:
        return Deed(find_command_word(parts[0], deeds)), guard
    if in_english(parts[0].lower()) in deeds:
        raise Unreadable(Unread.SURPLUS_WORD, parts[1])
    return Place(tuple(map(_read_placement, parts))), guard


def format_wish(wish: Wish, guard: int | None = None) -> str:
    """Return the words of a wish: `D4,E5#9`."""
    words = notation.format_wish(wish)
    return words if guard is None else f"{words}#{guard}"


def _read_placement(word: str) -> str:
    folded = fold(word)
    if _COLUMN_I.fullmatch(folded):
        raise Unreadable(Unread.BAD_PLACEMENT, word, column_i=True)
    if _PLACEMENT.fullmatch(folded):
        return folded.upper()
    turned = _TURNED.fullmatch(folded)
    right = (turned[2] + turned[1]).upper() if turned else None
    raise Unreadable(Unread.BAD_PLACEMENT, word, right=right)


def names_of(deeds: Iterable[Deed]) -> list[str]:
    """Return the words for some deeds."""
    return [deed.value for deed in deeds]

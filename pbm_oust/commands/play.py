"""The command that plays: `oust move 17 alice secret D4,E5#9`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbm_oust import notation
from pbm_oust.commands.grammar import Form, Rest
from pbm_oust.commands.values import BOARD, PASSWORD, USERID, read_guard
from pbm_oust.commands.words import find_word, fold
from pbm_oust.record import WISHED, Deed, Place, Wish
from pbm_oust.refusal import Unread, Unreadable
from pbm_oust.replying import Credential
from pbm_oust.rules.position import Kind

_PLACEMENT = re.compile(r"[a-z][1-9][0-9]?")
_TURNED = re.compile(r"([1-9][0-9]?)([a-z])")
_COLUMN_I = re.compile(r"i[1-9][0-9]?")


@dataclass(frozen=True, slots=True)
class Move:
    """Place stones, pass, swap or resign; only as record number `guard`, where that is given."""

    kind: Kind
    board: int
    userid: str
    password: Credential
    wish: Wish
    guard: int | None


@dataclass(frozen=True, slots=True)
class Preview:
    """Draw a board as it would be after these placements; nothing changes."""

    kind: Kind
    board: int
    wish: Wish
    guard: int | None


def read_wish(words: Sequence[str]) -> tuple[Wish, int | None]:
    """Return what some words ask for and the number behind `#`, if there is one.

    Raises Unreadable.
    """
    wished, hash_sign, number = " ".join(words).partition("#")
    guard = read_guard(f"#{number.strip()}") if hash_sign else None
    parts = [part for part in re.split(r"[\s,;]+", wished) if part]
    if not parts:
        raise Unreadable(Unread.MISSING_WORD, missing=" or ".join(_WISH_SHOWN))
    deeds = [deed.value for deed in WISHED]
    # A single letter is rather a placement without its number than a deed.
    if len(parts) == 1 and parts[0].isalpha() and len(parts[0]) > 1:
        return Deed(find_word(parts[0], deeds)), guard
    if parts[0].lower() in deeds:
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


def _move(
    kind: Kind, board: int, userid: str, password: Credential, wish: tuple[Wish, int | None]
) -> Move:
    return Move(kind, board, userid, password, *wish)


def _preview(kind: Kind, board: int, wish: tuple[Wish, int | None]) -> Preview:
    return Preview(kind, board, *wish)


def _read_placements(words: Sequence[str]) -> tuple[Wish, int | None]:
    wish, guard = read_wish(words)
    if isinstance(wish, Deed):
        raise Unreadable(Unread.BAD_PLACEMENT, words[0], right=None)
    return wish, guard


_WISH_SHOWN = ("PLACEMENTS[#N]", f"{'|'.join(deed.value for deed in WISHED)}[#N]")


def _form_of(deed: Deed) -> Form:
    """Return the short form of a deed: `oust resign 17 alice secret`."""

    def build(kind: Kind, board: int, userid: str, password: Credential) -> Move:
        return Move(kind, board, userid, password, deed, None)

    return Form(deed.value, build, (BOARD, USERID, PASSWORD))


FORMS = (
    Form("move", _move, (BOARD, USERID, PASSWORD), Rest(_WISH_SHOWN, read_wish)),
    Form("preview", _preview, (BOARD,), Rest(_WISH_SHOWN[:1], _read_placements)),
    _form_of(Deed.RESIGN),
    _form_of(Deed.DECLINE),
)

"""Which words of a line may be shown to whom: to those who proved who they are, and others. Pure.

The address of somebody who has proved nothing may be forged. So what goes there holds no sentence
of whoever wrote the mail: only words of ours, figures, userids that everybody may know, and at most
one other word.
"""

import re
from collections.abc import Callable, Collection, Iterable

from pbm_oust.grammar.words import fold, is_harmless, is_of
import re

MayShow = Callable[[str], bool]
"""Returns whether a word may be shown."""

_FIGURES = re.compile(
    r"#?\d{1,9}(#\d{1,9})?"  # the number of a board, of a record, or both
    r"|[a-z]\d{1,2}([,;][a-z]\d{1,2})*(#\d{1,9})?"  # placements
    r"|\d{4}-\d{1,2}-\d{1,2}",  # a day
    re.ASCII,
)
_PLAIN_WORD = re.compile(r"-{0,2}[A-Za-z]{1,16}(=\d{1,4}([x,]\d{1,2})?)?|\d{1,2}[A-Za-z]", re.ASCII)
UNNAMED = "..."
"""Stands for a name that is not shown."""


def to_player(
    vocabulary: Collection[str], is_userid: MayShow, *, may_be_secret: bool = True
) -> MayShow:
    """Return what may be shown to a player: what cannot be a password.

    `may_be_secret`: whether there may be a password among the words.
    """
    if not may_be_secret:
        return lambda word: True
    return lambda word: is_harmless(word) or is_of(vocabulary, word) or is_userid(word)


def to_stranger(
    vocabulary: Collection[str],
    is_userid: MayShow,
    words: Iterable[str] = (),
    *,
    may_be_secret: bool = True,
) -> MayShow:
    """Return what may be shown to a stranger; the first of `words` that is fit is one of that.

    `may_be_secret`: whether there may be a password among them.
    """

    def is_known(word: str) -> bool:
        is_figure = bool(_FIGURES.fullmatch(fold(word)))
        return is_figure or is_of(vocabulary, word) or is_userid(word)

    others = (word for word in words if is_plain(word) and (is_harmless(word) or not may_be_secret))
    other = next((word for word in others if not is_known(word)), None)
    return lambda word: word == other or is_known(word)


def is_plain(word: str) -> bool:
    """Return whether a word is short and has only plain letters, or is an option or a cell."""
    return bool(_PLAIN_WORD.fullmatch(word))


def names_shown(names: Collection[str], is_public: MayShow) -> tuple[str, ...]:
    """Return names as strangers may see them: of those that are not public, one at most."""
    unknown = [name for name in names if not is_public(name)]
    kept = unknown[0] if unknown and is_plain(unknown[0]) else None
    shown = (name if name == kept or is_public(name) else UNNAMED for name in names)
    return tuple(dict.fromkeys(shown))

"""Words of command lines in another language, as players of that language write them. Pure."""

import re
from collections.abc import Collection, Mapping
from functools import cache
from types import MappingProxyType

from pbm_oust.languages import Language

_PLACE = re.compile(r"\b[A-Z]{4,}[12]?\b")
_WORD = re.compile(r"[a-z]+")


@cache
def words_of(language: Language) -> Mapping[str, str]:
    """Return a language's translations of the words of commands, by these words."""
    chosen: dict[str, str] = {}
    for alias, english in [*language.commands.items(), *language.words.items()]:
        chosen.setdefault(english, alias)
    return MappingProxyType(chosen)


def word_in(word: str, language: Language) -> str:
    """Return a part of a usage line in the words of a language.

    Examples are `pass`, `PLACEMENTS[#N]` and `pass|swap`.
    """
    return place_in(said_in(word, language, words_of(language)), language)


def said_in(word: str, language: Language, known: Collection[str]) -> str:
    """Return a part of a line in a language: known words such as `if` and `pass` are translated.

    All others are a player's own, and stay as they are.
    """
    chosen = words_of(language)
    if word in known and word in chosen:
        return chosen[word]
    return _WORD.sub(
        lambda found: chosen.get(found[0], found[0]) if found[0] in known else found[0], word
    )


def place_in(name: str, language: Language) -> str:
    """Return the name of a place in a line, such as PLACEMENTS[#N], in a language."""
    return _PLACE.sub(lambda found: language.placeholders.get(found[0], found[0]), name)

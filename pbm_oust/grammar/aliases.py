"""Words of other languages that stand for words of commands. Pure."""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from pbm_oust.grammar.plain import normal_form
from pbm_oust.languages import LANGUAGES, Language

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        alias: english
        for language in LANGUAGES.values()
        for alias, english in {**language.words, **language.commands}.items()
    }
)
"""English words of commands, by their translations in all languages."""


@lru_cache(1000)
def without_accents(word: str) -> str:
    """Return a word with plain letters in place of accented ones."""
    parts = normal_form("NFD", word)
    return "".join(part for part in parts if not unicodedata.combining(part))


def in_english(word: str) -> str:
    """Return the English word that a word of another language stands for, or else the word.

    A word that has an accent is not English, but may be the same without it: décline.
    """
    folded = without_accents(word.lower())
    return ALIASES.get(folded, word if word.isascii() else folded)


def language_of(words: Iterable[str]) -> Language | None:
    """Return the language of the first word that is a translation, if any."""
    for word in words:
        folded = without_accents(word.lower())
        for language in LANGUAGES.values():
            if folded in language.commands:
                return language
    return None

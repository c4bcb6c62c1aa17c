"""Words of other languages that stand for words of commands. Pure."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from pbm_oust.grammar.plain import normal_form
from pbm_oust.languages import LANGUAGES, Language, Section

Aliases = Mapping[str, tuple[str, ...]]
"""English words by their translations in all languages: all that one may stand for."""


def _of(*sections: Section) -> Aliases:
    found: dict[str, tuple[str, ...]] = {}
    for section in sections:
        for language in LANGUAGES.values():
            for alias, english in language.words[section].items():
                found[alias] = tuple(dict.fromkeys((*found.get(alias, ()), english)))
    return MappingProxyType(found)


ALIASES = _of(Section.COMMANDS, Section.WORDS, Section.SETTINGS)
"""The translations of words; what one stands for as a command comes first."""

OPTION_ALIASES = _of(Section.OPTIONS)
"""The translations of the names of options."""


def aliases_of(known: Collection[str], aliases: Aliases = ALIASES) -> Mapping[str, str]:
    """Return what the translations of some words stand for among these."""
    return {
        alias: english for alias, meant in aliases.items() for english in meant if english in known
    }


@lru_cache(1000)
def without_accents(word: str) -> str:
    """Return a word with plain letters in place of accented ones."""
    parts = normal_form("NFD", word)
    return "".join(part for part in parts if not unicodedata.combining(part))


def in_english(word: str, among: Collection[str] | None = None) -> str:
    """Return the English word that a word of another language stands for, or else the word.

    If it may stand for several, it is one of those that are possible, or else that of a command.
    A word that has an accent is not English, but may be the same without it: décline.
    """
    folded = without_accents(word.lower())
    meant = ALIASES.get(folded)
    if not meant:
        return word if word.isascii() else folded
    return next((each for each in meant if among is None or each in among), meant[0])


def language_of(words: Iterable[str]) -> Language | None:
    """Return the language of the first word that is a translation, if any."""
    for word in words:
        folded = without_accents(word.lower())
        for language in LANGUAGES.values():
            if folded in language.words[Section.COMMANDS]:
                return language
    return None

"""Words of command lines in another language, as players of that language write them. Pure."""

from collections.abc import Collection, Mapping
from functools import cache
from types import MappingProxyType

from pbm_oust.languages import Language, Section
import re

_PLACE = re.compile(r"\b[A-Z]{4,}[12]?\b")
_WORD = re.compile(r"[a-z]+")
_OPTION = re.compile(r"(?<![\w-])(--?)([a-z]+)")


@cache
def words_of(language: Language, section: Section = Section.COMMANDS) -> Mapping[str, str]:
    """Return a language's translations of words, by these words.

    Those of the section come first; all but options may stand in each other's places.
    """
    alone = section is Section.OPTIONS
    others = () if alone else (Section.COMMANDS, Section.WORDS, Section.SETTINGS)
    chosen: dict[str, str] = {}
    for each in (section, *others):
        for alias, english in language.words[each].items():
            chosen.setdefault(english, alias)
    return MappingProxyType(chosen)


def word_in(word: str, language: Language, section: Section = Section.COMMANDS) -> str:
    """Return a part of a usage line in the words of a language.

    Examples are `pass`, `PLACEMENTS[#N]` and `pass|swap`.
    """
    known = words_of(language, section)
    return place_in(said_in(word, language, known, section), language)


def said_in(
    word: str, language: Language, known: Collection[str], section: Section = Section.WORDS
) -> str:
    """Return a part of a line in a language: known words such as `if` and `pass` are translated.

    All others are a player's own, and stay as they are.
    """
    chosen = words_of(language, section)
    if word in known and word in chosen:
        return chosen[word]
    return _WORD.sub(
        lambda found: chosen.get(found[0], found[0]) if found[0] in known else found[0], word
    )


def option_in(text: str, language: Language) -> str:
    """Return options in the words of a language: `-size=13`, `[-hex|-hex=7]`."""
    chosen = words_of(language, Section.OPTIONS)
    return _OPTION.sub(lambda found: found[1] + chosen.get(found[2], found[2]), text)


def place_in(name: str, language: Language) -> str:
    """Return the name of a place in a line, such as PLACEMENTS[#N], in a language."""
    return _PLACE.sub(lambda found: language.placeholders.get(found[0], found[0]), name)

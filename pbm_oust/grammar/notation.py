"""Notation of commands: headings, blanks, and translated words."""

import re
from collections.abc import Collection, Mapping
from enum import Enum
from functools import cache
from types import MappingProxyType

from msgspec import Struct

from pbm_oust.languages import Language, WordList
from pbm_oust.rules import Kind


class Heading(Enum):
    """A heading in the help's overview of commands; the template has the words."""

    STARTING = "starting"
    PLAYING = "playing"
    LOOKING = "looking"
    TALKING = "talking"
    TOURNAMENTS = "tournaments"
    ACCOUNT = "account"
    SETTINGS = "settings"
    GENERAL = "general"


class Text(Enum):
    """The role of a mail's text for its command."""

    BESIDE = "beside"
    """A message to the other player, passed on with the result of the command."""
    CONTENT = "content"
    """The content of the command. In an answer to a letter it may begin after the command."""
    UNSEEN = "unseen"
    """Read by the server alone, so nothing in it is masked."""


class Blank(Struct, frozen=True):
    """A placeholder for words that the reader has to put in, shown as `name`."""

    name: str


_PLACE = re.compile(r"\b[A-Z]{4,}[12]?\b")
_WORD = re.compile(r"[a-z]+")
_OPTION = re.compile(r"(?<![\w-])(--?)([a-z]+)")


@cache
def words_of(language: Language, among: WordList = WordList.COMMANDS) -> Mapping[str, str]:
    """Return the translations of words into a language, by the English word.

    Those of the given list come first. All lists but the options' stand in for each other.
    """
    alone = among is WordList.OPTIONS
    others = () if alone else (WordList.COMMANDS, WordList.WORDS, WordList.SETTINGS)
    chosen: dict[str, str] = {}
    for each in (among, *others):
        for alias, english in language.words[each].items():
            chosen.setdefault(english, alias)
    return MappingProxyType(chosen)


def word_in(word: str, language: Language, among: WordList = WordList.COMMANDS) -> str:
    """Return a part of a usage line in a language.

    Examples are `pass`, `PLACEMENTS[#N]` and `pass|swap`.
    """
    known = words_of(language, among)
    return place_in(said_in(word, language, known, among), language)


def said_in(
    word: str, language: Language, known: Collection[str], among: WordList = WordList.WORDS
) -> str:
    """Return a part of a line in a language, with known words such as `if` and `pass` translated.

    All other words are a player's own, and stay as they are.
    """
    chosen = words_of(language, among)
    if word in known and word in chosen:
        return chosen[word]
    return _WORD.sub(
        lambda found: chosen.get(found[0], found[0]) if found[0] in known else found[0], word
    )


def option_in(text: str, language: Language) -> str:
    """Return options in the words of a language: `-size=13`, `[-hex|-hex=7]`."""
    chosen = words_of(language, WordList.OPTIONS)
    return _OPTION.sub(lambda found: found[1] + chosen.get(found[2], found[2]), text)


def place_in(name: str, language: Language) -> str:
    """Return the name of a place in a line, such as PLACEMENTS[#N], in a language."""
    return _PLACE.sub(lambda found: language.placeholders.get(found[0], found[0]), name)


KIND = "kind"
"""The field of a command that holds its game."""
OF_LETTER = ("BOARD", "USERID", "PASSWORD")
"""Places that an answer to a letter about a board can leave out, in the order of the forms."""


Known = tuple[Kind, int, str]
"""The values that an answer inherits from its letter: game, board, and its reader's userid."""

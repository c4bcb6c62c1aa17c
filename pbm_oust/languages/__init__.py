"""The languages of our letters, one folder for each.

`language.toml` has the names of the language, the words for commands and the like. The messages are
in `LC_MESSAGES/pbm_oust.po`, from which the build makes a catalogue; the English ones are in the
templates. Languages are found by their folders, and listed nowhere.
"""

import os
import tomllib
from collections.abc import Mapping
from enum import Enum
from typing import Any

from msgspec import Struct

DOMAIN = "pbm_oust"
"""The name of catalogues."""


class WordList(Enum):
    """A list of words with one sort of place in command lines.

    A translated word may have another meaning in another list.
    """

    COMMANDS = "commands"
    """The names of commands and of deeds on a board."""
    OPTIONS = "options"
    """The names of options."""
    SETTINGS = "settings"
    """The names of settings."""
    WORDS = "words"
    """All others: the values of settings, `all`, `really`."""


class Language(Struct, frozen=True, eq=False):
    """A language of letters."""

    code: str
    """Its code in ISO 639: fr."""
    names: tuple[str, ...]
    """Its names in settings, besides its code."""
    yes: tuple[str, ...]
    """Words that agree to a letter's question, in small letters; letters use the first."""
    no: tuple[str, ...]
    """Words that answer it with no."""
    words: Mapping[WordList, Mapping[str, str]]
    """English words by their translations, without accents; letters use the first translation."""
    placeholders: Mapping[str, str]
    """The names of places in command lines, by the English names, such as PASSWORD."""
    ordinals: Mapping[str, str]
    """The endings of ordinal numbers, by their forms in CLDR."""
    first_day: str
    """The first day of a month in writing."""
    pointer: str
    """A sentence to readers of this language in the help of others; may be empty."""

    def __str__(self) -> str:
        """Return the code."""
        return self.code


def _read(code: str, text: str) -> Language:
    facts: dict[str, Any] = tomllib.loads(text)
    return Language(
        code,
        tuple(facts["names"]),
        tuple(facts["yes"]),
        tuple(facts.get("no", ())),
        {each: facts.get(each.value, {}) for each in WordList},
        facts.get("placeholders", {}),
        facts["ordinals"],
        facts.get("first_day", "1"),
        facts.get("pointer", ""),
    )


def _found() -> dict[str, Language]:
    found = {}
    for code in sorted(os.listdir(__path__[0])):
        described = os.path.join(__path__[0], code, "language.toml")
        if os.path.isfile(described):
            with open(described, encoding="utf-8") as file:
                found[code] = _read(code, file.read())
    return found


LANGUAGES: Mapping[str, Language] = _found()
"""All languages by their codes."""
ENGLISH = LANGUAGES["en"]


def language_named(word: str) -> Language:
    """Return the language with this code or name, in lower case. Raises ValueError."""
    for language in LANGUAGES.values():
        if word in (language.code, *language.names):
            return language
    raise ValueError(f"{word!r} is no language of {', '.join(LANGUAGES)}")

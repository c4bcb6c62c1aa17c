"""The languages of letters: a folder each, which holds everything of it.

`language.toml` has what is no message: names of the language, words for commands. The messages are
in `LC_MESSAGES/pbm_oust.po`, from which the build makes a catalogue; English is what the templates
say. Languages are found by looking, and listed nowhere.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

DOMAIN = "pbm_oust"
"""How catalogues are named."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """A language of letters."""

    code: str
    """As ISO 639 has it: fr."""
    names: tuple[str, ...]
    """How players may call it in settings, besides by its code."""
    commands: Mapping[str, str]
    """Words without accents that stand for words of commands, the one that letters show first."""
    words: Mapping[str, str]
    """The same for words that stand behind those: settings and their values, `all`, `really`."""
    placeholders: Mapping[str, str]
    """What stands in command lines for the names of places, such as PASSWORD."""
    ordinals: Mapping[str, str]
    """The endings of ordinal numbers, by the forms that CLDR has for the language."""
    first_day: str
    """How the first day of a month is written."""
    invitation: str
    """What the help in other languages says to its readers; empty for nothing."""

    def __str__(self) -> str:
        """Return the code."""
        return self.code


def _read(code: str, text: str) -> Language:
    facts: dict[str, Any] = tomllib.loads(text)
    return Language(
        code,
        tuple(facts["names"]),
        facts.get("commands", {}),
        facts.get("words", {}),
        facts.get("placeholders", {}),
        facts["ordinals"],
        facts.get("first_day", "1"),
        facts.get("invitation", ""),
    )


def _found() -> dict[str, Language]:
    folders = sorted(files(__name__).iterdir(), key=lambda each: each.name)
    described = {each.name: each / "language.toml" for each in folders if each.is_dir()}
    texts = {code: file.read_text("utf-8") for code, file in described.items() if file.is_file()}
    return {code: _read(code, text) for code, text in texts.items()}


LANGUAGES: Mapping[str, Language] = _found()
"""By their codes."""
ENGLISH = LANGUAGES["en"]


def language_named(word: str) -> Language:
    """Return the language that a word in lower case names, by code or name. Raises ValueError."""
    for language in LANGUAGES.values():
        if word in (language.code, *language.names):
            return language
    raise ValueError(f"{word!r} is no language of {', '.join(LANGUAGES)}")

"""The messages that templates and code have, and those of the languages."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po

from pbm_oust.languages import DOMAIN, ENGLISH, LANGUAGES, Language

ROOT = Path(__file__).parents[2]
OTHERS = [language for language in LANGUAGES.values() if language is not ENGLISH]

_MACRO = re.compile(r"\{% macro (\w+)")

Key = str | tuple[str, ...]
"""A message as catalogues name it: in English, in all its forms if it has several."""


@dataclass(frozen=True)
class Place:
    """Where a message is."""

    is_subject: bool
    """Whether it is in the Subject of a letter."""
    key: Key


@cache
def places() -> tuple[Place, ...]:
    """Return all messages of templates and code with their places, as `scripts/translate` does."""
    mappings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["babel"]["mappings"]
    methods = [(pattern, each["method"]) for each in mappings for pattern in _patterns(each)]
    options = {pattern: each for each in mappings for pattern in _patterns(each)}
    keywords = {**DEFAULT_KEYWORDS, "to_translate": None}
    found = extract_from_dir(str(ROOT), methods, options, keywords)
    return tuple(
        Place(_is_subject((ROOT / path).read_text().splitlines()[:number]), key)
        for path, number, key, _, _ in found
    )


def _patterns(mapping: dict[str, Any]) -> list[str]:
    pattern = mapping["pattern"]
    return [pattern] if isinstance(pattern, str) else pattern


def subjects() -> set[Key]:
    """Return the messages in Subjects."""
    return {place.key for place in places() if place.is_subject}


def _is_subject(lines: list[str]) -> bool:
    """Return whether the last of some lines is a Subject, or in a macro that says one."""
    macros = [found[1] for line in lines if (found := _MACRO.match(line))]
    return lines[-1].startswith("Subject:") or macros[-1:] in (["subject"], ["subject_of_end"])


@cache
def catalogue(language: Language) -> Catalog:
    """Return the messages of a language from its folder."""
    path = ROOT / "pbm_oust/languages" / language.code / "LC_MESSAGES" / f"{DOMAIN}.po"
    with path.open("rb") as file:
        return read_po(file, locale=language.code)


def messages(language: Language) -> Iterator[Message]:
    """Yield the messages of a language, without the head of its catalogue."""
    return (message for message in catalogue(language) if message.id)


def forms(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return a message or a translation in all its forms; none if it is not translated."""
    return (text,) if isinstance(text, str) else tuple(text or ())

"""The language that a mail asks for in its headers. Pure."""

import re
from collections.abc import Mapping
from functools import lru_cache

from pbm_oust.languages import ENGLISH, LANGUAGES, Language
import re

_RANGE = re.compile(
    r"([a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:\s*;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?))?", re.IGNORECASE
)


def language_asked(headers: Mapping[str, list[str]]) -> Language:
    """Return the language that a mail asks for, or is in; English if it names none of ours.

    Accept-Language (RFC 3282) says what its sender likes to read. It takes precedence over
    Content-Language, which says what they write.
    """
    for name in ("accept-language", "content-language"):
        if (said := ",".join(headers[name])) and (found := _ours_among(said)):
            return found
    return ENGLISH


@lru_cache(100)
def _ours_among(said: str) -> Language | None:
    """Return the preferred one of the languages in a header that we have."""
    from babel.core import negotiate_locale

    found = negotiate_locale(_by_preference(said), list(LANGUAGES), sep="-")
    return LANGUAGES[found] if found else None


def _by_preference(value: str) -> list[str]:
    """Return the language tags of a header, the preferred one first; anything else is left out."""
    ranges = filter(None, (_RANGE.fullmatch(part.strip()) for part in value.split(",")))
    rated = [(float(found[2] or 1), found[1].lower()) for found in ranges]
    liked = sorted((each for each in rated if each[0]), key=lambda each: -each[0])
    return [tag for _, tag in liked]

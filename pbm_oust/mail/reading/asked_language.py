"""The language that a mail asks for in its headers. Pure."""

import re
from email.message import Message

from pbm_oust.languages import ENGLISH, LANGUAGES, Language
from pbm_oust.mail.reading.headers import raw_headers
from pbm_oust.regex import regex

_RANGE = regex(
    r"([a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:\s*;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?))?", re.IGNORECASE
)


def language_asked(message: Message) -> Language:
    """Return the language that a mail asks for, or is in; English if it names none of ours.

    Accept-Language (RFC 3282) says what its sender likes to read. It takes precedence over
    Content-Language, which says what they write.
    """
    headers = raw_headers(message)
    for name in ("accept-language", "content-language"):
        wanted = _by_preference(",".join(headers[name]))
        if wanted and (found := _ours_among(wanted)):
            return found
    return ENGLISH


def _ours_among(wanted: list[str]) -> Language | None:
    """Return the first language that we have."""
    from babel.core import negotiate_locale

    found = negotiate_locale(wanted, list(LANGUAGES), sep="-")
    return LANGUAGES[found] if found else None


def _by_preference(value: str) -> list[str]:
    """Return the language tags of a header, the preferred one first; anything else is left out."""
    ranges = filter(None, (_RANGE.fullmatch(part.strip()) for part in value.split(",")))
    rated = [(float(found[2] or 1), found[1].lower()) for found in ranges]
    liked = sorted((each for each in rated if each[0]), key=lambda each: -each[0])
    return [tag for _, tag in liked]

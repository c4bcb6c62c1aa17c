"""Which language a page is written in: the first of ours that the browser asks for.

Source: RFC 9110, section 12.5.4.
"""

from functools import lru_cache

from pbm_oust.languages import ENGLISH, LANGUAGES, Language

_LONGEST = 200
"""How many characters of a header are read."""


@lru_cache(64)
def language_of(accepted: str) -> Language:
    """Return the language of ours that a header Accept-Language weighs most; English if none."""
    weighed = [_weighed(part) for part in accepted[:_LONGEST].split(",")]
    known = [(weight, LANGUAGES[code]) for code, weight in weighed if code in LANGUAGES and weight]
    return max(known, key=lambda each: each[0], default=(0.0, ENGLISH))[1]


def _weighed(part: str) -> tuple[str, float]:
    """Return the code of a language, without its region, and its weight from 0 to 1."""
    tag, _, quality = part.partition(";")
    name, _, value = quality.strip().partition("=")
    try:
        weight = float(value) if name.strip() == "q" else 1.0
    except ValueError:
        weight = 0.0
    return tag.strip().lower().partition("-")[0], min(max(weight, 0.0), 1.0)

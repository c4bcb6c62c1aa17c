"""What mail programs, lists and filters put in front of a Subject. Pure."""

import re

from pbm_oust.grammar.plain import normal_form
from pbm_oust.mail.reading.phrases import NO_SUBJECTS, REPLY_PREFIXES, SPAM_TAGS
import re

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_WORDS = "|".join(map(re.escape, sorted(REPLY_PREFIXES, key=len, reverse=True)))
_TAGS = "|".join(map(re.escape, SPAM_TAGS))
_NONE = frozenset(NO_SUBJECTS)
_PREFIX = re.compile(
    r"\s*(?:"
    rf"(?:{_WORDS})\s*(?:\[\d+\]|\*\d+|\(\d+\)|\^\d+|\d+)?\s*:"
    r"|\[[^\]]{1,40}\]"
    rf"|\*{{2,5}}\s?(?:{_TAGS})\s?\*{{2,5}}:?"
    rf"|[{{(](?:{_TAGS})[}})]:?"
    r")\s*",
    re.IGNORECASE,
)


def without_prefixes(subject: str) -> str:
    """Return a Subject without reply prefixes, list tags and spam tags in front.

    It is empty where a mail program says that there is none.
    First, letters that merely look different are made plain, and invisible marks are dropped.
    """
    if not subject.isascii():
        subject = _INVISIBLE.sub("", normal_form("NFKC", subject))
    start = 0
    while match := _PREFIX.match(subject, start):
        start = match.end()
    rest = subject[start:].strip()
    bare = rest.strip("()<>[]\uff08\uff09 .").replace("\u2019", "'").lower()
    return "" if bare in _NONE else rest

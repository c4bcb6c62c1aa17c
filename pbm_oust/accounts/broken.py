"""Secrets in a text, also where something breaks them, encodes them or makes them look different.

Spaces, line ends, quote marks and unseen signs break them. Pure.
"""

import html
import re
import unicodedata

import re
from pbm_oust.render.visible import UNSEEN

_SIGN = re.compile(
    r"%(?:25)*+([0-7][0-9A-F])|((?:%[89A-F][0-9A-F])+)|=(?-i:([0-7][0-9A-F]))|=\r?\n|&#?\w{1,8};|.",
    re.DOTALL | re.IGNORECASE,
)
"""A sign as URLs, quoted-printable or HTML encode it, or as it is."""
_BREAK = re.compile(rf"[\s>|{UNSEEN}]")
_ORDINARY = frozenset(map(chr, range(ord("!"), 127))) - {">", "|"}
"""Signs that stand for themselves."""


def masked(text: str, secret: re.Pattern[str], instead: str, *, is_sure: bool = True) -> str:
    """Return a text with something else in the place of the last group of each match.

    The pattern sees the text without what may break it, and its signs in their plain form. One that
    is not sure may also find plain words; then a group that is broken counts only if it has a
    digit.
    """
    plain = list[tuple[str, re.Match[str]]]()
    for found in _SIGN.finditer(text):
        if found[0] in _ORDINARY:
            plain.append((found[0], found))
        else:
            plain += [(sign, found) for sign in _plain(found)]
    joined = "".join(sign for sign, _ in plain)
    shown, done = [], 0
    for match in secret.finditer(joined):
        begin, end = match.span(match.re.groups)
        first, last = plain[begin][1].start(), plain[end - 1][1].end()
        is_broken = last - first > end - begin
        if is_sure or not is_broken or any(each.isdigit() for each in joined[begin:end]):
            shown += [text[done:first], instead]
            done = last
    return "".join([*shown, text[done:]])


def _plain(found: re.Match[str]) -> str:
    """Return the signs that stand somewhere in a text, without what may break a secret."""
    sign = found[0]
    if code := found[1] or found[3]:
        sign = chr(int(code, 16))
    elif found[2]:
        sign = bytes.fromhex(sign.replace("%", "")).decode("utf-8", "replace")
    elif len(sign) > 1:
        sign = html.unescape(sign) if sign.startswith("&") else ""
    return _BREAK.sub("", sign if sign.isascii() else unicodedata.normalize("NFKC", sign))

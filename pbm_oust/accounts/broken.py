"""Secrets in a text, also where spaces, line ends, quote marks or unseen signs break them. Pure."""

import re
from bisect import bisect_right
from itertools import accumulate

from pbm_oust.regex import regex
from pbm_oust.render.visible import UNSEEN

_WHOLE = regex(rf"[^\s>|{UNSEEN}]+")


def masked(text: str, secret: re.Pattern[str], instead: str, *, is_sure: bool = True) -> str:
    """Return a text with something else in the place of the last group of each match.

    The pattern sees the text without what may break it. One that is not sure may also find plain
    words; then a group that is broken counts only if it has a digit.
    """
    pieces = list(_WHOLE.finditer(text))
    joined = "".join(piece[0] for piece in pieces)
    begins = list(accumulate((len(piece[0]) for piece in pieces), initial=0))

    def place(at: int) -> int:
        """Return where a character of the joined text stands."""
        nth = bisect_right(begins, at) - 1
        return pieces[nth].start() + at - begins[nth]

    shown, done = [], 0
    for match in secret.finditer(joined):
        begin, end = match.span(match.re.groups)
        first, last = place(begin), place(end - 1) + 1
        is_broken = last - first > end - begin
        if is_sure or not is_broken or any(each.isdigit() for each in joined[begin:end]):
            shown += [text[done:first], instead]
            done = last
    return "".join([*shown, text[done:]])

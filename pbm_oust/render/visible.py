r"""Characters that steer a terminal, or that nobody sees, shown as what they are: `\x1b`. Pure.

Such characters are C0, DEL and C1, lone surrogates, separators of lines, what changes the direction
of a text, and signs without a width. Everything that leaves the program for a person goes through
here once, at the very edge: log lines, what the command line prints, and letters.
"""

import re

_STEERING = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069"
_WITHOUT_WIDTH = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164"
    "\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e00ff"
)
_NONCHARACTERS = "".join(
    chr(plane * 0x10000 + last) for plane in range(1, 0x11) for last in (0xFFFE, 0xFFFF)
)
"""The noncharacters beyond the first plane; no text has them (Unicode, section 23.7)."""
_JOINERS = "\u061c\u200c-\u200f"
"""Joiners and marks of Arabic, Hebrew, Persian, Indian scripts, and pictures of several parts."""

_NEVER = f"{_STEERING}{_WITHOUT_WIDTH}{_NONCHARACTERS}"
UNSEEN = f"{_NEVER}{_JOINERS}"
"""All of these characters, as the inside of a class of a pattern."""

_IN_LETTERS = f"[{_NEVER}]"
_IN_TEXTS = f"[{UNSEEN}]"
_IN_LINES = f"[\t\n{UNSEEN}]"
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def visible_line(text: str) -> str:
    """Return a text as one line, in which every character can be seen and steers nothing."""
    if text.isascii() and text.isprintable():  # as nearly all are, and this takes no time
        return text
    return re.sub(_IN_LINES, _named, text)


def visible_text(text: str) -> str:
    """Return a text of lines, as `visible_line` does; its line ends and tabs stay."""
    return text if _is_plain(text) else re.sub(_IN_TEXTS, _named, text)


def visible_letter(text: str) -> str:
    """Return a text for a letter, as `visible_text` does; what joins letters of a word stays."""
    return text if _is_plain(text) else re.sub(_IN_LETTERS, _named, text)


def visible_json(text: str) -> str:
    """Return JSON that means the same, with such characters escaped as JSON does it."""
    import json

    # json.dumps leaves this one as it is.
    without_delete = text.replace("\x7f", r"\u007f")
    return re.sub(_IN_TEXTS, lambda found: json.dumps(found[0])[1:-1], without_delete)


def _is_plain(text: str) -> bool:
    """Return whether a text is lines of ASCII without other control characters."""
    return text.isascii() and text.replace("\n", "").isprintable()


def _named(found: re.Match[str]) -> str:
    """Return a character as Python writes it."""
    number = ord(found[0])
    if found[0] in _SHORT:
        return _SHORT[found[0]]
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"

"""Bytes in the charset that a mail names, or in the one that it means."""

import codecs

_MEANT = {
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "x-big5": "big5hkscs",
    "big5": "big5hkscs",
    "unicode-1-1-utf-7": "utf-7",
    "utf8mb4": "utf-8",
    "iso-2022-jp": "iso-2022-jp-ext",
}
"""Names that programs write for a larger charset, or that Python does not know."""

_NONE_OF_MAIL = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined")
"""Codecs of Python that are not charsets; some are slow."""

NO_TEXT = dict.fromkeys(
    {*range(0x20), 0x7F, *range(0x80, 0xA0), *range(0xFDD0, 0xFDF0)} - {0x09, 0x0A}
)
"""Characters that control terminals or programs and are not text."""


def decoded(data: bytes, charset: str) -> str:
    """Return bytes as text that can be written as UTF-8.

    Bytes that do not fit their charset, or whose charset is unknown, are read as UTF-8. What does
    not fit there becomes U+FFFD.
    """
    name = charset.strip().strip("\"'").partition("*")[0].lower()
    for candidate in (_MEANT.get(name, name), name):
        text = _strictly(data, candidate)
        if text is not None:
            return text
    return data.decode("utf-8", "replace")


def _strictly(data: bytes, name: str) -> str | None:
    try:
        if codecs.lookup(name).name.replace("_", "-") in _NONE_OF_MAIL:
            return None
        return without_surrogates(data.decode(name))
    except (LookupError, ValueError):
        return None


def without_surrogates(text: str) -> str:
    """Return a text without surrogates, which some charsets decode to and UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()

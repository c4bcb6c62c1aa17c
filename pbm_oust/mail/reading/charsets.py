"""Charsets: their names in mails, and the decoding of bytes. Pure."""

import codecs
import re
from encodings.aliases import aliases
from functools import cache, lru_cache

NO_TEXT = dict.fromkeys(
    {*range(0x20), 0x7F, *range(0x80, 0xA0), *range(0xFDD0, 0xFDF0)} - {0x09, 0x0A}
)
"""Control characters and others that are no text, for `str.translate`."""

LOST = "\ufffd"
"""Replaces a letter that cannot be read."""

_NONE_OF_MAIL = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined")
"""Codecs of Python that are not charsets; some are slow."""
_OF_THE_WEB = ("replacement", "x-user-defined")
"""Encodings of the standard that are not charsets."""
_WIDER = {"gbk": "gb18030", "gb2312": "gb18030", "iso2022_jp": "iso2022_jp_ext"}
"""Supersets of charsets, by the name of the subset, which programs use for both."""
_WESTERN, _UNICODE = "cp1252", "utf-8"

_LONGEST = 60
_ABOUT = " \t\r\n\f\"'`<>()[]"
_FAMILIES = [
    (re.compile(pattern), name)
    for pattern, name in (
        (r"utf\W?_?(7|8|16|32)\W?_?(le|be)?", "utf-{}{}"),
        (r"(?:iso|ec)\D{0,2}[589]{3,5}\D+(\d{1,2})", "iso-8859-{}"),
        (r"8[589]{2,3}\D?(\d{1,2})", "iso-8859-{}"),
        (r"12(5[0-8])", "windows-12{}"),
        (r"koi\D?8?\D?([ru])", "koi8-{}"),
        (r"2022\D?(jp|kr)", "iso2022_{}"),
        (r"euc\D?(jp|kr|cn)", "euc_{}"),
        (r"euc", "euc_jp"),
        (r"s(?:hift)?\W?_?jis", "shift_jis"),
        (r"big\D?5", "big5"),
        (r"gb\D?k|gb\D{0,2}(?:18030|2312)", "gb18030"),
        (r"mac\w*\W?_?(centeuro|cyrillic|greek|turkish|iceland|croatian|romanian)", "mac_{}"),
        (r"mac|apple|(?<!\d)10000", "mac_roman"),
        (r"thai|tis", "cp874"),
        (r"latin\D?(\d{1,2})", "latin{}"),
        # Numbers of Microsoft.
        (r"65001", _UNICODE),
        (r"2859([1-9])", "iso-8859-{}"),
        (r"28605", "iso-8859-15"),
        (r"20866", "koi8-r"),
        (r"5022\d", "iso2022_jp"),
        (r"(?<!\d)(\d{3,4})(?!\d)", "cp{}"),
        (r"cyrl", "windows-1251"),
        (r"ascii|ansi|western", _WESTERN),
    )
]
"""Patterns of misspelt names, with the charset that they mean."""


def decoded(data: bytes, charset: str) -> str:
    """Return bytes as text that can be written as UTF-8.

    Bytes in an unknown charset, or not valid in theirs, are read as UTF-8, or else as a Western
    charset if they may be that. Anything else becomes U+FFFD.
    """
    codec = _codec(charset)
    is_open = codec in (None, _UNICODE)
    names = ["utf-16"] if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else []
    names += ["iso2022_jp_ext"] if is_open and b"\x1b$" in data else []
    for name in (*names, codec, _UNICODE):
        try:
            if name:
                return without_surrogates(data.decode(name))
        except ValueError:
            continue
    if codec == _WESTERN or (is_open and _may_be_western(data)):
        return data.translate(None, _NOT_WESTERN).decode(_WESTERN)
    return without_surrogates(data.decode(codec or _UNICODE, "replace"))


_NOT_WESTERN = b"\x81\x8d\x8f\x90\x9d"
"""Bytes without a letter in the Western charset."""
_OTHER_SCRIPT = re.compile(rb"[\x80-\xff]{4}")


def _may_be_western(data: bytes) -> bool:
    """Return whether bytes other than UTF-8 may be text in the Latin script.

    It has no words of accents alone, and no more letters in UTF-8 than others.
    """
    as_unicode = data.decode(_UNICODE, "replace")
    lost = as_unicode.count(LOST)
    return not _OTHER_SCRIPT.search(data) and sum(not c.isascii() for c in as_unicode) <= 2 * lost


def without_surrogates(text: str) -> str:
    """Return a text without surrogates, which some charsets yield and UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


@lru_cache(200)
def _codec(charset: str) -> str | None:
    """Return Python's codec for a charset, or None for an unknown one.

    The name is looked up in the Encoding Standard, then without punctuation, and then by patterns.
    """
    label = charset[:_LONGEST].partition("*")[0].rpartition("=")[2].lower()
    label = re.split(r"[;,]", label)[0].strip(_ABOUT)
    bare = _squeezed(label)
    for begin in ("", "x", "cs", "xms", "ms", "win", "microsoft"):
        if bare.startswith(begin):
            known = label if not begin else ""
            known = _known(known) or _known(_squeezed_names().get(bare.removeprefix(begin), ""))
            if known:
                return known
    for pattern, name in _FAMILIES:
        if (found := pattern.search(label)) and (
            known := _known(name.format(*(part or "" for part in found.groups())))
        ):
            return known
    return None


def _known(label: str) -> str | None:
    """Return Python's codec for the exact name of a charset, or None."""
    try:
        of_python = codecs.lookup(label).name
    except (LookupError, ValueError):
        of_python = ""
    if of_python == "ascii":
        return _UNICODE  # letters beyond it, of which it says nothing, are mostly that
    if of_python == _UNICODE:
        return _UNICODE

    import webencodings  # loads codecs that few mails need

    found = webencodings.lookup(label) or webencodings.lookup(of_python)
    is_charset = found is not None and found.name not in _OF_THE_WEB
    name = found.codec_info.name if is_charset else of_python
    try:
        b"".decode(name)  # raises LookupError for what is no charset
    except (LookupError, ValueError):
        return None
    name = _WIDER.get(name, name)
    return None if name.replace("_", "-") in _NONE_OF_MAIL else name


@cache
def _squeezed_names() -> dict[str, str]:
    """Return the names of charsets by their forms without punctuation."""
    from webencodings.labels import LABELS

    return {_squeezed(name): name for name in (*aliases.values(), *aliases, *LABELS)}


def _squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name)

"""Authentication-Results: what a mail server has found out about whose a mail is (RFC 8601).

    mx.example.org; dkim=pass (2048-bit key) header.d=example.org; spf=none

A header is read as a whole or not at all: who takes a part of it for the rest can be led astray by
what a stranger writes into a comment or into quotes. The work grows with the length alone.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

_SPACE = re.compile(r"[ \t]+")
_COMMENT = re.compile(r"\(|\)|[\x21-\x27\x2a-\x5b\x5d-\x7e \t]+|\\[\t\x20-\x7e]")
"""A part of a comment: a parenthesis, text, or a character behind a backslash (RFC 5322, 3.2.2)."""
_QUOTED = re.compile(r'"((?:[\x21\x23-\x5b\x5d-\x7e \t]|\\[\t\x20-\x7e])*)"')
_SERVER = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*", re.ASCII)
_KEYWORD = re.compile(r"[\w-]+", re.ASCII)
_DOTTED = re.compile(r"[\w-]+(?:\.[\w-]+)*", re.ASCII)
_NUMBER = re.compile(r"[0-9]+")
_VALUE = re.compile(r"[\w!#$%&'*+/=?^`{|}~.@-]*", re.ASCII)
"""A value without quotes: more than RFC 8601 allows, as servers write signatures so."""
_NONE = re.compile(r"none(?![\w-])", re.IGNORECASE | re.ASCII)
_REASON = re.compile(r"reason(?=[ \t(]*=)", re.IGNORECASE)
_VERSION = "1"


class NotReadable(ValueError):
    """A header that is not written as RFC 8601 wants it."""


class MethodResult(Struct, frozen=True):
    """The result of one method of a server; all of it in small letters."""

    method: str
    """Such as `dkim`."""
    found: str
    """Such as `pass`."""
    properties: Mapping[str, tuple[str, ...]]
    """The values of each property, by names such as `header.d`."""


def parse_results(value: str) -> tuple[str, tuple[MethodResult, ...]]:
    """Return the server that a header names, in small letters, and its results.

    The header is in one line. Raises NotReadable.
    """
    text = _Text(value)
    server = text.take(_SERVER)
    if (version := text.find(_NUMBER)) not in (None, _VERSION):
        raise NotReadable(f"version {version}")
    text.take(re.compile(";"))
    if text.find(_NONE) is not None:
        text.end()
        return server.lower(), ()
    results = [_result(text)]
    while text.find(re.compile(";")) is not None:
        results.append(_result(text))
    text.end()
    return server.lower(), tuple(results)


def _result(text: "_Text") -> MethodResult:
    method = text.take(_DOTTED)
    if text.find(re.compile("/")) is not None:
        text.take(_NUMBER)
    text.take(re.compile("="))
    found = text.take(_DOTTED)
    if text.find(_REASON) is not None:
        text.take(re.compile("="))
        text.value()
    properties = dict[str, tuple[str, ...]]()
    for name, value in _properties(text):
        properties[name] = (*properties.get(name, ()), value)
    return MethodResult(method.lower(), found.lower(), properties)


def _properties(text: "_Text") -> Iterator[tuple[str, str]]:
    while (kind := text.find(_KEYWORD)) is not None:
        text.take(re.compile(r"\."))
        name = text.take(_DOTTED)
        text.take(re.compile("="))
        yield f"{kind}.{name}".lower(), text.value().lower()


class _Text:
    """A text that is read from left to right; space and comments before each part are passed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def find(self, part: re.Pattern[str]) -> str | None:
        """Return the part that stands next, or None."""
        self._pass()
        match = part.match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        return match[0]

    def take(self, part: re.Pattern[str]) -> str:
        """Return the part that stands next. Raises NotReadable if another one does."""
        found = self.find(part)
        if found is None:
            raise NotReadable(f"{part.pattern} is wanted in place of {self._text[self._at :]!r}")
        return found

    def value(self) -> str:
        """Return the value that stands next: a word, or quoted text, perhaps before a domain."""
        quoted = self.find(_QUOTED)
        if quoted is None:
            return self.take(_VALUE)
        if self._text[self._at : self._at + 1] != "@":
            return re.sub(r"\\(.)", r"\1", quoted[1:-1])
        return quoted + self.take(_VALUE)

    def end(self) -> None:
        """Raise NotReadable unless all has been read."""
        self._pass()
        if self._at != len(self._text):
            raise NotReadable(f"{self._text[self._at :]!r} is left")

    def _pass(self) -> None:
        depth = 0
        while match := (_COMMENT if depth or self._stands("(") else _SPACE).match(
            self._text, self._at
        ):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            self._at = match.end()
        if depth:
            raise NotReadable("a comment has no end")

    def _stands(self, character: str) -> bool:
        return self._text.startswith(character, self._at)

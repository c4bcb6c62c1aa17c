"""HTML as plain text, with older messages marked as quotes. Pure.

The parser is lxml's, which reads any input in time that grows only with its length. Text more than
256 elements deep is lost, and so is everything after the first 8,000 tags and pieces of text.
"""

import re
from collections import Counter
from enum import Enum
from typing import Any

from pbm_oust.mail.reading.phrases import PHRASES

_BLOCKS = frozenset(PHRASES["block_tags"])
_PARAGRAPHS = frozenset(PHRASES["paragraph_tags"])
_UNSEEN = frozenset(PHRASES["unseen_tags"])
_QUOTING_CLASSES = frozenset(PHRASES["quoting_classes"])
_QUOTING_FROM_HERE = frozenset(PHRASES["quoting_from_here"])
_SIGNATURE_CLASSES = frozenset(PHRASES["signature_classes"])
_MOST_PIECES = 8_000
_SPACES = re.compile(r"[ \t\r\n\f]+")


class _Enough(Exception):
    """The limit of pieces is reached, and the rest is ignored."""


class _Effect(Enum):
    """The effect of an element on its text."""

    NONE = 0
    QUOTED = 1
    UNSEEN = 2
    KEEPS_SPACES = 3


def text_of_html(html: str) -> str:
    """Return the text of HTML; lines of quoted elements begin with `>`."""
    from lxml import etree

    reader = _Reader()
    target: Any = reader  # the stubs of lxml expect bytes
    parser = etree.HTMLParser(target=target, encoding="utf-8", remove_comments=True)
    try:
        parser.feed(html.replace("\0", "").encode("utf-8", "replace"))
        parser.close()
    except (etree.LxmlError, _Enough):
        reader.close()
    return "\n".join(reader.lines)


_PARAMETERS = re.compile(r"<param>.*?</param>", re.IGNORECASE | re.DOTALL)
_EXCERPT = re.compile(r"<(/?)excerpt>", re.IGNORECASE)
_SIGNS = str.maketrans({"&": "&amp;"})


def text_of_enriched(enriched: str) -> str:
    """Return the text of text/enriched (RFC 1896) or of the older text/richtext.

    A single line end is a space; of several, one is dropped. `<excerpt>` is a quote.
    """
    html = _PARAMETERS.sub("", enriched).translate(_SIGNS).replace("<<", "&lt;")
    html = html.replace("<lt>", "&lt;").replace("<nl>", "<br>")
    html = _EXCERPT.sub(r"<\1blockquote>", html)
    html = re.sub(r"\n(\n+)", lambda found: "<br>" * len(found[1]), html)
    return text_of_html(html)


class _Reader:
    """The target of the parser: elements become lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._line: list[str] = []
        self._open: list[_Effect] = []
        self._number = Counter[_Effect]()
        self._pieces = 0
        self._is_all_quoted = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle a start tag."""
        self._count_piece()
        if tag in _BLOCKS:
            self._break()
        if tag in _PARAGRAPHS:
            self._leave_a_line()
        if tag == "br":
            self._end_line()
        elif tag in ("td", "th") and self._line:
            self._line.append(" ")
        marks = f"{attributes.get('class', '')} {attributes.get('id', '')}".lower().split()
        if any(mark.removeprefix("x_") in _QUOTING_FROM_HERE for mark in marks):
            self._break()
            self._is_all_quoted = True
        effect = _effect(tag, attributes.get("style", ""), marks)
        if effect is _Effect.QUOTED:
            self._break()
        self._open.append(effect)
        self._number[effect] += 1

    def end(self, tag: str) -> None:
        """Handle an end tag."""
        if tag in _BLOCKS or (self._open and self._open[-1] is _Effect.QUOTED):
            self._break()
        if tag in _PARAGRAPHS:
            self._leave_a_line()
        effect = self._open.pop() if self._open else _Effect.NONE
        self._number[effect] -= 1
        if effect is _Effect.QUOTED and not (self._number[effect] or self._is_all_quoted):
            self.lines.append("")

    def data(self, text: str) -> None:
        """Handle text."""
        self._count_piece()
        if self._number[_Effect.UNSEEN]:
            return
        if self._number[_Effect.KEEPS_SPACES]:
            *whole, text = text.replace("\r", "").split("\n")
            for line in whole:
                self._line.append(line)
                self._end_line()
        else:
            text = _SPACES.sub(" ", text)
            if not self._line:
                text = text.lstrip(" ")
        if text:
            self._line.append(text)

    def close(self) -> None:
        """Handle the end of the document."""
        self._break()

    def _count_piece(self) -> None:
        self._pieces += 1
        if self._pieces > _MOST_PIECES:
            raise _Enough

    def _break(self) -> None:
        """End the line unless it is empty."""
        if self._line:
            self._end_line()

    def _leave_a_line(self) -> None:
        if self.lines and self.lines[-1].strip("> "):
            self._end_line()

    def _end_line(self) -> None:
        text = "".join(self._line).replace("\u00a0", " ")
        # The space is what makes it the line above a signature.
        text = text if text == "-- " else text.rstrip()
        is_quoted = self._is_all_quoted or self._number[_Effect.QUOTED]
        self.lines.append(f"> {text}" if is_quoted else text)
        self._line.clear()


def _effect(tag: str, style: str, marks: list[str]) -> _Effect:
    if tag in _UNSEEN or "display:none" in style.replace(" ", "").lower():
        return _Effect.UNSEEN
    if any(mark in _SIGNATURE_CLASSES for mark in marks):
        return _Effect.UNSEEN
    if tag == "blockquote" or any(mark in _QUOTING_CLASSES for mark in marks):
        return _Effect.QUOTED
    if tag in ("pre", "textarea"):
        return _Effect.KEEPS_SPACES
    return _Effect.NONE

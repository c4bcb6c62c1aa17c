"""A page of the documentation as the check sees it: links, headings, and what is set as code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^( *)```(.*?)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_LINK = re.compile(r"\]\(([^()\s]+)\)|<img [^>]*src=\"([^\"]+)\"")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a page says, and on which line."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page in Markdown."""

    path: Path
    text: str

    def links(self) -> list[Found]:
        """Return the targets of links and pictures."""
        prose = self._prose(keep_spans=False)
        return [self._at(found, found[1] or found[2]) for found in _LINK.finditer(prose)]

    def headings(self) -> list[Found]:
        """Return the headings."""
        prose = self._prose(keep_spans=True)
        return [self._at(found, found[1]) for found in _HEADING.finditer(prose)]

    def anchors(self) -> set[str]:
        """Return the names of the headings, as links have them behind `#`."""
        return {_anchor(heading.text) for heading in self.headings()}

    def spans(self) -> list[Found]:
        """Return what is set as code within sentences, each in one line."""
        prose = self._prose(keep_spans=True)
        return [
            self._at(found, " ".join(found[1].split()).replace("\\|", "|"))
            for found in _SPAN.finditer(prose)
        ]

    def blocks(self) -> Iterator[tuple[str, list[Found]]]:
        """Yield the lines of each block of code, and what stands behind its first fence."""
        for block in _FENCE.finditer(self.text):
            first = self.text.count("\n", 0, block.start(3)) + 1
            lines = block[3].split("\n")[:-1]
            yield block[2], [Found(first + nth, line) for nth, line in enumerate(lines)]

    def _prose(self, *, keep_spans: bool) -> str:
        """Return the text with what is code blanked out, every line in its place."""
        prose = _FENCE.sub(lambda found: _blank(found[0]), self.text)
        return prose if keep_spans else _SPAN.sub(lambda found: _blank(found[0]), prose)

    def _at(self, found: re.Match[str], text: str) -> Found:
        return Found(found.string.count("\n", 0, found.start()) + 1, text)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _anchor(heading: str) -> str:
    """Return the name that a heading has in links, as GitHub makes it."""
    plain = re.sub(r"\]\([^)]*\)", "", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")

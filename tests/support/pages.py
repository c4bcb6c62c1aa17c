"""Letters as HTML, seen by mail programs: what they show, and what can be tapped."""

from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qs, unquote

from pbm_oust.rules import Grid


@dataclass(frozen=True)
class Tap:
    """A link that begins a mail."""

    shown: str
    """What the link looks like."""
    address: str
    subject: str


@dataclass
class Page(HTMLParser):
    """A page taken apart."""

    html: str
    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    hrefs: list[str] = field(default_factory=list)
    text: str = ""
    """What a program shows, except line breaks between elements."""
    boards: list[dict[int, list[str]]] = field(default_factory=list)
    """What the cells of each row of each board show, by the number of the row."""
    letters: list[list[str]] = field(default_factory=list)
    """What stands beside the cells of each row of all boards: numbers and letters."""
    _row: list[str] = field(default_factory=list)
    _shown: list[str] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.html)
        self.close()
        assert not [tag for tag in self._open if tag not in ("meta", "br")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self._open.append(tag)
        if tag == "a":
            self.hrefs.append(dict(attrs)["href"] or "")
            self._shown.append("")
        if tag in ("br", "p", "tr"):
            self.text += "\n"
        if tag == "table":
            self.boards.append({})
        if tag == "tr":
            self._row = []
            self.letters.append([])
        if tag == "td":
            self._row.append("")
        if tag == "th":
            self.letters[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass
        numbers = [each for each in self.letters[-1] if each.isdigit()] if self.letters else []
        if tag == "tr" and numbers:
            self.boards[-1][int(numbers[0])] = [*filter(None, self._row)]

    def handle_data(self, data: str) -> None:
        self.text += data
        if "a" in self._open:
            self._shown[-1] += data
        if "td" in self._open:
            self._row[-1] += data
        if "th" in self._open:
            self.letters[-1][-1] += data

    @property
    def board(self) -> dict[int, list[str]]:
        """What the cells of each row of the first board show, by the number of the row."""
        return self.boards[0] if self.boards else {}

    def taps(self, decode: Callable[[str], tuple[str, str]] | None = None) -> list[Tap]:
        """Return the links as a program reads them, by default one that follows RFC 6068."""
        read = decode or by_rfc
        return [
            Tap(shown, *read(href)) for shown, href in zip(self._shown, self.hrefs, strict=True)
        ]


def by_rfc(href: str) -> tuple[str, str]:
    """Return the address and Subject of a link by RFC 6068: `+` is a plus."""
    scheme, _, rest = href.partition(":")
    assert scheme == "mailto"
    address, _, headers = rest.partition("?")
    fields = dict(each.split("=", 1) for each in headers.split("&"))
    assert list(fields) == ["subject"]
    return unquote(address), unquote(fields["subject"])


def as_a_form(href: str) -> tuple[str, str]:
    """Return the address and Subject as read by programs that take `+` for a space."""
    address, _, headers = href.removeprefix("mailto:").partition("?")
    return unquote(address.replace("+", " ")), parse_qs(headers)["subject"][0]


FREE = {"\u2022", "\u00b7", "*", "-", "+", ".", ","}
"""The signs of free points, on pages and in text."""


def stones_in(rows: dict[int, list[str]]) -> dict[int, list[str]]:
    """Return the rows of a board with the same sign for all free points."""
    return {number: ["." if sign in FREE else sign for sign in row] for number, row in rows.items()}


def rows_of_text(text: str, grid: Grid) -> dict[int, list[str]]:
    """Return what a board of plain text shows in each row, by the number of the row."""
    lines = [line.split() for line in text.strip("\n").split("\n")]
    rows = {int(line[0]): line[1:] for line in lines if line[0].isdecimal()}
    return {number: row[: len(grid.rows[number - 1])] for number, row in rows.items()}

"""Letters as HTML, seen by mail programs: what they show, and what can be tapped."""

from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qs, unquote


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
    board: str = ""
    """The content of the first `<pre>`."""
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
        if tag in ("br", "p"):
            self.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.text += data
        if "a" in self._open:
            self._shown[-1] += data
        if "pre" in self._open and self.tags.count("pre") == 1:
            self.board += data

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

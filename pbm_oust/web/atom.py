"""Feeds: what has happened, for programs that look now and then. Pure.

Source: RFC 4287 (Atom).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from lxml import etree

MEDIA_TYPE = "application/atom+xml"
_SPACE = "http://www.w3.org/2005/Atom"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that has happened."""

    address: str
    """Where it is seen; no two entries have the same one."""
    title: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Feed:
    """Entries about one thing, the latest first."""

    title: str
    page: str
    """The address of the page that says the same."""
    address: str
    """The address of the feed itself."""
    language: str
    began: datetime
    """When the feed says that it was changed while it has no entries."""
    entries: Sequence[Entry]


def format_feed(feed: Feed) -> bytes:
    """Return a feed as XML."""
    root = etree.fromstring(f'<feed xmlns="{_SPACE}"/>')
    root.set(_LANGUAGE, feed.language)
    _add(root, "id", feed.address)
    _add(root, "title", feed.title)
    _add(root, "updated", _time(max((each.at for each in feed.entries), default=feed.began)))
    _add(root, "link", rel="self", type=MEDIA_TYPE, href=feed.address)
    _add(root, "link", rel="alternate", type="text/html", href=feed.page)
    _add(_add(root, "author"), "name", "pbm_oust")
    for entry in feed.entries:
        part = _add(root, "entry")
        _add(part, "id", entry.address)
        _add(part, "title", entry.title)
        _add(part, "updated", _time(entry.at))
        _add(part, "link", rel="alternate", type="text/html", href=entry.address)
        _add(part, "content", entry.text, type="text")
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def _add(
    parent: etree._Element, name: str, text: str | None = None, **attributes: str
) -> etree._Element:
    """Add an element to another one, and return it."""
    added = etree.SubElement(parent, f"{{{_SPACE}}}{name}", attributes)
    added.text = text
    return added


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

"""What a page says as a file: the same, with links that hold wherever the files are put. Pure."""

import re
from functools import partial
from html import unescape
from urllib.parse import quote

from pbm_oust.web.export.places import Past, board_in, link_to, place_of

_WITHOUT_FILE = ' role="link" aria-disabled="true"'
"""What a link has instead of an address that no file is for."""
_ABOUT = re.compile(r"<(?:link|meta)\b[^>]*>\n?")


class Copies:
    """Makes files of what is answered. `base` is where people find the files; it may be empty."""

    def __init__(self, base: str, past: Past) -> None:
        self._base = base
        self._past = past
        begins = f"(?P<base>{re.escape(base)})?" if base else "(?P<base>)"
        self._named = re.compile(
            rf' (?P<name>href|src|content|data-[a-z]+)="{begins}'
            r'(?P<address>/[^"#]*)(?P<rest>[^"]*)"'
        )

    def page(self, text: str, address: str, latest: str = "") -> str:
        """Return the file for the page at an address.

        If there are no files for the `latest` position of a board, those for the board serve.
        """
        if latest:
            text = self._named.sub(partial(self._as_it_is, latest), text)
        kept = _ABOUT.sub(self._about, text)
        return self._named.sub(partial(self._linked, place_of(address)), kept)

    def feed(self, text: str) -> str:
        """Return the file for a feed; what has no file of its own is seen at its board."""
        return self._named.sub(self._seen, text)

    def links(self, text: str) -> set[str]:
        """Return the addresses to which a page leads, of those that there are files for."""
        found = (unescape(each["address"]) for each in self._named.finditer(text))
        return set(filter(self._past.has, found))

    def _as_it_is(self, latest: str, found: re.Match[str]) -> str:
        """Return what names a position; if that is the latest and has no file, what its board."""
        address = found["address"]
        is_latest = address.partition(".")[0] == latest and not self._past.has(address)
        return found[0].replace(address, board_in(address)) if is_latest else found[0]

    def _about(self, tag: re.Match[str]) -> str:
        """Return what the head of a page says of another address, if there is a file for it."""
        named = self._named.search(tag[0])
        return "" if named and not self._past.has(unescape(named["address"])) else tag[0]

    def _linked(self, here: str, found: re.Match[str]) -> str:
        address = unescape(found["address"])
        if not self._past.has(address):
            return _WITHOUT_FILE if found["name"] == "href" else ""
        place = place_of(address)
        link = f"{self._base}/{quote(place)}" if found["base"] else link_to(place, here)
        return f' {found["name"]}="{link}{found["rest"]}"'

    def _seen(self, found: re.Match[str]) -> str:
        address = unescape(found["address"])
        place = place_of(address if self._past.has(address) else board_in(address))
        return f' {found["name"]}="{self._base}/{quote(place)}"'

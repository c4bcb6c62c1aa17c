"""Responses that are made once and kept, and answers to whoever has the same one already.

Source: RFC 9110, sections 8.8.3 and 13.1.2 (ETag and If-None-Match).
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.languages import Language
from pbm_oust.store.latest import Latest

MOST_BYTES = 32 * 1024 * 1024
"""How much is kept in memory; what was asked for longest ago is dropped."""

HTML = "text/html; charset=utf-8"

CHECKED = "no-cache"
"""Says of what may change that a browser asks each time whether it has."""

KEPT_SECRET: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex, nofollow",
}
"""Said with every page that is one player's alone, or whose address is a proof."""


@dataclass(frozen=True, slots=True)
class Made:
    """The content of a response, and its checksum."""

    content: bytes
    etag: str


class Kept:
    """What was made lately, by what it was made from."""

    def __init__(self) -> None:
        self._made = Latest[Hashable, Made](MOST_BYTES, lambda made: len(made.content))

    def get(self, made_from: Hashable, make: Callable[[], str]) -> Made:
        """Return what was made from this; make it if it is not kept."""
        return self.find(made_from) or self.keep(made_from, make().encode())

    def find(self, made_from: Hashable) -> Made | None:
        """Return what was made from this, if it is kept."""
        return self._made.get(made_from)

    def keep(self, made_from: Hashable, content: bytes) -> Made:
        """Keep what was made from this, and return it."""
        made = made_of(content)
        self._made.put(made_from, made)
        return made


def made_of(content: bytes) -> Made:
    """Return the content of a response with its checksum."""
    return Made(content, f'"{sha256(content).hexdigest()[:24]}"')


def answer(request: Request, made: Made, media_type: str, headers: dict[str, str]) -> Response:
    """Answer with what was made, or that the browser has it already."""
    headers = {"ETag": made.etag, **headers}
    if has_already(request.headers.get("if-none-match", ""), made.etag):
        return Response(None, 304, headers)
    return Response(made.content, 200, headers, media_type)


def headers_in(language: Language, keeping: str = CHECKED) -> dict[str, str]:
    """Return what a response in a language says of that, and of how long it may be kept."""
    return {
        "Cache-Control": keeping,
        "Content-Language": language.code,
        "Vary": "Accept-Language",
    }


def has_already(named: str, etag: str) -> bool:
    """Return whether a header If-None-Match names a checksum, weak or not."""
    each = (word.strip().removeprefix("W/") for word in named.split(","))
    return any(word in (etag, "*") for word in each)

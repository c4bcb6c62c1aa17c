"""Responses that are made once and cached, and answers to whoever has the same one already.

Source: RFC 9110, sections 8.8.3 and 13.1.2 (ETag and If-None-Match).
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.languages import Language
from pbm_oust.store.boards import Latest

MOST_BYTES = 64 * 1024 * 1024
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
    keeping: str = CHECKED
    """How long a browser may keep it, if that depends on the content."""


class Cache:
    """Responses that were made lately, by what they were made from or by what was asked for."""

    def __init__(self) -> None:
        self._made = Latest[Hashable, tuple[Hashable, Made]](
            MOST_BYTES, lambda known: len(known[1].content)
        )

    def get(self, key: Hashable, make: Callable[[], str]) -> Made:
        """Return what was made for a key; make it if it is not cached."""
        return self.find(key) or self.put(key, made_of(make().encode()))

    def find(self, key: Hashable, state: Hashable = None) -> Made | None:
        """Return what was made for a key, if it is cached and the state is the same still."""
        known = self._made.get(key)
        return known[1] if known and known[0] == state else None

    def put(self, key: Hashable, made: Made, state: Hashable = None) -> Made:
        """Cache what was made for a key, right only in a state if one is given, and return it."""
        self._made.put(key, (state, made))
        return made


def made_of(content: bytes) -> Made:
    """Return the content of a response with its checksum."""
    return Made(content, f'"{sha256(content).hexdigest()[:24]}"')


def answer(request: Request, made: Made, media_type: str, headers: Mapping[str, str]) -> Response:
    """Answer with what was made, or that the browser has it already."""
    headers = {"ETag": made.etag, **headers}
    named = request.headers.get("if-none-match", "").split(",")
    if any(each.strip().removeprefix("W/") in (made.etag, "*") for each in named):
        return Response(None, 304, headers)
    return Response(made.content, 200, headers, media_type)


def headers_in(language: Language, keeping: str = CHECKED) -> dict[str, str]:
    """Return what a response in a language says of that, and of how long it may be kept."""
    return {
        "Cache-Control": keeping,
        "Content-Language": language.code,
        "Vary": "Accept-Language",
    }

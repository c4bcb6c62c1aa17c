"""Forms that browsers send: read within bounds, and only from pages of ours."""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request

from pbm_oust.mail.reading.body import NO_TEXT
from pbm_oust.web.ground import ground_of

LARGEST_FORM = 64 * 1024
"""The most bytes of a form."""
_MOST_FIELDS = 40
_FROM_HERE = ("same-origin", "none")
"""What browsers say about where a form comes from that is one of ours."""
_UNSAID = ("", "null")
"""What an Origin says that names nobody. Ours is null, because our pages tell no referrer."""


async def form_of(request: Request) -> Mapping[str, str]:
    """Return the fields of a form, each with its first value.

    Raises HTTPException if it comes from another site, is too large, or is none.
    """
    if not _is_from_here(request):
        raise HTTPException(403)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_FORM:
            raise HTTPException(413)
    try:
        found = parse_qs(body.decode(), strict_parsing=bool(body), max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise HTTPException(400) from None
    return {name: _text_of(values[0]) for name, values in found.items()}


def kept_from(form: Mapping[str, str], form_name: str) -> Callable[..., str]:
    """Return what fills fields in anew: what was typed in the form of a name, or what is usual."""

    def kept(name: str, field: str, usual: str = "") -> str:
        return form.get(field, usual) if name == form_name else usual

    return kept


def _is_from_here(request: Request) -> bool:
    """Return whether nothing that the browser says about a form names another site.

    Old browsers, and all of them without TLS, say less: then the hosts count that they name.
    """
    site = request.headers.get("sec-fetch-site", "")
    if site:
        return site in _FROM_HERE
    here = {_host_in(ground_of(request).base), _host_in(f"//{request.headers.get('host', '')}")}
    said = (request.headers.get(name, "") for name in ("origin", "referer"))
    return all(each in _UNSAID or _host_in(each) in here - {""} for each in said)


def _host_in(address: str) -> str:
    """Return the host in an address, with its port unless that is a usual one; empty if none."""
    try:
        host = urlsplit(address.lower()).netloc.rpartition("@")[2]
    except ValueError:
        return ""
    return host.removesuffix(":80").removesuffix(":443")


def text_in(form: Mapping[str, str], name: str = "text") -> str:
    """Return the text of a field."""
    return form.get(name, "").strip()


def _text_of(value: str) -> str:
    """Return the value of a field as the text of a mail is read: without what is no text."""
    return value.replace("\r\n", "\n").translate(NO_TEXT)

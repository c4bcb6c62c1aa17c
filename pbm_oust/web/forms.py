"""Forms that browsers send: read within bounds, and only from pages of ours."""

from collections.abc import Mapping
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request

LARGEST_FORM = 64 * 1024
"""The most bytes of a form."""
_MOST_FIELDS = 40
_FROM_HERE = ("same-origin", "none", "")
"""What browsers say about where a form comes from that is one of ours."""


async def form_of(request: Request) -> Mapping[str, str]:
    """Return the fields of a form, each with its first value.

    Raises HTTPException if it comes from another site, is too large, or is none.
    """
    if request.headers.get("sec-fetch-site", "") not in _FROM_HERE:
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
    return {name: values[0] for name, values in found.items()}


def text_in(form: Mapping[str, str], name: str = "text") -> str:
    """Return the text of a field, with the line ends that mail has here."""
    return form.get(name, "").replace("\r\n", "\n").strip()

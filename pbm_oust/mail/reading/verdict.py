"""What a mail server of ours says about the From of a mail: Authentication-Results. Pure.

    Authentication-Results: mx.example.org; dkim=pass header.d=example.net;
        dmarc=pass header.from=example.net

RFC 8601. Anybody can write such a header, so only those of our server's name count, in mail that
this server hands over, and it has to remove what others write in its name (section 5). Only the
topmost one verifies a From, because headers are added at the top.
"""

import re
from collections.abc import Iterator
from enum import Enum

from authres import core_features
from authres.core import AuthenticationResultsHeader

from pbm_oust.accounts.address import ascii_host
from pbm_oust.mail.reading.headers import one_line
from pbm_oust.mail.reading.mail import Mail
import re

MOST_HEADERS = 3
"""How many are read, from the top: filters of one server may add one each."""
LONGEST_HEADER = 1500

_DOMAIN = r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
_ADDRESS = rf"[^\s\"<>@,;:()\\]+@{_DOMAIN}"
_ONLY_ADDRESS = re.compile(
    rf'(?P<bare>{_ADDRESS})|(?:[^"<>@,;:()\\]|"[^"<>@\\]*")*<(?P<named>{_ADDRESS})>'
)
"""A From that all programs read alike: an address, or a name and an address in `<>`."""
_WORD = re.compile(r"[\w.\-\x80-\U0010ffff]{1,255}")


class Verdict(Enum):
    """What is known about the From of a mail."""

    VERIFIED = "verified"
    """Its domain has sent the mail."""
    FORGED = "forged"
    """Its domain has not, so DMARC says."""
    UNKNOWN = "unknown"


class _Header(AuthenticationResultsHeader):  # type: ignore[misc]  # it has no types
    """A header that is not read if any of it cannot be."""

    def __init__(self, context: object) -> None:
        super().__init__(context, strict=True)


_Result = tuple[str, str, dict[str, list[str]]]
"""A method, what it found, and the values of its properties such as `header.d`."""


def verdict_of(mail: Mail, authserv_id: str) -> Verdict:
    """Return what the headers of the mail server of a name say about the From of a mail.

    If it is verified, the sender of the mail is the only address there.
    """
    froms = mail.headers["from"]
    read = [_read(value) for value in mail.headers["authentication-results"][:MOST_HEADERS]]
    ours = [results for name, results in filter(None, read) if name == authserv_id.lower()]
    if any((method, found) == ("dmarc", "fail") for each in ours for method, found, _ in each):
        return Verdict.FORGED
    # One that cannot be read may be ours, and what stands below it may not.
    first = next((each for each in read if not each or each[0] == authserv_id.lower()), None)
    if first and len(froms) == 1 and len(froms[0]) <= LONGEST_HEADER:
        sender = _in_ascii(mail.sender)
        is_sure = sender and _only_address(_in_ascii(froms[0])) == sender
        if is_sure and _is_verified(first[1], sender.rpartition("@")[2].lower()):
            return Verdict.VERIFIED
    return Verdict.UNKNOWN


def _read(value: str) -> tuple[str, list[_Result]] | None:
    """Return whose a header is and what it says, or None if it cannot be read."""
    if len(value) > LONGEST_HEADER:
        return None
    try:
        header = _Header.parse_value(core_features(), _in_ascii(one_line(value)))
    except Exception:  # noqa: BLE001 - the parser gives up in several ways
        return None
    return header.authserv_id, [_result(each) for each in header.results]


def _result(result: object) -> _Result:
    properties: dict[str, list[str]] = {}
    for each in getattr(result, "properties", []):
        properties.setdefault(f"{each.type}.{each.name}".lower(), []).append(each.value.lower())
    method, found = getattr(result, "method", ""), getattr(result, "result", "")
    return method.lower(), found.lower(), properties


def _only_address(value: str) -> str:
    """Return the address of a From that is sure to have one, or an empty text."""
    match = _ONLY_ADDRESS.fullmatch(one_line(value))
    return (match["bare"] or match["named"]) if match else ""


def _is_verified(results: list[_Result], domain: str) -> bool:
    """Return whether a domain has sent a mail, by DMARC, DKIM or SPF."""
    if sum(method == "dmarc" for method, _, _ in results) > 1:
        return False
    passed = [(method, properties) for method, found, properties in results if found == "pass"]
    return any(
        signer == domain if method == "dmarc" else _is_aligned(domain, signer)
        for method, properties in passed
        for signer in _signers(method, properties)
    )


def _signers(method: str, properties: dict[str, list[str]]) -> Iterator[str]:
    """Yield the domain that a method has found to be the sender's."""
    name = {"dmarc": "header.from", "dkim": "header.d", "spf": "smtp.mailfrom"}.get(method, "")
    values = properties.get(name, [])
    if len(values) == 1:
        yield values[0].rpartition("@")[2]


def _in_ascii(text: str) -> str:
    """Return a text with its domains in ASCII; no other sign comes to stand in it."""
    return _WORD.sub(lambda found: ascii_host(found[0]) or found[0], text)


def _is_aligned(domain: str, signer: str) -> bool:
    """Return whether a domain is that of a signer or below it.

    Without a list of public suffixes nothing more can be said of two domains (RFC 7489, 3.1).
    """
    is_domain = re.fullmatch(_DOMAIN, signer) is not None
    return is_domain and (domain == signer or domain.endswith(f".{signer}"))

"""Whom our own proxies and mail servers name as their client: PROXY, XCLIENT and XFORWARD. Pure.

https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt
https://www.postfix.org/XCLIENT_README.html
https://www.postfix.org/XFORWARD_README.html
"""

from ipaddress import ip_address

from aiosmtpd.proxy_protocol import V2_CMD, ProxyData

from pbm_oust.frozen import frozen
from pbm_oust.mail.gate import Address, Source, source_at
from pbm_oust.regex import regex

CLIENT = "NAME ADDR PORT PROTO HELO LOGIN DESTADDR DESTPORT"
"""What XCLIENT may say about a client."""
FORWARDED = "NAME ADDR PORT PROTO HELO IDENT SOURCE"
"""What XFORWARD may say about a message."""

_ATTRIBUTE = regex(r"([A-Za-z]{1,16})=([!-~]{1,255})")
_XTEXT = regex(r"(?:[!-*,-<>-~]|\+[0-9A-F]{2})+")
"""RFC 3461, section 4."""
_CODED = regex(r"\+([0-9A-F]{2})")
_UNKNOWN = {"[UNAVAILABLE]", "[TEMPUNAVAIL]"}


@frozen
class Named:
    """What is said about a client: where it is, None if that is not known."""

    source: Source
    says_where: bool = True
    """Whether that is said at all: mail servers may say it in one command and more in the next."""


class BadNaming(ValueError):
    """What should name a client cannot be read."""


def parse_naming(text: str | None, names: str) -> Named:
    """Return whom the attributes of a command name.

    Raises BadNaming, also for attributes that are not among `names`.
    """
    found: dict[str, str] = {}
    for word in (text or "").split():
        match = _ATTRIBUTE.fullmatch(word)
        if not match or match[1].upper() not in names.split() or not _XTEXT.fullmatch(match[2]):
            raise BadNaming
        found[match[1].upper()] = _CODED.sub(lambda code: chr(int(code[1], 16)), match[2])
    if not found:
        raise BadNaming
    if "ADDR" not in found:
        return Named(None, says_where=False)
    address = _parse_address(found["ADDR"])
    return Named(source_at(address) if address else None)


def _parse_address(text: str) -> Address | None:
    """Return an address as Postfix writes it. Raises BadNaming."""
    if text.upper() in _UNKNOWN:
        return None
    is_long = text.upper().startswith("IPV6:")
    try:
        address = ip_address(text[5:] if is_long else text)
    except ValueError:
        raise BadNaming from None
    if "%" in text or is_long is (address.version == 4):
        raise BadNaming
    return address


def named_by_proxy(said: ProxyData) -> Named:
    """Return whom a proxy names; nobody if the connection is its own. Raises BadNaming."""
    if not said.valid:
        raise BadNaming
    if said.version == 2 and said.command == V2_CMD.LOCAL:
        return Named(None)
    address = said.src_addr
    return Named(source_at(address) if isinstance(address, Address) else None)

"""Mail addresses: parsing, forms, and comparison. Pure."""

import re
from functools import lru_cache
from unicodedata import normalize

from pbm_oust.render.visible import UNSEEN

MOST_ADDRESSES = 5
"""The most addresses of a player."""

_ATOM = rf"[^.\x00-\x20\x7f-\xa0\s@<>()\",:;\\\[\]\ufffd{UNSEEN}]+"

_DOTTED = rf"{_ATOM}(?:\.{_ATOM})*"

_QUOTED = rf"[^\x00-\x20\x7f-\xa0\s<>\"\\\ufffd{UNSEEN}]+"

_LOOSE = rf"\.*{_ATOM}(?:\.+{_ATOM})*\.*"

_ADDRESS = re.compile(rf"(?:(?P<local>{_LOOSE})|\"(?P<quoted>{_QUOTED})\")@(?P<host>{_DOTTED})")

_NEEDS_NO_QUOTES = re.compile(_DOTTED)

_HOST = re.compile(r"[A-Za-z0-9.-]+")

_PIECE = r"[^\s@<>()\[\]\"',;]"

_LIKE_ADDRESS = re.compile(rf"(?<!{_PIECE})(?:{_PIECE}+|\"[^\s\"]+\")(?:@{_PIECE}+)+")


def parse_address(text: str) -> str:
    """Return a mail address as it was written, with quotes only if it needs them.

    In quotes, NAME may have dots and signs where it cannot have them otherwise. Old addresses of
    phones have dots there without quotes. A letter with an accent is one sign, also where it came
    as two (RFC 6532, section 3.1). Raises ValueError if it is no address.
    """
    found = _ADDRESS.fullmatch(normalize("NFC", text))
    local = (found["local"] or found["quoted"]) if found else ""
    quoted = local if _NEEDS_NO_QUOTES.fullmatch(local) else f'"{local}"'
    address = f"{quoted}@{found['host']}" if found else ""
    if not 0 < len(address) <= 254 or "=?" in address:
        raise ValueError(f"{text!r} is not written NAME@HOST")
    return address


def parse_own_address(text: str) -> str:
    """Return an address of ours, in ASCII if possible. Raises ValueError for other texts."""
    return ascii_address(parse_address(text))


def is_address(text: str) -> bool:
    """Return whether a text is a mail address and nothing else."""
    try:
        return bool(parse_address(text))
    except ValueError:
        return False


def without_addresses(text: str, instead: str) -> str:
    """Return a text with everything that looks like an address replaced."""
    return _LIKE_ADDRESS.sub(instead, text) if "@" in text else text


@lru_cache(1000)
def normal_address(address: str) -> str:
    """Return the form of an address for comparison: lower case, ASCII domain, no +tag."""
    local, _, domain = address.lower().rpartition("@")
    bare = "" if local.startswith('"') else local.partition("+")[0]
    return f"{bare or local}@{ascii_domain(domain)}"


@lru_cache(1000)
def exact_address(address: str) -> str:
    """Return an address for exact comparison: lower case, ASCII domain, with its +tag."""
    return ascii_address(address).lower()


def ascii_address(address: str) -> str:
    """Return an address for servers without SMTPUTF8, if it has such a form."""
    local, _, domain = address.rpartition("@")
    return f"{local}@{ascii_domain(domain)}" if local.isascii() else address


@lru_cache(1000)
def ascii_domain(domain: str) -> str:
    """Return a domain in ASCII, as for a lookup (RFC 5890): `xn--bcher-kva.example`.

    A domain in ASCII, or an invalid one, stays as it is.
    """
    if domain.isascii():
        return domain
    import idna

    try:
        return idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        pass
    try:  # registries of some domains allow more, such as emoji
        return ".".join(map(_ascii_label, idna.uts46_remap(domain, std3_rules=False).split(".")))
    except (idna.IDNAError, UnicodeError):
        return domain


def ascii_host(name: str) -> str:
    """Return the name of a host in ASCII; empty for an invalid one."""
    found = ascii_domain(name)
    return found if _HOST.fullmatch(found) else ""


def _ascii_label(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode()}"


def is_same_address(one: str, other: str) -> bool:
    """Return whether two addresses are the same, in any spelling."""
    return normal_address(one) == normal_address(other)

"""Mail addresses: which are none, and which are the same. Pure."""

from functools import lru_cache

from pbm_oust.regex import regex
from pbm_oust.render.visible import UNSEEN

_ATOM = rf"[^.\x00-\x20\x7f-\xa0\s@<>()\",:;\\\[\]\ufffd{UNSEEN}]+"

_DOTTED = rf"{_ATOM}(?:\.{_ATOM})*"

_ADDRESS = regex(f"{_DOTTED}@{_DOTTED}")

_PIECE = r"[^\s@<>()\[\]\"',;]"

_LIKE_ADDRESS = regex(rf"(?<!{_PIECE}){_PIECE}+(?:@{_PIECE}+)+")


def parse_address(text: str) -> str:
    """Return a mail address as it was written. Raises ValueError if it is none."""
    if not _ADDRESS.fullmatch(text) or len(text) > 254 or "=?" in text:
        raise ValueError(f"{text!r} is not written NAME@HOST")
    return text


def is_address(text: str) -> bool:
    """Return whether a text is a mail address and nothing else."""
    try:
        return bool(parse_address(text))
    except ValueError:
        return False


def without_addresses(text: str, instead: str) -> str:
    """Return a text with something else in the place of all that looks like an address in it."""
    return _LIKE_ADDRESS.sub(instead, text) if "@" in text else text


@lru_cache(1000)
def normal_address(address: str) -> str:
    """Return the form in which addresses are compared: lower case, no +tag."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def is_same_address(one: str, other: str) -> bool:
    """Return whether two addresses are one, however they are written."""
    return normal_address(one) == normal_address(other)

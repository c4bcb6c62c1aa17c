"""Passwords: what is stored of them, and whether one is right. Pure but for a new salt.

    scrypt 16384 8 1 73616c74 7023bdcb.. A

That is scrypt's parameters, the salt, the hash of the password with its first letter small, and
whether that letter is a capital: so a single look tells who has only missed its case. Without a
letter at the end the hash is of the password as it is.
"""

import hashlib
import hmac
import html
import os
import re
import unicodedata
from enum import Enum
from functools import lru_cache
from typing import Self

from msgspec import Struct

from pbm_oust.render.visible import UNSEEN

_SCRYPT = (2**14, 8, 1)

_STORED = re.compile(
    r"scrypt (\d{1,7}) (\d{1,2}) (\d{1,2}) ((?:[0-9a-f]{2}){8,64}) ([0-9a-f]{64})(?: ([Aa]))?"
)
_CAPITAL, _SMALL = "A", "a"


class Secret(Struct, frozen=True):
    """A password in clear. It is never printed: its repr and str hide it."""

    text: str

    def __repr__(self) -> str:
        return "Secret(********)"

    __str__ = __repr__


NO_PASSWORD = Secret("-")
"""What stands in the place of a password where something else proves who sent a command. No
password is that short."""


class Match(Enum):
    """Whether a password is the one whose hash is stored."""

    RIGHT = "right"
    OTHER_CASE = "other case"
    """It would be right if its first letter were of the other case."""
    WRONG = "wrong"


class Derivation(Struct, frozen=True):
    """A password as it goes through scrypt: what takes long."""

    password: Secret
    salt: bytes
    n: int
    r: int
    p: int

    @classmethod
    def to_store(cls, password: Secret, salt: bytes) -> Self:
        """Return what a password has to go through to be stored."""
        return cls(_with_small_letter(password), salt, *_SCRYPT)

    @classmethod
    def to_match(cls, password: Secret, stored: str) -> Self:
        """Return what a password has to go through to be compared with a stored hash."""
        n, r, p, salt, _, case = _parts(stored)
        folded = _with_small_letter(password) if case else password
        return cls(folded, salt, n, r, p)

    def derive(self) -> bytes:
        """Return what scrypt makes of the password."""
        text = self.password.text.encode()
        return hashlib.scrypt(text, salt=self.salt, n=self.n, r=self.r, p=self.p, dklen=32)

    def stored(self, password: Secret, derived: bytes) -> str:
        """Return what is stored of the password that led to this, and of what scrypt made of it."""
        case = _CAPITAL if self.password != password else _SMALL
        return f"scrypt {self.n} {self.r} {self.p} {self.salt.hex()} {derived.hex()} {case}"


def match_derived(password: Secret, stored: str, derived: bytes) -> Match:
    """Return whether a password is the stored one, in constant time."""
    *_, wanted, case = _parts(stored)
    if not hmac.compare_digest(derived, wanted):
        return Match.WRONG
    is_capital = _with_small_letter(password) != password
    return Match.OTHER_CASE if case and is_capital is not (case == _CAPITAL) else Match.RIGHT


def nobodys_password(userid: str) -> str:
    """Return what a password is compared with where there is no account: that takes as long."""
    salt = hashlib.sha256(userid.encode()).digest()[:16]
    return " ".join(("scrypt", *map(str, _SCRYPT), salt.hex(), "00" * 32, _SMALL))


def hash_password(password: Secret, salt: bytes | None = None) -> str:
    """Return what is stored of a password."""
    needed = Derivation.to_store(password, os.urandom(16) if salt is None else salt)
    return needed.stored(password, needed.derive())


def checked_hash(stored: str) -> str:
    """Return the stored hash of a password as it is. Raises ValueError for what is none."""
    _parts(stored)
    return stored


@lru_cache(1000)
def _parts(stored: str) -> tuple[int, int, int, bytes, bytes, str]:
    """Return the parts of a stored hash. Raises ValueError for what is none."""
    found = _STORED.fullmatch(stored)
    n, r, p = map(int, found.groups()[:3]) if found else (0, 0, 0)
    if not (found and n > 1 and n.bit_count() == 1 and r and p):
        raise ValueError("the hash of the password cannot be read")
    return n, r, p, bytes.fromhex(found[4]), bytes.fromhex(found[5]), found[6] or ""


def _with_small_letter(password: Secret) -> Secret:
    """Return a password with its first letter small, if that can be undone."""
    first, rest = password.text[:1], password.text[1:]
    small = first.lower()
    return Secret(small + rest) if small.upper() == first else password


_SIGN = re.compile(
    r"%(?:25)*+([0-7][0-9A-F])|((?:%[89A-F][0-9A-F])+)|=(?-i:([0-7][0-9A-F]))|=\r?\n|&#?\w{1,8};|.",
    re.DOTALL | re.IGNORECASE,
)
"""A sign as URLs, quoted-printable or HTML encode it, or as it is."""
_BREAK = re.compile(rf"[\s>|{UNSEEN}]")
_ORDINARY = frozenset(map(chr, range(ord("!"), 127))) - {">", "|"}
"""Signs that stand for themselves."""


def masked(text: str, secret: re.Pattern[str], instead: str, *, is_sure: bool = True) -> str:
    """Return a text with something else in the place of the last group of each match.

    The pattern sees the text without what may break it, and its signs in their plain form. One that
    is not sure may also find plain words; then a group that is broken counts only if it has a
    digit.
    """
    plain, places = list[str](), list[re.Match[str]]()
    for found in _SIGN.finditer(text):
        if found[0] in _ORDINARY:
            plain.append(found[0])
            places.append(found)
        else:
            signs = _plain(found)
            plain += signs
            places += [found] * len(signs)
    joined = "".join(plain)
    shown, done = [], 0
    for match in secret.finditer(joined):
        begin, end = match.span(match.re.groups)
        first, last = places[begin].start(), places[end - 1].end()
        is_broken = last - first > end - begin
        if is_sure or not is_broken or any(each.isdigit() for each in joined[begin:end]):
            shown += [text[done:first], instead]
            done = last
    return "".join([*shown, text[done:]])


def _plain(found: re.Match[str]) -> str:
    """Return the signs that stand somewhere in a text, without what may break a secret."""
    sign = found[0]
    if code := found[1] or found[3]:
        sign = chr(int(code, 16))
    elif found[2]:
        sign = bytes.fromhex(sign.replace("%", "")).decode("utf-8", "replace")
    elif len(sign) > 1:
        sign = html.unescape(sign) if sign.startswith("&") else ""
    return _BREAK.sub("", sign if sign.isascii() else unicodedata.normalize("NFKC", sign))

"""Passwords: stored hashes, and comparison with them. Pure but for a new salt.

    scrypt 16384 8 5 73616c74 7023bdcb.. A

That is scrypt's parameters, the salt, the hash of the password with its first letter small, and
whether that letter is a capital: so a single look tells who has only missed its case. Without a
letter at the end the hash is of the password as it is.
"""

import hashlib
import hmac
import html
import math
import os
import re
import unicodedata
from datetime import date
from enum import Enum
from functools import lru_cache
from typing import Self

from msgspec import Struct

from pbm_oust.render.visible import UNSEEN

_SCRYPT = (2**14, 8, 5)
"""N, r and p of new hashes. They take as long as (2**17, 8, 1) and an eighth of its memory, 16 MB.

Source: OWASP, Password Storage Cheat Sheet, which has both among its least.
"""

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
"""Replaces a password where something else proves the sender. No password is that short."""


class Match(Enum):
    """The result of comparing a password with a stored hash."""

    RIGHT = "right"
    OTHER_CASE = "other case"
    """The password is right but for the case of its first letter."""
    WRONG = "wrong"


class Derivation(Struct, frozen=True):
    """A password and its scrypt parameters. Only `derive` takes long."""

    password: Secret
    salt: bytes
    n: int
    r: int
    p: int

    @classmethod
    def to_store(cls, password: Secret, salt: bytes) -> Self:
        """Return the derivation for storing a password."""
        return cls(_with_small_letter(password), salt, *_SCRYPT)

    @classmethod
    def to_match(cls, password: Secret, stored: str) -> Self:
        """Return the derivation for comparing a password with a stored hash."""
        n, r, p, salt, _, case = _parts(stored)
        folded = _with_small_letter(password) if case else password
        return cls(folded, salt, n, r, p)

    def derive(self) -> bytes:
        """Return the scrypt hash of the password.

        An earlier one, which took less work, takes as much here: so nobody learns which accounts
        have such a hash, or that there is an account.
        """
        text, (n, r, p) = self.password.text.encode(), _SCRYPT
        if (rest := p - self.n * self.r * self.p // (n * r)) > 0:
            hashlib.scrypt(text, salt=self.salt, n=n, r=r, p=rest, dklen=32)
        return hashlib.scrypt(text, salt=self.salt, n=self.n, r=self.r, p=self.p, dklen=32)

    def stored(self, password: Secret, derived: bytes) -> str:
        """Return the stored form of a password by its derived hash."""
        case = _CAPITAL if self.password != password else _SMALL
        return f"scrypt {self.n} {self.r} {self.p} {self.salt.hex()} {derived.hex()} {case}"


def match_derived(password: Secret, stored: str, derived: bytes) -> Match:
    """Return whether a password's hash is the stored one, in constant time."""
    *_, wanted, case = _parts(stored)
    if not hmac.compare_digest(derived, wanted):
        return Match.WRONG
    is_capital = _with_small_letter(password) != password
    return Match.OTHER_CASE if case and is_capital is not (case == _CAPITAL) else Match.RIGHT


def nobodys_password(userid: str) -> str:
    """Return a hash to compare with if there is no account, so that it takes as long."""
    salt = hashlib.sha256(userid.encode()).digest()[:16]
    return " ".join(("scrypt", *map(str, _SCRYPT), salt.hex(), "00" * 32, _SMALL))


def is_nobodys(stored: str) -> bool:
    """Return whether a stored hash is that of no password."""
    return stored.split()[5:6] == ["00" * 32]


def hash_password(password: Secret, salt: bytes | None = None) -> str:
    """Return the stored form of a password."""
    needed = Derivation.to_store(password, os.urandom(16) if salt is None else salt)
    return needed.stored(password, needed.derive())


def is_weak(stored: str) -> bool:
    """Return whether a stored hash takes less work than new ones."""
    n, r, p, *_ = _parts(stored)
    return n * r * p < math.prod(_SCRYPT)


def checked_former(text: str) -> str:
    """Return a stored hash behind the day until which it counts. Raises ValueError for others."""
    day, _, stored = text.partition(" ")
    if text:
        date.fromisoformat(day)
        checked_hash(stored)
    return text


def checked_hash(stored: str) -> str:
    """Return a stored hash unchanged. Raises ValueError for other texts."""
    _parts(stored)
    return stored


@lru_cache(1000)
def _parts(stored: str) -> tuple[int, int, int, bytes, bytes, str]:
    """Return the parts of a stored hash. Raises ValueError for other texts."""
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
"""A sign as encoded in URLs, quoted-printable or HTML, or plain."""
_BREAK = re.compile(rf"[\s>|{UNSEEN}]")
_ORDINARY = frozenset(map(chr, range(ord("!"), 127))) - {">", "|"}
"""Signs that need no encoding."""


def masked(text: str, secret: re.Pattern[str], instead: str, *, is_sure: bool = True) -> str:
    """Return a text with the last group of each match replaced.

    The pattern is applied to decoded text without characters that may break it. A pattern that is
    not sure may also find plain words; then a broken group counts only if it has a digit.
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
    """Return the decoded signs of a match, without those that may break a secret."""
    sign = found[0]
    if code := found[1] or found[3]:
        sign = chr(int(code, 16))
    elif found[2]:
        sign = bytes.fromhex(sign.replace("%", "")).decode("utf-8", "replace")
    elif len(sign) > 1:
        sign = html.unescape(sign) if sign.startswith("&") else ""
    return _BREAK.sub("", sign if sign.isascii() else unicodedata.normalize("NFKC", sign))

"""Passwords: what is stored of them, and whether one is right. Pure but for a new salt."""

import hashlib
import hmac
import os
import re
from dataclasses import dataclass

_SCRYPT = (2**14, 8, 1)

NOBODYS_PASSWORD = " ".join(("scrypt", *map(str, _SCRYPT), "00" * 16, "00" * 32))
"""What a password is compared with where there is no account, so that this takes as long."""

_STORED = re.compile(r"scrypt (\d{1,7}) (\d{1,2}) (\d{1,2}) (?:[0-9a-f]{2}){8,64} [0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Secret:
    """A password in clear. It is never printed: its repr and str hide it."""

    text: str

    def __repr__(self) -> str:
        return "Secret(********)"

    __str__ = __repr__


NO_PASSWORD = Secret("-")
"""What stands in the place of a password where something else proves who sent a command. No
password is that short."""


def hash_password(password: Secret, salt: bytes | None = None) -> str:
    """Return what is stored of a password: scrypt's parameters, the salt and the hash."""
    salt = os.urandom(16) if salt is None else salt
    n, r, p = _SCRYPT
    derived = _scrypt(password, salt, n, r, p)
    return f"scrypt {n} {r} {p} {salt.hex()} {derived.hex()}"


def is_password(password: Secret, stored: str) -> bool:
    """Return whether a password is the one whose hash is stored, in constant time."""
    _, n, r, p, salt, derived = stored.split()
    found = _scrypt(password, bytes.fromhex(salt), int(n), int(r), int(p))
    return hmac.compare_digest(found, bytes.fromhex(derived))


def is_password_but_for_case(password: Secret, stored: str) -> bool:
    """Return whether only the case of the first letter keeps a password from being right."""
    first, rest = password.text[:1], password.text[1:]
    return first != first.swapcase() and is_password(Secret(first.swapcase() + rest), stored)


def checked_hash(stored: str) -> str:
    """Return the stored hash of a password as it is. Raises ValueError for what is none."""
    match = _STORED.fullmatch(stored)
    n, r, p = map(int, match.groups()) if match else (0, 0, 0)
    if not (n > 1 and n.bit_count() == 1 and r and p):
        raise ValueError("the hash of the password cannot be read")
    return stored


def _scrypt(password: Secret, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.text.encode(), salt=salt, n=n, r=r, p=p, dklen=32)

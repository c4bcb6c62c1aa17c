"""Accounts, credentials and addresses. Pure but for the salt of a new password.

pbm_oust player 1
Userid: alice
Password: scrypt 16384 8 1 SALT HASH
Address: alice@example.org
Joined: 2026-11-20T15:36:00Z
Signup: 4f0c1d2e9a8b7c6d

Lines with other keys follow, any number of each: what the player has settled, kept for later or put
off. The module of each noun reads and writes its own.
"""

import hashlib
import hmac
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from pbm_oust.notation import CAUSE, USERID, format_time, parse_time

FIRST_LINE = "pbm_oust player 1"
_OWN_KEYS = ("Userid", "Password", "Address", "Joined", "Signup")

_SCRYPT = (2**14, 8, 1)
NOBODYS_PASSWORD = " ".join(("scrypt", *map(str, _SCRYPT), "00" * 16, "00" * 32))
"""What a password is compared with where there is no account, so that this takes as long."""

_STORED = re.compile(r"scrypt (\d{1,7}) (\d{1,2}) (\d{1,2}) (?:[0-9a-f]{2}){8,64} [0-9a-f]{64}")
_ATOM = r"[^.\x00-\x20\x7f-\xa0\s@<>()\",:;\\\[\]\ufffd]+"
_DOTTED = rf"{_ATOM}(?:\.{_ATOM})*"
_ADDRESS = re.compile(f"{_DOTTED}@{_DOTTED}")


class BadAccount(ValueError):
    """The text of an account that cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A password in clear. It is never printed: its repr and str hide it."""

    text: str

    def __repr__(self) -> str:
        return "Secret(********)"

    __str__ = __repr__


@dataclass(frozen=True, slots=True)
class Account:
    """A player: userid, the hash of the password, and the addresses that mail goes to."""

    userid: str
    password: str
    addresses: tuple[str, ...]
    joined: datetime
    cause: str = ""
    """The id of the mail that made the account, if one did."""
    others: tuple[tuple[str, str], ...] = ()
    """The lines with other keys, in the order of the file."""

    def values(self, key: str) -> tuple[str, ...]:
        """Return what stands in the lines with one of the other keys."""
        return tuple(value for found, value in self.others if found == key)

    def with_values(self, key: str, values: Iterable[str]) -> "Account":
        """Return the account with these lines in place of those with the same key."""
        kept = tuple(line for line in self.others if line[0] != key)
        return replace(self, others=(*kept, *((key, value) for value in values)))

    def has_address(self, address: str) -> bool:
        """Return whether this is one of the player's addresses, however it is written."""
        return any(is_same_address(address, own) for own in self.addresses)

    def has_exactly(self, address: str) -> bool:
        """Return whether this is one of the player's addresses, letter by letter of either case."""
        return address.lower() in map(str.lower, self.addresses)


def parse_userid(text: str) -> str:
    """Return a userid in its one form, lower case.

    Raises ValueError for what `notation.USERID` does not allow.
    """
    userid = text.lower()
    if not USERID.fullmatch(userid):
        raise ValueError(f"{text!r} is no userid")
    return userid


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


def normal_address(address: str) -> str:
    """Return the form in which addresses are compared: lower case, no +tag."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def is_same_address(one: str, other: str) -> bool:
    """Return whether two addresses are one, however they are written."""
    return normal_address(one) == normal_address(other)


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


def format_account(account: Account) -> str:
    """Return the text of an account's file."""
    lines = [
        FIRST_LINE,
        f"Userid: {account.userid}",
        f"Password: {account.password}",
        *(f"Address: {address}" for address in account.addresses),
        f"Joined: {format_time(account.joined)}",
        *([f"Signup: {account.cause}"] if account.cause else []),
        *(f"{key}: {value}" for key, value in account.others),
    ]
    return "\n".join(lines) + "\n"


def parse_account(text: str) -> Account:
    """Return the account that a file describes. Raises BadAccount."""
    first, *lines = text.splitlines() or [""]
    if first != FIRST_LINE:
        raise BadAccount(f"line 1: the first line is {FIRST_LINE!r}")
    found: dict[str, list[str]] = {}
    others: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 2):
        key, colon, value = line.partition(": ")
        if not colon:
            raise BadAccount(f"line {number}: a line is written 'Key: value'")
        if key in _OWN_KEYS:
            found.setdefault(key, []).append(value)
        else:
            others.append((key, value))
    try:
        return Account(
            userid=parse_userid(found["Userid"][0]),
            password=checked_hash(found["Password"][0]),
            addresses=tuple(map(parse_address, found.get("Address", ()))),
            joined=parse_time(found["Joined"][0]),
            cause=_checked_cause(found.get("Signup", [""])[0]),
            others=tuple(others),
        )
    except KeyError as error:
        raise BadAccount(f"there is no line {error.args[0]!r}") from None
    except ValueError as error:
        raise BadAccount(str(error)) from None


def _checked_cause(text: str) -> str:
    if text and not CAUSE.fullmatch(text):
        raise ValueError(f"{text!r} is no id of a message")
    return text


def checked_hash(stored: str) -> str:
    """Return the stored hash of a password as it is. Raises ValueError for what is none."""
    match = _STORED.fullmatch(stored)
    n, r, p = map(int, match.groups()) if match else (0, 0, 0)
    if not (n > 1 and n.bit_count() == 1 and r and p):
        raise ValueError("the hash of the password cannot be read")
    return stored


def _scrypt(password: Secret, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.text.encode(), salt=salt, n=n, r=r, p=p, dklen=32)

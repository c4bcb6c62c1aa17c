"""Accounts as values. Pure.

pbm_oust player 1
Userid: alice
Password: scrypt 16384 8 1 SALT HASH
Address: alice@example.org
Joined: 2026-11-20T15:36:00Z
Signup: 4f0c1d2e9a8b7c6d

Lines with other keys follow, any number of each: what the player has settled, kept for later or put
off. The module of each noun reads and writes its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from pbm_oust.accounts.address import is_same_address, parse_address
from pbm_oust.accounts.password import checked_hash
from pbm_oust.board.notation import CAUSE, USERID, format_time, parse_time

FIRST_LINE = "pbm_oust player 1"

_OWN_KEYS = ("Userid", "Password", "Address", "Joined", "Signup")


class BadAccount(ValueError):
    """The text of an account that cannot be read; the message says why."""


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

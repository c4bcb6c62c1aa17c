"""The commands about one's own account, from signup to delete."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbm_oust.commands.grammar import Form, Parameter, Rest
from pbm_oust.commands.values import OF_FILTERS, PASSWORD, USERID, read_userid
from pbm_oust.commands.words import SHORTEST_PASSWORD, fold, is_harmless
from pbm_oust.membership import is_placeholder
from pbm_oust.players import Secret, normal_address, parse_address
from pbm_oust.proofs import CODE
from pbm_oust.refusal import Unread, Unreadable

LONGEST_PASSWORD = 64
MOST_ADDRESSES = 5

RESERVED = OF_FILTERS | {"server", "operator", "draw"}
"""Words that commands and histories use where a userid could stand."""

_LIKE_ADDRESS = re.compile(r"[^@]+@[^@]+\.[^@]+")
_NOT_IN_PASSWORDS = re.compile("[\\s\"':,#\u2018-\u201f]")


@dataclass(frozen=True, slots=True)
class Signup:
    """Make an account; without addresses, mail goes to where the command came from."""

    userid: str
    password: Secret
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verify:
    """Prove an address by the code that was mailed to it."""

    code: Secret
    new: Secret | None
    """The password to be, where the code is for that."""


@dataclass(frozen=True, slots=True)
class Add:
    """Add addresses to an account; without any, that which the command came from."""

    userid: str
    password: Secret
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangeAddress:
    """Replace the addresses of an account; without any, by that which the command came from."""

    userid: str
    password: Secret
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangePassword:
    """Give an account another password."""

    userid: str
    password: Secret
    new: Secret


@dataclass(frozen=True, slots=True)
class Forgot:
    """Mail a code to the addresses of an account whose password is forgotten."""

    userid: str


@dataclass(frozen=True, slots=True)
class Signoff:
    """Take leave: the account stays, and boards that go on."""

    userid: str
    password: Secret


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove an account, after giving up its boards."""

    userid: str
    password: Secret


def read_new_userid(word: str) -> str:
    """Return the userid of an account to be made. Raises Unreadable."""
    userid = read_userid(word)
    if userid in RESERVED or is_placeholder(userid):
        raise Unreadable(Unread.BAD_USERID, word)
    return userid


def read_new_password(word: str) -> Secret:
    """Return a password to be kept. Raises Unreadable for one that could not be told apart.

    A password must not look like any other word of a command, because whatever might be a
    password is never shown again.
    """
    too_short = len(word) < SHORTEST_PASSWORD
    too_long = len(word) > LONGEST_PASSWORD
    if too_short or too_long or _NOT_IN_PASSWORDS.search(word) or is_harmless(word):
        raise Unreadable(Unread.BAD_PASSWORD)
    if _LIKE_ADDRESS.fullmatch(word):
        raise Unreadable(Unread.FORGOTTEN_PASSWORD)
    return Secret(word)


def _read_addresses(words: Sequence[str]) -> tuple[str, ...]:
    """Return addresses, each of them once, as it was written first. Raises Unreadable."""
    if len(words) > MOST_ADDRESSES:
        raise Unreadable(Unread.SURPLUS_WORD, words[MOST_ADDRESSES])
    for word in words:
        try:
            parse_address(word)
        except ValueError:
            raise Unreadable(Unread.BAD_ADDRESS, word) from None
    return tuple({normal_address(word): word for word in reversed(words)}.values())[::-1]


def _read_code(word: str) -> Secret:
    if not CODE.fullmatch(fold(word)):
        raise Unreadable(Unread.BAD_CODE)
    return Secret(fold(word))


def _read_new_password_if_any(words: Sequence[str]) -> Secret | None:
    if len(words) > 1:
        raise Unreadable(Unread.SURPLUS_WORD)
    return read_new_password(words[0]) if words else None


_NEW_PASSWORD = Parameter("NEWPASSWORD", read_new_password, is_secret=True)
_ADDRESSES = Rest(("[ADDRESS..]",), _read_addresses, least=0)

FORMS = (
    Form(
        "signup",
        Signup,
        (
            Parameter("USERID", read_new_userid),
            Parameter("PASSWORD", read_new_password, is_secret=True),
        ),
        _ADDRESSES,
        is_of_kind=False,
    ),
    Form(
        "verify",
        Verify,
        (Parameter("CODE", _read_code, is_secret=True),),
        Rest(("[NEWPASSWORD]",), _read_new_password_if_any, least=0, is_secret=True),
        is_of_kind=False,
    ),
    Form("add", Add, (USERID, PASSWORD), _ADDRESSES, is_of_kind=False),
    Form("change address", ChangeAddress, (USERID, PASSWORD), _ADDRESSES, is_of_kind=False),
    Form(
        "change password",
        ChangePassword,
        (USERID, PASSWORD, _NEW_PASSWORD),
        is_of_kind=False,
    ),
    Form("forgot", Forgot, (USERID,), is_of_kind=False),
    Form("signoff", Signoff, (USERID, PASSWORD), is_of_kind=False),
    Form("delete", Delete, (USERID, PASSWORD), is_of_kind=False),
)

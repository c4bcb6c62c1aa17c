"""The commands about accounts: signup."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbm_oust.commands.grammar import Form, Parameter, Rest
from pbm_oust.commands.values import Filter, read_userid
from pbm_oust.commands.words import SHORTEST_PASSWORD, is_harmless
from pbm_oust.membership import is_placeholder
from pbm_oust.players import Secret, parse_address
from pbm_oust.refusal import Unread, Unreadable

LONGEST_PASSWORD = 64
MOST_ADDRESSES = 5

RESERVED = frozenset({known.value for known in Filter} | {"server", "operator", "draw"})
"""Words that commands and histories use where a userid could stand."""

_LIKE_ADDRESS = re.compile(r"[^@]+@[^@]+\.[^@]+")
_NOT_IN_PASSWORDS = re.compile("[\\s\"':,#\u2018-\u201f]")


@dataclass(frozen=True, slots=True)
class Signup:
    """Make an account; without addresses, mail goes to where the command came from."""

    userid: str
    password: Secret
    addresses: tuple[str, ...]


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
    if len(words) > MOST_ADDRESSES:
        raise Unreadable(Unread.SURPLUS_WORD, words[MOST_ADDRESSES])
    for word in words:
        try:
            parse_address(word)
        except ValueError:
            raise Unreadable(Unread.BAD_ADDRESS, word) from None
    return tuple(words)


FORMS = (
    Form(
        "signup",
        Signup,
        (
            Parameter("USERID", read_new_userid),
            Parameter("PASSWORD", read_new_password, is_secret=True),
        ),
        Rest(("[ADDRESS..]",), _read_addresses, least=0),
        is_of_kind=False,
    ),
)

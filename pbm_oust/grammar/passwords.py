"""New userids and passwords, which must differ from all other words."""

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.reserved import is_reserved
from pbm_oust.accounts.status import is_placeholder
from dataclasses import dataclass
from pbm_oust.grammar.values import OF_FILTERS, BadUserid, read_userid
from pbm_oust.grammar.words import SHORTEST_PASSWORD, is_harmless
from pbm_oust.refusal import Unreadable, UnreadableReason
import re

LONGEST_PASSWORD = 64

RESERVED = OF_FILTERS | {"server", "operator", "draw"}
"""Words that commands and histories use where a userid could be."""

_LIKE_ADDRESS = re.compile(r"[^@]+@[^@]+\.[^@]+")

_NOT_IN_PASSWORDS = re.compile("[\\s\"':,#\u2018-\u201f]")


@dataclass(frozen=True, slots=True)
class ReservedUserid(UnreadableReason):
    """A new userid is kept for those who run servers."""


@dataclass(frozen=True, slots=True)
class BadPassword(UnreadableReason):
    """A password looks like another word, or is too short or too long."""


@dataclass(frozen=True, slots=True)
class ForgottenPassword(UnreadableReason):
    """A mail address is in the place of the password."""


def read_new_userid(word: str) -> str:
    """Return the userid of a new account. Raises Unreadable."""
    userid = read_userid(word)
    if userid in RESERVED or is_placeholder(userid):
        raise Unreadable(BadUserid(), word)
    if is_reserved(userid):
        raise Unreadable(ReservedUserid(), word)
    return userid


def read_new_password(word: str) -> Secret:
    """Return a new password. Raises Unreadable if it looks like another word.

    A password must not look like any other word of a command, because whatever might be a
    password is never shown.
    """
    too_short = len(word) < SHORTEST_PASSWORD
    too_long = len(word) > LONGEST_PASSWORD
    if too_short or too_long or _NOT_IN_PASSWORDS.search(word) or is_harmless(word):
        raise Unreadable(BadPassword())
    if _LIKE_ADDRESS.fullmatch(word):
        raise Unreadable(ForgottenPassword())
    return Secret(word)

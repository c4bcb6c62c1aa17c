"""Accounts that the operator has disabled, and those that are about to get another userid. Pure.

    Disabled: 2026-11-20T15:36:00Z
    Becomes: gone-1

The second line is there while a player is forgotten, renamed or joined with another: his boards get
the new userid one by one, and whoever goes on with it after a crash finds it there.
"""

import re
from datetime import datetime

from pbm_oust.notation import USERID, format_time, parse_time
from pbm_oust.players import Account, BadAccount

DISABLED_KEY = "Disabled"
BECOMES_KEY = "Becomes"

_PLACEHOLDER = re.compile(r"gone-[1-9][0-9]*")


def placeholder(number: int) -> str:
    """Return a userid that stands for somebody who has been forgotten."""
    return f"gone-{number}"


def is_placeholder(userid: str) -> bool:
    """Return whether a userid stands, or may once stand, for somebody who has been forgotten."""
    return bool(_PLACEHOLDER.fullmatch(userid))


def disabled_since(account: Account) -> datetime | None:
    """Return when the operator has disabled an account, or None. Raises BadAccount."""
    for value in account.values(DISABLED_KEY):
        try:
            return parse_time(value)
        except ValueError as error:
            raise BadAccount(f"disabled: {error}") from None
    return None


def with_disabled(account: Account, at: datetime | None) -> Account:
    """Return an account that is disabled since a time, or not any more."""
    return account.with_values(DISABLED_KEY, [format_time(at)] if at else [])


def becomes(account: Account) -> str:
    """Return the userid that a player is about to get; empty for most. Raises BadAccount."""
    for value in account.values(BECOMES_KEY):
        if not USERID.fullmatch(value):
            raise BadAccount(f"becomes: {value!r} is no userid")
        return value
    return ""


def with_becomes(account: Account, userid: str) -> Account:
    """Return an account that is about to get another userid."""
    return account.with_values(BECOMES_KEY, [userid] if userid else [])

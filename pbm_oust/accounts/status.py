"""Accounts whose player has signed off, that are disabled, or about to get another userid. Pure.

    SignedOff: 2026-11-20T15:36:00Z
    Disabled: 2026-11-20T15:36:00Z
    Becomes: alicia
    Tell: bob

The last two are there while a player is forgotten, renamed or joined with another: his boards
get the new userid one by one, and whoever goes on with it after a crash finds there which one it
is, and who is to be told.
"""

import re
from collections.abc import Iterable
from datetime import datetime

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.board.notation import USERID, format_time, parse_time

SIGNED_OFF_KEY = "SignedOff"
DISABLED_KEY = "Disabled"
BECOMES_KEY = "Becomes"
TELL_KEY = "Tell"

_PLACEHOLDER = re.compile(r"gone-[1-9][0-9]*")


def placeholder(number: int) -> str:
    """Return a userid that stands for somebody who has been forgotten."""
    return f"gone-{number}"


def is_placeholder(userid: str) -> bool:
    """Return whether a userid stands, or may once stand, for somebody who has been forgotten."""
    return bool(_PLACEHOLDER.fullmatch(userid))


def disabled_since(account: Account) -> datetime | None:
    """Return when the operator has disabled an account, or None. Raises BadAccount."""
    return _time_of(account, DISABLED_KEY)


def with_disabled(account: Account, at: datetime | None) -> Account:
    """Return an account that is disabled since a time, or not any more."""
    return account.with_values(DISABLED_KEY, [format_time(at)] if at else [])


def signed_off_since(account: Account) -> datetime | None:
    """Return when a player has signed off, or None. Raises BadAccount."""
    return _time_of(account, SIGNED_OFF_KEY)


def with_signed_off(account: Account, at: datetime | None) -> Account:
    """Return an account whose player has signed off at a time, or is there."""
    return account.with_values(SIGNED_OFF_KEY, [format_time(at)] if at else [])


def becomes(account: Account) -> str:
    """Return the userid that a player is about to get; empty for most. Raises BadAccount."""
    for value in account.values(BECOMES_KEY):
        if not USERID.fullmatch(value):
            raise BadAccount(f"becomes: {value!r} is no userid")
        return value
    return ""


def with_becomes(account: Account, userid: str, tell: Iterable[str] = ()) -> Account:
    """Return an account that is about to get another userid, or, where that is empty, is not.

    `tell` are the userids of those who are to be told.
    """
    account = account.with_values(BECOMES_KEY, [userid] if userid else [])
    return account.with_values(TELL_KEY, tell)


def to_be_told(account: Account) -> tuple[str, ...]:
    """Return the userids of those who are to be told that a player has another one."""
    return account.values(TELL_KEY)


def _time_of(account: Account, key: str) -> datetime | None:
    for value in account.values(key):
        try:
            return parse_time(value)
        except ValueError as error:
            raise BadAccount(f"{key}: {error}") from None
    return None

"""Accounts whose player has signed off, that are disabled, or that are gone. Pure."""

from datetime import datetime

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.kept import Column, Holds, Kept
from pbm_oust.board.notation import format_time
from pbm_oust.regex import regex

_PLACEHOLDER = regex(r"gone-[1-9][0-9]*")


def placeholder(number: int) -> str:
    """Return a userid that stands for somebody who has been forgotten."""
    return f"gone-{number}"


def is_placeholder(userid: str) -> bool:
    """Return whether a userid stands, or may once stand, for somebody who has been forgotten."""
    return bool(_PLACEHOLDER.fullmatch(userid))


def _since(name: str, key: str) -> Kept[datetime | None]:
    """Return how accounts keep since when they are in some state."""
    return Kept(
        name=name,
        key=key,
        columns=(Column("since", Holds.TIME),),
        empty=None,
        to_rows=lambda at: [(at,)] if at else [],
        of_rows=lambda rows: rows[0][0],
        to_lines=lambda at: [format_time(at)] if at else [],
    )


SIGNED_OFF = _since("signed_off", "SignedOff")
DISABLED = _since("disabled", "Disabled")


def disabled_since(account: Account) -> datetime | None:
    """Return when the operator has disabled an account, or None."""
    return DISABLED.of(account)


def with_disabled(account: Account, at: datetime | None) -> Account:
    """Return an account that is disabled since a time, or not any more."""
    return DISABLED.put(account, at)


def signed_off_since(account: Account) -> datetime | None:
    """Return when a player has signed off, or None."""
    return SIGNED_OFF.of(account)


def with_signed_off(account: Account, at: datetime | None) -> Account:
    """Return an account whose player has signed off at a time, or is there."""
    return SIGNED_OFF.put(account, at)

"""Accounts whose player has signed off, that are disabled, or that are gone. Pure."""

from datetime import datetime

from pbm_oust.accounts.account import Account, DisabledSince, SignedOffSince
from pbm_oust.accounts.items import to_the_second
from dataclasses import replace
import re

_PLACEHOLDER = re.compile(r"gone-[1-9][0-9]*")


def placeholder(number: int) -> str:
    """Return a userid that stands for somebody who has been forgotten."""
    return f"gone-{number}"


def is_placeholder(userid: str) -> bool:
    """Return whether a userid stands, or may once stand, for somebody who has been forgotten."""
    return bool(_PLACEHOLDER.fullmatch(userid))


def disabled_since(account: Account) -> datetime | None:
    """Return when the operator has disabled an account, or None."""
    return account.disabled[0].since if account.disabled else None


def with_disabled(account: Account, at: datetime | None) -> Account:
    """Return an account that is disabled since a time, or not any more."""
    return replace(account, disabled=(DisabledSince(to_the_second(at)),) if at else ())


def signed_off_since(account: Account) -> datetime | None:
    """Return when a player has signed off, or None."""
    return account.signed_off[0].since if account.signed_off else None


def with_signed_off(account: Account, at: datetime | None) -> Account:
    """Return an account whose player has signed off at a time, or is there."""
    return replace(account, signed_off=(SignedOffSince(to_the_second(at)),) if at else ())

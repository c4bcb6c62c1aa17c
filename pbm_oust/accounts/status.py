"""Accounts whose player has signed off, that are disabled, or about to get another userid. Pure.

A player who is forgotten, renamed or merged with another gets the new userid board by board. The
account says which userid that is, and who is to be told, so that it can go on after a crash.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.kept import Column, Holds, Kept, Row
from pbm_oust.board.notation import USERID, format_time

_PLACEHOLDER = re.compile(r"gone-[1-9][0-9]*")


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


def _becomes(rows: Sequence[Row]) -> str:
    ((userid,),) = rows
    if not USERID.fullmatch(userid):
        raise ValueError(f"{userid!r} is no userid")
    return str(userid)


BECOMES: Kept[str] = Kept(
    name="becomes",
    key="Becomes",
    columns=(Column("next_userid"),),
    empty="",
    to_rows=lambda userid: [(userid,)] if userid else [],
    of_rows=_becomes,
    to_lines=lambda userid: [userid] if userid else [],
)

TOLD: Kept[tuple[str, ...]] = Kept(
    name="to_be_told",
    key="Tell",
    columns=(Column("reader"),),
    empty=(),
    to_rows=lambda userids: [(userid,) for userid in userids],
    of_rows=lambda rows: tuple(userid for (userid,) in rows),
    to_lines=lambda userids: userids,
)


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


def becomes(account: Account) -> str:
    """Return the userid that a player is about to get; empty for most."""
    return BECOMES.of(account)


def with_becomes(account: Account, userid: str, tell: Iterable[str] = ()) -> Account:
    """Return an account that is about to get another userid, or, where that is empty, is not.

    `tell` are the userids of those who are to be told.
    """
    return TOLD.put(BECOMES.put(account, userid), tuple(tell))


def to_be_told(account: Account) -> tuple[str, ...]:
    """Return the userids of those who are to be told that a player has another one."""
    return TOLD.of(account)

"""Whom players want no games with, and how many boards at once they want. Pure."""

from collections.abc import Iterable, Sequence

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.kept import Column, Holds, Kept, Row

HIGHEST_LIMIT = 999


def _limit(rows: Sequence[Row]) -> int:
    ((limit,),) = rows
    if not 1 <= limit <= HIGHEST_LIMIT:
        raise ValueError(f"{limit} is no number from 1 to {HIGHEST_LIMIT}")
    return int(limit)


LIMIT: Kept[int] = Kept(
    name="board_limits",
    key="Limit",
    columns=(Column("boards", Holds.NUMBER),),
    empty=0,
    to_rows=lambda limit: [(limit,)] if limit else [],
    of_rows=_limit,
    to_lines=lambda limit: [str(limit)] if limit else [],
)


def _renamed(rejected: tuple[str, ...], old: str, new: str | None) -> tuple[str, ...]:
    renamed = (new if userid == old else userid for userid in rejected)
    return tuple(dict.fromkeys(userid for userid in renamed if userid))


REJECTED: Kept[tuple[str, ...]] = Kept(
    name="rejections",
    key="Reject",
    columns=(Column("rejected", Holds.USERID),),
    empty=(),
    to_rows=lambda rejected: [(userid,) for userid in rejected],
    of_rows=lambda rows: tuple(userid for (userid,) in rows),
    to_lines=lambda rejected: rejected,
    merged=lambda rejected, others: tuple(dict.fromkeys((*rejected, *others))),
    renamed=_renamed,
)


def limit_of(account: Account) -> int:
    """Return on how many active boards a player wants to be at once; 0 for any number."""
    return LIMIT.of(account)


def with_limit(account: Account, limit: int) -> Account:
    """Return an account with this limit; 0 takes it away."""
    return LIMIT.put(account, limit)


def rejected_by(account: Account) -> tuple[str, ...]:
    """Return the userids of those by whom a player is not to be challenged."""
    return REJECTED.of(account)


def with_rejected(account: Account, userids: Iterable[str]) -> Account:
    """Return an account that rejects these players and no others."""
    return REJECTED.put(account, tuple(dict.fromkeys(userids)))

"""The boards that a player watches, kept in his account as `Watch: oust 17`. Pure."""

import re
from collections.abc import Iterable

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.board.notation import NUMBER

KEY = "Watch"
MOST_WATCHED = 50

_NAME = re.compile(rf"[a-z]+ {NUMBER.pattern}")


def watched_by(account: Account) -> tuple[str, ...]:
    """Return the names of the boards that a player watches. Raises BadAccount."""
    names = account.values(KEY)
    for name in names:
        if not _NAME.fullmatch(name):
            raise BadAccount(f"the watched board {name!r} is not written 'oust 17'")
    return names


def with_watched(account: Account, names: Iterable[str]) -> Account:
    """Return an account that watches the boards of these names and no others."""
    return account.with_values(KEY, dict.fromkeys(names))


def may_watch(text: str, name: str) -> bool:
    """Return whether the text of an account has the line of a watched board of this name."""
    return f"\n{KEY}: {name}\n" in text

"""The boards that players watch. Pure."""

from collections.abc import Iterable

from pbm_oust.accounts.account import Account, WatchedBoard
from pbm_oust.accounts.items import board_of
from pbm_oust.frozen import replace

MOST_WATCHED = 50


def watched_by(account: Account) -> tuple[str, ...]:
    """Return the names of the boards that a player watches."""
    return tuple(each.name for each in account.watched)


def with_watched(account: Account, names: Iterable[str]) -> Account:
    """Return an account that watches the boards of these names and no others."""
    boards = dict.fromkeys(map(board_of, names))
    return replace(
        account, watched=tuple(WatchedBoard(kind=kind, board=board) for kind, board in boards)
    )

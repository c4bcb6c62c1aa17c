"""The boards that players watch. Pure."""

from collections.abc import Iterable

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.kept import Column, Holds, Kept, board_of, cells_of

MOST_WATCHED = 50

WATCHED: Kept[tuple[str, ...]] = Kept(
    name="watched",
    key="Watch",
    columns=(Column("kind"), Column("board", Holds.NUMBER)),
    empty=(),
    to_rows=lambda names: map(cells_of, names),
    of_rows=lambda rows: tuple(board_of(*row) for row in rows),
    to_lines=lambda names: names,
    merged=lambda names, others: tuple(dict.fromkeys((*names, *others))),
)


def watched_by(account: Account) -> tuple[str, ...]:
    """Return the names of the boards that a player watches."""
    return WATCHED.of(account)


def with_watched(account: Account, names: Iterable[str]) -> Account:
    """Return an account that watches the boards of these names and no others."""
    return WATCHED.put(account, tuple(dict.fromkeys(names)))

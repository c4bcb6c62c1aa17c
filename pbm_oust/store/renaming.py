"""Giving players another userid in all histories.

The boards are read and checked first, so that no writer has to wait for that.
"""

from collections.abc import Mapping
from types import MappingProxyType

from pbm_oust.board.game import Game
from dataclasses import dataclass
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.board_queries import boards_with
from pbm_oust.store.boards import Board, BoardChanged, Boards
from pbm_oust.store.database import Snapshot, Transaction
from pbm_oust.store.entries import BoardName

NOTHING: Mapping[BoardName, Game] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Renaming:
    """A player to be renamed, and the boards as they were when that was planned."""

    old: str
    new: str
    boards: tuple[Board, ...]


def plan_renaming(
    snapshot: Snapshot,
    boards: Boards,
    old: str,
    new: str,
    acted: Mapping[BoardName, Game] = NOTHING,
) -> Renaming:
    """Return the plan for giving a player another userid on all boards.

    `acted` holds the games of boards on which the same command acts before that. Raises
    DamagedHistory for a board that must be repaired first, or that would not replay afterwards,
    for example because one player would have both sides.
    """
    found = [
        boards.read(snapshot, KINDS[name.kind], name.board) for name in boards_with(snapshot, old)
    ]
    for board in found:
        after = boards.after(board, acted[board.name]) if board.name in acted else board
        boards.renamed(after, old, new)
    return Renaming(old, new, tuple(found))


def rename(transaction: Transaction, boards: Boards, renaming: Renaming) -> None:
    """Give a player the other userid on all boards.

    Raises BoardChanged if it has to be planned again, because a board has changed.
    """
    names = [board.name for board in renaming.boards]
    if boards_with(transaction, renaming.old) != names:
        raise BoardChanged(f"the boards of {renaming.old}")
    for board in renaming.boards:
        changed = transaction.boards.get(board.name)
        current = changed.board if changed else board
        boards.rename(transaction, current, renaming.old, renaming.new)

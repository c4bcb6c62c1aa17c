"""Replaying many histories, on all cores."""

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pbm_oust.cli.boards import state_of
from pbm_oust.cli.operator import Operator, no_board
from pbm_oust.doctor.finding import counted
from pbm_oust.refusal import Refusal
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.histories import DamagedHistory
from pbm_oust.store.home import Home
from pbm_oust.store.salvage import Salvage
from pbm_oust.store.waiting import BoardName

FEW = 500
"""So many histories are replayed before another process would have begun."""
TOGETHER = 50


def verified(operator: Operator, names: Sequence[BoardName]) -> Iterator[dict[str, Any]]:
    """Replay histories through the rules; yield what is found, in order."""
    cores = len(os.sched_getaffinity(0))
    if len(names) < FEW or cores == 1:
        yield from map(partial(_verify, operator.home, operator.boards), names)
        return
    operator.close()
    with multiprocessing.get_context("spawn").Pool(cores, _open, [operator.path]) as pool:
        yield from pool.imap(_verify_here, names, TOGETHER)


_here: list[tuple[Home, Salvage]] = []
"""The home, in a process that helps."""


def _open(path: Path) -> None:
    home = Home(path)
    _here.append((home, Salvage(home)))


def _verify_here(name: BoardName) -> dict[str, Any]:
    return _verify(*_here[0], name)


def _verify(home: Home, boards: Salvage, name: BoardName) -> dict[str, Any]:
    """Return what is found when a history is replayed. Raises Refused for a board that is gone."""
    kind = KINDS[name.kind]
    told = {"kind": name.kind, "board": name.board, "path": str(home.history_path(name))}
    try:
        game = boards.game(kind, name.board)
    except Refusal:
        raise no_board(kind, name.board) from None
    except DamagedHistory as damage:
        text = f"{name}: BAD: {damage}"
        return {"ok": False, **told, "line": damage.line, "reason": damage.reason, "text": text}
    text = f"{name}: ok, {counted(len(game.records), 'record')}, {state_of(game)}"
    return {"ok": True, **told, "text": text}

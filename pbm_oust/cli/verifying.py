"""Replaying many histories, on all cores."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from pbm_oust.board.game import Game
from pbm_oust.cli.boards import state_of
from pbm_oust.cli.operator import Operator, no_board
from pbm_oust.doctor.finding import counted
from pbm_oust.refusal import Refusal
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.faults import DatabaseFault, command_line
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, entry_of, find_entry
from pbm_oust.store.open_boards import Salvage
from pbm_oust.store.publishing import FileState
from pbm_oust.store.rebuilding import on_all_cores


def verified(operator: Operator, names: Sequence[BoardName]) -> Iterator[dict[str, Any]]:
    """Replay histories through the rules; yield what is found, in order."""
    here = operator.home, operator.boards
    for portion in on_all_cores(_verify_all, names, here, partial(_reader, operator.path)):
        yield from portion


def _reader(path: Path) -> tuple[Home, Salvage]:
    home = Home(path)
    return home, Salvage(home)


def _verify_all(reader: tuple[Home, Salvage], names: Sequence[BoardName]) -> list[dict[str, Any]]:
    home, boards = reader
    with suppress(DatabaseFault), home.database.read():
        return [_verify(home, boards, name) for name in names]
    return [_verify(home, boards, name) for name in names]


def _verify(home: Home, boards: Salvage, name: BoardName) -> dict[str, Any]:
    """Return what is found when a history is replayed, and compared with its row and its file.

    Raises Refused for a board that is gone.
    """
    kind = KINDS[name.kind]
    told = {"kind": name.kind, "board": name.board, "path": str(home.history_path(name))}
    try:
        game = boards.game(kind, name.board)
    except Refusal:
        raise no_board(kind, name.board) from None
    except DamagedHistory as damage:
        text = f"{name}: BAD: {damage}"
        return {"ok": False, **told, "line": damage.line, "reason": damage.reason, "text": text}
    if wrong := _difference(home, name, game):
        return {"ok": False, **told, "line": 0, "reason": wrong, "text": f"{name}: BAD: {wrong}"}
    text = f"{name}: ok, {counted(len(game.records), 'record')}, {state_of(game)}"
    return {"ok": True, **told, "text": text}


def _difference(home: Home, name: BoardName, game: Game) -> str:
    """Return in what the row or the file of a board differs from its history; empty if in nothing.

    Where the database cannot be read, or is not made yet, there is nothing to compare with.
    """
    if not (home.is_on_server or home.database.is_made):
        return ""
    with suppress(DatabaseFault):
        if home.ask(find_entry, name) != entry_of(game):
            advice = command_line(home.path, "home", "rebuild")
            return f"the database says something else than its history; do:  {advice}"
        if home.is_on_server:
            return ""
        try:
            state = home.ask(home.publisher.compare, name)
        except OSError as error:
            return str(error)
        if state is FileState.MISSING:
            return f"{home.history_path(name)} is missing"
        if state is not FileState.RIGHT:
            return f"{home.history_path(name)} differs from the history in the database"
    return ""

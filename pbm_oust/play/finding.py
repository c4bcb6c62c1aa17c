"""Finding boards: those of players or of everybody that pass a filter."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Generic, TypeVar

from msgspec import Struct, structs

from pbm_oust.board import Game, Summary
from pbm_oust.grammar.values import Filter
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import index
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game

T_co = TypeVar("T_co", covariant=True)

_STATES = {
    Filter.ALL: (index.BoardState.ACTIVE, index.BoardState.OVER),
    Filter.ACTIVE: (index.BoardState.ACTIVE,),
    Filter.NEXT: (index.BoardState.ACTIVE,),
    Filter.INACTIVE: (index.BoardState.OVER,),
}


class Wish(Struct, frozen=True):
    """Which boards are looked for."""

    kinds: Collection[Kind]
    userids: Sequence[str] = ()
    """Their players; empty for everybody. A userid that nobody has is on no board."""
    filter: Filter = Filter.ACTIVE
    since: datetime | None = None
    """If this is given, only boards of everybody with a record after that moment."""


class Found(Struct, Generic[T_co], frozen=True):
    """Some of the boards that were looked for: those on which something happened last."""

    boards: tuple[T_co, ...]
    count: int
    """How many there are in all."""
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""


def find_latest(work: UnitOfWork, wish: Wish, part: index.Window) -> Found[Summary]:
    """Return a part of some boards; those come first on which something happened last.

    Among boards of several kinds none can be skipped.
    """
    extract = _extract(work, wish, part)
    boards = tuple(entry.summary for entry in extract.entries)
    return Found(boards, extract.count, _damaged(work, wish))


def find_boards(work: UnitOfWork, wish: Wish, part: index.Window) -> Found[Summary]:
    """Return the same boards as `find_latest`, in order of kinds and numbers."""
    found = find_latest(work, wish, part)
    boards = sorted(found.boards, key=lambda each: index.BoardName(each.kind.name, each.board))
    return structs.replace(found, boards=tuple(boards))


def find_games(work: UnitOfWork, wish: Wish, most: int) -> Found[Game]:
    """Return the games of the first boards, in order of kinds and numbers."""
    extract = _extract(work, wish, index.Window(most))
    games: list[Game] = []
    damaged: set[index.BoardName] = set()
    for entry in sorted(extract.entries, key=lambda entry: entry.name):
        try:
            games.append(read_game(work.home, KINDS[entry.name.kind], entry.name.board))
        except DamagedHistory:
            damaged.add(entry.name)
    return Found(tuple(games), extract.count, _damaged(work, wish, damaged))


def _extract(work: UnitOfWork, wish: Wish, part: index.Window) -> index.Extract:
    extracts = [_of_kind(work, wish, kind.name, part) for kind in wish.kinds]
    entries = [entry for extract in extracts for entry in extract.entries]
    entries.sort(key=lambda entry: (entry.latest, entry.name), reverse=True)
    return index.Extract(entries[: part.most], sum(extract.count for extract in extracts))


def _of_kind(work: UnitOfWork, wish: Wish, kind: str, part: index.Window) -> index.Extract:
    states = _STATES[wish.filter]
    if not wish.userids:
        return work.home.ask(index.boards_in, kind, states, part, wish.since)
    if wish.filter is Filter.NEXT:
        return work.home.ask(index.boards_waiting_for, kind, wish.userids, part)
    return work.home.ask(index.boards_of, kind, wish.userids, states, part)


def _damaged(
    work: UnitOfWork, wish: Wish, found: Iterable[index.BoardName] = ()
) -> tuple[str, ...]:
    """Return the names of boards that cannot be read: those that were found, and known ones."""
    damaged = set(found)
    for kind in wish.kinds:
        known = work.home.ask(index.damaged_boards, kind.name, wish.userids or None)
        damaged.update(damage.name for damage in known)
    return tuple(map(str, sorted(damaged)))


def active_games(userid: str, home: Home, *, is_to_move: bool = False) -> Iterator[Game]:
    """Yield the active games in which a player owns a side; damaged ones are left out.

    `is_to_move`: only those that wait for the player.
    """
    for entry in home.ask(index.boards_of_player, userid):
        if is_to_move and entry.to_move != userid:
            continue
        with suppress(DamagedHistory, NotAllowed):
            game = read_game(home, KINDS[entry.name.kind], entry.name.board)
            if game.result is None and game.side_of(userid):
                yield game


def boards_naming(userid: str, home: Home) -> list[index.BoardName]:
    """Return the boards whose histories hold a userid."""
    return home.ask(index.boards_with, userid)

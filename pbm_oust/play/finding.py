"""Finding boards: those of players or of everybody that pass a filter."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Generic, TypeVar

from pbm_oust.board.game import Game
from pbm_oust.board.summary import Summary
from pbm_oust.frozen import frozen, replace
from pbm_oust.grammar.values import Filter
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.position import Kind
from pbm_oust.store.board_pages import Extract, Part, boards_in, boards_of, boards_waiting_for
from pbm_oust.store.board_queries import boards_with, damaged_boards
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.entries import BoardName, Entry, State
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import active_entries, game_of, summary_in

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_STATES = {
    Filter.ALL: (State.ACTIVE, State.OVER),
    Filter.ACTIVE: (State.ACTIVE,),
    Filter.NEXT: (State.ACTIVE,),
    Filter.INACTIVE: (State.OVER,),
}


@frozen
class Wish:
    """Which boards are looked for."""

    kinds: Collection[Kind]
    userids: Sequence[str] = ()
    """Their players; empty for everybody. A userid that nobody has is on no board."""
    filter: Filter = Filter.ACTIVE
    since: datetime | None = None
    """If this is given, only boards of everybody with a record after that moment."""


@frozen
class Found(Generic[T_co]):
    """Some of the boards that were looked for: those on which something happened last."""

    boards: tuple[T_co, ...]
    count: int
    """How many there are in all."""
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""


def find_latest(work: UnitOfWork, wish: Wish, part: Part) -> Found[Summary]:
    """Return a part of some boards; those come first on which something happened last.

    Among boards of several kinds none can be skipped.
    """
    return _read(work, wish, _extract(work, wish, part), summary_in)


def find_boards(work: UnitOfWork, wish: Wish, part: Part) -> Found[Summary]:
    """Return the same boards as `find_latest`, in order of kinds and numbers."""
    return _read(work, wish, _in_order(_extract(work, wish, part)), summary_in)


def find_games(work: UnitOfWork, wish: Wish, most: int) -> Found[Game]:
    """Return the games of the first boards, in order of kinds and numbers."""
    return _read(work, wish, _in_order(_extract(work, wish, Part(most))), game_of)


def _extract(work: UnitOfWork, wish: Wish, part: Part) -> Extract:
    extracts = [_of_kind(work, wish, kind.name, part) for kind in wish.kinds]
    entries = [entry for extract in extracts for entry in extract.entries]
    entries.sort(key=lambda entry: (entry.latest, entry.name), reverse=True)
    return Extract(entries[: part.most], sum(extract.count for extract in extracts))


def _of_kind(work: UnitOfWork, wish: Wish, kind: str, part: Part) -> Extract:
    states = _STATES[wish.filter]
    if not wish.userids:
        return work.home.ask(boards_in, kind, states, part, wish.since)
    if wish.filter is Filter.NEXT:
        return work.home.ask(boards_waiting_for, kind, wish.userids, part)
    return work.home.ask(boards_of, kind, wish.userids, states, part)


def _in_order(extract: Extract) -> Extract:
    return replace(extract, entries=sorted(extract.entries, key=lambda entry: entry.name))


def _read(
    work: UnitOfWork, wish: Wish, extract: Extract, read: Callable[[Home, Entry], T]
) -> Found[T]:
    """Return what is read about the boards of an extract, and which boards are damaged."""
    boards, damaged = list[T](), set[BoardName]()
    for entry in extract.entries:
        try:
            boards.append(read(work.home, entry))
        except DamagedHistory:
            damaged.add(entry.name)
        except NotAllowed:
            continue  # somebody has removed it, and the index does not know yet
    for kind in wish.kinds:
        known = work.home.ask(damaged_boards, kind.name, wish.userids or None)
        damaged.update(damage.name for damage in known)
    return Found(tuple(boards), extract.count, tuple(map(str, sorted(damaged))))


def active_games(userid: str, home: Home) -> Iterator[Game]:
    """Yield the active games in which a player owns a side; damaged ones are left out."""
    for entry in active_entries(home, userid):
        with suppress(DamagedHistory, NotAllowed):
            game = game_of(home, entry)
            if game.result is None and game.side_of(userid):
                yield game


def boards_naming(userid: str, home: Home) -> list[BoardName]:
    """Return the boards whose histories hold a userid."""
    return home.ask(boards_with, userid)

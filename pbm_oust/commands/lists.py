"""The commands that list boards: games, list and history. Nothing changes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from pbm_oust.accounts.seeks import Seek
from pbm_oust.board.game import Game
from pbm_oust.grammar.command import Command, Heading
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.showing import names_shown
from pbm_oust.grammar.values import (
    FILTER_WORDS,
    FILTERS,
    Filter,
    read_userids,
    read_userids_and_filter,
    write_userids_and_filter,
)
from pbm_oust.grammar.words import find_word
from pbm_oust.play.forms import OpenForm
from pbm_oust.play.notices import Notice
from pbm_oust.play.outcome import Handled
from pbm_oust.play.quota import Cost
from pbm_oust.play.request import Request
from pbm_oust.play.seeks import open_seeks
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store import board_queries
from pbm_oust.store.entries import Entry, State
from pbm_oust.store.histories import DamagedHistory
from pbm_oust.store.open_boards import game_of
from pbm_oust.store.waiting import BoardName


@dataclass(frozen=True, slots=True)
class Games(Command):
    """List the boards of these players, or of everybody, that pass the filter."""

    kind: Kind
    userids: tuple[str, ...]
    filter: Filter


@dataclass(frozen=True, slots=True)
class Listing(Command):
    """List the boards of these games, or of all, that go on or ended lately."""

    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Past(Command):
    """List the finished boards of these players, or of everybody, with their results."""

    kind: Kind
    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The boards that a list has."""

    games: tuple[Game, ...]
    left_out: int
    """The number of boards for which there is no room: those on which less has happened lately."""
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""


@dataclass(frozen=True, slots=True)
class GamesNotice(Notice):
    """A list of boards."""

    template = "games"
    kind: Kind
    asked_for: str
    """Whose boards were asked for, and with which filter: `alice bob active`."""
    games: tuple[Game, ...]
    left_out: int
    """The number of boards that are not listed."""
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""

    def listed(self) -> int:
        """Return the number of boards."""
        return len(self.games)


@dataclass(frozen=True, slots=True)
class ListNotice(Notice):
    """A list of active boards, open challenges, and boards that ended lately."""

    template = "list"
    kinds_asked: tuple[Kind, ...]
    active: Found
    seeks: tuple[tuple[Seek, str], ...]
    """Open challenges with the userids of those who made them."""
    seeks_left_out: int
    """The number of open challenges that are not listed."""
    ended: Found
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""


@dataclass(frozen=True, slots=True)
class HistoryNotice(Notice):
    """A list of finished boards, the latest first."""

    template = "history"
    kind: Kind
    userids: tuple[str, ...]
    """The players whose boards were asked for; empty for everybody."""
    games: tuple[Game, ...]
    left_out: int
    """The number of older ones."""
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""

    def listed(self) -> int:
        """Return the number of boards."""
        return len(self.games)


def _read_kinds(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(find_word(word, KINDS) for word in words))


LATE = timedelta(days=30)
"""How long finished boards are listed beside active ones."""


def list_games(command: Games, request: Request, work: UnitOfWork) -> Handled:
    """Answer with a list of boards."""
    userids = command.userids
    found = find_games(work, [command.kind], userids, command.filter, work.room.lines)
    notice = GamesNotice(
        work.sender_of(request),
        command.kind,
        asked_for=" ".join((*names_shown(userids, work.names_for(request)), command.filter.value)),
        games=found.games,
        left_out=found.left_out,
        damaged=found.damaged,
    )
    return work.answer(notice, request)


def list_all(command: Listing, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the boards that go on and those that ended lately."""
    kinds = [KINDS[name] for name in command.kinds] or list(KINDS.values())
    since, most = work.now() - LATE, work.room.lines
    active = find_games(work, kinds, (), Filter.ACTIVE, most)
    late = (work.home.ask(board_queries.finished_since, kind.name, since) for kind in kinds)
    ended = [entry for of_kind in late for entry in sorted(of_kind, key=_by_name)]
    seeks = open_seeks(kinds, work)
    notice = ListNotice(
        work.sender_of(request),
        kinds_asked=tuple(kinds),
        active=active,
        seeks=tuple(seeks[:most]),
        seeks_left_out=len(seeks[most:]),
        ended=_read_games(work, _kept(ended, most), len(ended)),
        damaged=active.damaged,
    )
    return work.answer(notice, request)


def list_past(command: Past, request: Request, work: UnitOfWork) -> Handled:
    """Answer with finished boards and their results, the latest first."""
    home, kind, userids, most = work.home, command.kind, command.userids, work.room.lines
    if userids:
        every = _entries(work, kind, userids, Filter.INACTIVE)
        latest, count = _latest(every)[:most], len(every)
    else:
        latest = home.ask(board_queries.latest_finished, kind.name, most)
        count = home.ask(board_queries.count_finished, kind.name)
    found = _read_games(work, latest, count, _damaged(work, [kind], userids))
    notice = HistoryNotice(
        work.sender_of(request),
        kind,
        names_shown(userids, work.names_for(request)),
        games=found.games,
        left_out=found.left_out,
        damaged=found.damaged,
    )
    return work.answer(notice, request)


def find_games(
    work: UnitOfWork, kinds: Iterable[Kind], userids: tuple[str, ...], chosen: Filter, most: int
) -> Found:
    """Return the games of these players that pass a filter, in order, as far as there is room.

    Without userids, the games of everybody; a userid that nobody has is on no board.
    """
    kinds = list(kinds)
    every = [entry for kind in kinds for entry in _entries(work, kind, userids, chosen)]
    return _read_games(work, _kept(every, most), len(every), _damaged(work, kinds, userids))


def _kept(entries: Sequence[Entry], most: int) -> list[Entry]:
    """Return those entries on which something happened last, in the order of all."""
    kept = {entry.name for entry in _latest(entries)[:most]}
    return [entry for entry in entries if entry.name in kept]


def _latest(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries of the index, those first on which something happened last."""
    return sorted(entries, key=lambda entry: (entry.latest, entry.name), reverse=True)


def _by_name(entry: Entry) -> BoardName:
    return entry.name


def _damaged(
    work: UnitOfWork, kinds: Iterable[Kind], userids: tuple[str, ...]
) -> Iterator[BoardName]:
    """Yield the names of the damaged boards of these players, or of all."""
    for kind in kinds:
        for damage in work.home.ask(board_queries.damaged_boards, kind.name, userids or None):
            yield damage.name


def _read_games(
    work: UnitOfWork, entries: Sequence[Entry], count: int, damaged: Iterable[BoardName] = ()
) -> Found:
    """Return the games of those entries, among so many, for which there is room.

    The names of boards that turn out to be damaged join those of `damaged`.
    """
    games, also_damaged = list[Game](), set(damaged)
    for entry in entries:
        try:
            games.append(game_of(work.home, entry))
        except DamagedHistory:
            also_damaged.add(entry.name)
        except NotAllowed:
            continue  # somebody has removed it, and the index does not know yet
    left_out = count - len(entries)
    return Found(tuple(games), left_out, tuple(map(str, sorted(also_damaged))))


def _entries(work: UnitOfWork, kind: Kind, userids: tuple[str, ...], chosen: Filter) -> list[Entry]:
    """Return the index entries of the boards that pass a filter, in order."""
    found: dict[BoardName, Entry] = {}
    for userid in userids or (None,):
        for state in _STATES[chosen]:
            if userid is None:
                some = work.home.ask(board_queries.boards_of_kind, kind.name, state)
            elif chosen is Filter.NEXT:
                some = work.home.ask(board_queries.boards_to_move, userid, kind.name)
            else:
                some = work.home.ask(board_queries.boards_of_player, userid, state, kind.name)
            found |= {entry.name: entry for entry in some}
    return [found[name] for name in sorted(found)]


_STATES = {
    Filter.ALL: (State.ACTIVE, State.OVER),
    Filter.ACTIVE: (State.ACTIVE,),
    Filter.NEXT: (State.ACTIVE,),
    Filter.INACTIVE: (State.OVER,),
}


FORMS = (
    OpenForm(
        "games",
        Games,
        rest=rest(
            (f"[USERID..] [{FILTERS}]",),
            read_userids_and_filter,
            write_userids_and_filter,
            least=0,
            fills=2,
            fixed=FILTER_WORDS,
        ),
        heading=Heading.LOOKING,
        rank=20,
        cost=Cost(work=2),
        run=list_games,
    ),
    OpenForm(
        "history",
        Past,
        rest=rest(("[USERID..]",), read_userids, tuple, least=0),
        heading=Heading.LOOKING,
        rank=80,
        cost=Cost(work=2),
        run=list_past,
    ),
    OpenForm(
        "list",
        Listing,
        rest=rest(("[GAME..]",), _read_kinds, tuple, least=0),
        heading=Heading.LOOKING,
        rank=10,
        needs_own_mail=True,
        cost=Cost(work=2),
        run=list_all,
    ),
)

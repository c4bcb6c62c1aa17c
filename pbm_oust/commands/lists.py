"""The commands that list boards: games, list and history. Nothing changes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from pbm_oust.accounts.seeks import Seek
from pbm_oust.board.game import Game
from pbm_oust.grammar.command import Command, Heading
from pbm_oust.grammar.parts import rest
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
class GamesNotice(Notice):
    """A list of boards."""

    template = "games"
    kind: Kind
    asked_for: str
    """Whose boards were asked for, and with which filter: `alice bob active`."""
    games: tuple[Game, ...]
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""


@dataclass(frozen=True, slots=True)
class ListNotice(Notice):
    """A list of active boards, open challenges, and boards that ended lately."""

    template = "list"
    kinds_asked: tuple[Kind, ...]
    active: tuple[Game, ...]
    seeks: tuple[tuple[Seek, str], ...]
    """Open challenges with the userids of those who made them."""
    ended: tuple[Game, ...]
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


def _read_kinds(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(find_word(word, KINDS) for word in words))


MOST_BOARDS_LISTED = 200

LATE = timedelta(days=30)
"""How long finished boards are listed beside active ones."""


def list_games(command: Games, request: Request, work: UnitOfWork) -> Handled:
    """Answer with a list of boards."""
    games, damaged = find_games(work, command.kind, command.userids, command.filter)
    asked_for = " ".join((*command.userids, command.filter.value))
    reader = work.sender_of(request)
    return work.answer(GamesNotice(reader, command.kind, asked_for, games, damaged), request)


def list_all(command: Listing, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the boards that go on and those that ended lately."""
    kinds = [KINDS[name] for name in command.kinds] or list(KINDS.values())
    since = work.now() - LATE
    games, damaged = list[Game](), list[str]()
    for kind in kinds:
        entries = work.home.ask(board_queries.boards_of_kind, kind.name, State.ACTIVE)
        entries += work.home.ask(board_queries.finished_since, kind.name, since)
        of_kind, damaged_of_kind = _read_games(work, kind, sorted(entries, key=_by_name))
        games += of_kind
        damaged += damaged_of_kind
    notice = ListNotice(
        work.sender_of(request),
        kinds_asked=tuple(kinds),
        active=tuple(game for game in games if not game.result),
        seeks=tuple(open_seeks(kinds, work)),
        ended=tuple(game for game in games if game.result),
        damaged=tuple(damaged),
    )
    return work.answer(notice, request)


def list_past(command: Past, request: Request, work: UnitOfWork) -> Handled:
    """Answer with finished boards and their results, the latest first."""
    home, kind, userids = work.home, command.kind, command.userids
    if userids:
        found = _entries(work, kind, userids, Filter.INACTIVE)
        count = len(found)
        latest = sorted(found, key=lambda entry: (entry.latest, entry.name.board), reverse=True)
    else:
        count = home.ask(board_queries.count_finished, kind.name)
        latest = home.ask(board_queries.latest_finished, kind.name, MOST_BOARDS_LISTED)
    games, damaged = _read_games(work, kind, latest[:MOST_BOARDS_LISTED], userids)
    notice = HistoryNotice(
        work.sender_of(request),
        kind,
        userids,
        games=games,
        left_out=max(0, count - MOST_BOARDS_LISTED),
        damaged=damaged,
    )
    return work.answer(notice, request)


def find_games_of_kinds(
    kinds: Iterable[Kind], userids: tuple[str, ...], chosen: Filter, work: UnitOfWork
) -> tuple[list[Game], list[str]]:
    """Return games of several kinds, and the names of boards that are damaged."""
    games, damaged = list[Game](), list[str]()
    for kind in kinds:
        of_kind, damaged_of_kind = find_games(work, kind, userids, chosen)
        games += of_kind
        damaged += damaged_of_kind
    return games, damaged


def find_games(
    work: UnitOfWork, kind: Kind, userids: tuple[str, ...], chosen: Filter
) -> tuple[tuple[Game, ...], tuple[str, ...]]:
    """Return the games of these players that pass a filter, and the names of damaged boards.

    Without userids, the games of everybody; a userid that nobody has is on no board.
    """
    return _read_games(work, kind, _entries(work, kind, userids, chosen), userids)


def _read_games(
    work: UnitOfWork, kind: Kind, entries: Iterable[Entry], userids: tuple[str, ...] = ()
) -> tuple[tuple[Game, ...], tuple[str, ...]]:
    """Return the games of entries, and the names of damaged boards of these players, or of all."""
    found = work.home.ask(board_queries.damaged_boards, kind.name, userids or None)
    games, damaged = list[Game](), {each.name for each in found}
    for entry in entries:
        try:
            games.append(game_of(work.home, entry))
        except DamagedHistory:
            damaged.add(entry.name)
        except NotAllowed:
            continue  # somebody has removed it, and the index does not know yet
    return tuple(games), tuple(map(str, sorted(damaged)))


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


def _by_name(entry: Entry) -> BoardName:
    return entry.name


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
        run=list_games,
    ),
    OpenForm(
        "history",
        Past,
        rest=rest(("[USERID..]",), read_userids, tuple, least=0),
        heading=Heading.LOOKING,
        rank=80,
        run=list_past,
    ),
    OpenForm(
        "list",
        Listing,
        rest=rest(("[GAME..]",), _read_kinds, tuple, least=0),
        heading=Heading.LOOKING,
        rank=10,
        needs_own_mail=True,
        run=list_all,
    ),
)

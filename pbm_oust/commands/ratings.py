"""The commands that show ratings: the standings, and where ratings come from."""

from dataclasses import dataclass

from pbm_oust.board.ratings import Change, SizeClass, Standing, Table, rate
from pbm_oust.grammar.command import Command, Heading
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.showing import names_shown
from pbm_oust.grammar.values import read_userids
from pbm_oust.play.forms import OpenForm
from pbm_oust.play.notices import Notice
from pbm_oust.play.outcome import Handled
from pbm_oust.play.quota import Cost
from pbm_oust.play.request import Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import finished_games
from pbm_oust.store.ratings import standings_of

_Explained = tuple[str, SizeClass, tuple[tuple[str, Change], ...]]


@dataclass(frozen=True, slots=True)
class Standings(Command):
    """List the players of a game by their ratings."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Ratings(Command):
    """Show where the ratings of these players come from, or list all ratings."""

    kind: Kind
    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StandingsNotice(Notice):
    """The players of a game by their ratings."""

    template = "standings"
    kind: Kind
    tables: tuple[tuple[SizeClass, tuple[Standing, ...], int], ...]
    """For each class of sizes its best players, and how many more there are."""


@dataclass(frozen=True, slots=True)
class RatingsNotice(Notice):
    """The games of players, and what each did to the rating."""

    template = "ratings"
    kind: Kind
    userids: tuple[str, ...]
    """The players whose ratings were asked for."""
    players: tuple[_Explained, ...]
    """Userids, sizes of boards, and the names of games with the changes they made."""
    left_out: int
    """The number of older games that are not explained."""


def show_standings(command: Standings, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the players of a game by their ratings."""
    tables = work.home.ask(standings_of, command.kind)
    listed = tuple(_best(table, work.room.lines) for table in tables)
    notice = StandingsNotice(work.sender_of(request), command.kind, listed)
    return work.answer(notice, request)


def show_ratings(command: Ratings, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the games of players and what each did to the rating."""
    if not command.userids:
        return show_standings(Standings(command.kind), request, work)
    tables = _tables(command.kind, work)
    players, room, left_out = list[_Explained](), work.room.lines, 0
    for userid in command.userids:
        for table in (each for each in tables if userid in each.standings):
            changes = _changes(table, userid)
            shown = changes[max(0, len(changes) - room) :]
            room -= len(shown)
            left_out += len(changes) - len(shown)
            players += [(userid, table.size, shown)] if shown else []
    reader = work.sender_of(request)
    names = names_shown(command.userids, work.names_for(request))
    notice = RatingsNotice(reader, command.kind, names, tuple(players), left_out)
    return work.answer(notice, request)


def _tables(kind: Kind, work: UnitOfWork) -> list[Table]:
    return rate(finished_games(work.home, kind))


def _best(table: Table, most: int) -> tuple[SizeClass, tuple[Standing, ...], int]:
    """Return the best players of a class of sizes, and how many more there are."""
    ordered = table.ordered()
    return table.size, tuple(ordered[:most]), len(ordered[most:])


def _changes(table: Table, userid: str) -> tuple[tuple[str, Change], ...]:
    """Return the games of a player by name, and what each did to the rating."""
    found = ((rated.game.name, rated.change_of(userid)) for rated in table.games)
    return tuple((name, change) for name, change in found if change)


FORMS = (
    OpenForm(
        "standings",
        Standings,
        heading=Heading.LOOKING,
        rank=90,
        needs_own_mail=True,
        cost=Cost(work=2),
        run=show_standings,
    ),
    OpenForm(
        "ratings",
        Ratings,
        rest=rest(("[USERID..]",), read_userids, tuple, least=0),
        heading=Heading.LOOKING,
        rank=100,
        needs_own_mail=True,
        run=show_ratings,
    ),
)

"""The commands that show ratings: the standings, and where ratings come from."""

from dataclasses import dataclass

from pbm_oust.board.ratings import Change, SizeClass, Table, rate
from pbm_oust.grammar.command import Command, Heading
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.values import read_userids
from pbm_oust.play.forms import OpenForm
from pbm_oust.play.notices import Notice
from pbm_oust.play.outcome import Handled
from pbm_oust.play.request import Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import finished_games


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
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class RatingsNotice(Notice):
    """The games of players, and what each did to the rating."""

    template = "ratings"
    kind: Kind
    userids: tuple[str, ...]
    """The players whose ratings were asked for."""
    players: tuple[tuple[str, SizeClass, tuple[tuple[str, Change], ...]], ...]
    """Userids, sizes of boards, and the names of games with the changes they made."""


MOST_CHANGES = 100
"""How many games of a player, the latest ones, one mail explains."""


def show_standings(command: Standings, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the players of a game by their ratings."""
    tables = tuple(_tables(command.kind, work))
    notice = StandingsNotice(work.sender_of(request), command.kind, tables)
    return work.answer(notice, request)


def show_ratings(command: Ratings, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the games of players and what each did to the rating."""
    if not command.userids:
        return show_standings(Standings(command.kind), request, work)
    tables = _tables(command.kind, work)
    players = tuple(
        (userid, table.size, _changes(table, userid))
        for userid in command.userids
        for table in tables
        if userid in table.standings
    )
    notice = RatingsNotice(work.sender_of(request), command.kind, command.userids, players)
    return work.answer(notice, request)


def _tables(kind: Kind, work: UnitOfWork) -> list[Table]:
    return rate(finished_games(work.home, kind))


def _changes(table: Table, userid: str) -> tuple[tuple[str, Change], ...]:
    """Return the latest games of a player by name, and what each did to the rating."""
    found = ((rated.game.name, rated.change_of(userid)) for rated in table.games)
    return tuple((name, change) for name, change in found if change)[-MOST_CHANGES:]


FORMS = (
    OpenForm("standings", Standings, heading=Heading.LOOKING, rank=90, run=show_standings),
    OpenForm(
        "ratings",
        Ratings,
        rest=rest(("[USERID..]",), read_userids, tuple, least=0),
        heading=Heading.LOOKING,
        rank=100,
        run=show_ratings,
    ),
)

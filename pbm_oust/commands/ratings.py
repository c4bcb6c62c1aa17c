"""The commands that show ratings: standings, and how they came about."""

from dataclasses import dataclass

from pbm_oust.board.ratings import Change, Table, rate
from pbm_oust.grammar.form import Form, Rest
from pbm_oust.grammar.values import read_userids
from pbm_oust.play.notices import Told
from pbm_oust.play.request import Action, Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import finished_games


@dataclass(frozen=True, slots=True)
class Standings:
    """List the players of a game by their ratings."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Ratings:
    """Show how the ratings of these players came about, or list all ratings."""

    kind: Kind
    userids: tuple[str, ...]


MOST_CHANGES = 100
"""How many games of a player one mail explains, the latest ones."""


def show_standings(command: Standings, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the players of a game by their ratings."""
    facts = {"kind": command.kind, "tables": _tables(command.kind, work)}
    return work.answer(Told(work.sender_of(request), "standings", facts), request)


def show_ratings(command: Ratings, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the games of players and what each did to the rating."""
    if not command.userids:
        return show_standings(Standings(command.kind), request, work)
    players = [
        (userid, table.size, _changes(table, userid))
        for userid in command.userids
        for table in _tables(command.kind, work)
        if userid in table.standings
    ]
    facts = {"kind": command.kind, "userids": command.userids, "players": players}
    return work.answer(Told(work.sender_of(request), "ratings", facts), request)


def _tables(kind: Kind, work: UnitOfWork) -> list[Table]:
    games = (game for game in finished_games(work.home) if game.header.kind is kind)
    return rate(games)


def _changes(table: Table, userid: str) -> list[tuple[str, Change]]:
    """Return the latest games of a player by name, and what each did to his rating."""
    found = ((rated.game.name, rated.change_of(userid)) for rated in table.games)
    return [(name, change) for name, change in found if change][-MOST_CHANGES:]


FORMS = (
    Form("standings", Standings),
    Form("ratings", Ratings, rest=Rest(("[USERID..]",), read_userids, least=0)),
)

UNSIGNED: dict[type, Action] = {Standings: show_standings, Ratings: show_ratings}

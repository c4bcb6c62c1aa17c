"""Ratings: standings, and how they came about."""

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Handled, Request
from pbm_oust.boards import finished_games
from pbm_oust.commands.ratings import Ratings, Standings
from pbm_oust.notices import Told
from pbm_oust.ratings import Change, Table, rate
from pbm_oust.rules.position import Kind

MOST_CHANGES = 100
"""How many games of a player one mail explains, the latest ones."""


def show_standings(command: Standings, request: Request, desk: Desk) -> Handled:
    """Answer with the players of a game by their ratings."""
    facts = {"kind": command.kind, "tables": _tables(command.kind, desk)}
    return desk.answer(Told(desk.sender_of(request), "standings", facts), request)


def show_ratings(command: Ratings, request: Request, desk: Desk) -> Handled:
    """Answer with the games of players and what each did to the rating."""
    if not command.userids:
        return show_standings(Standings(command.kind), request, desk)
    players = [
        (userid, table.size, _changes(table, userid))
        for userid in command.userids
        for table in _tables(command.kind, desk)
        if userid in table.standings
    ]
    facts = {"kind": command.kind, "userids": command.userids, "players": players}
    return desk.answer(Told(desk.sender_of(request), "ratings", facts), request)


def _tables(kind: Kind, desk: Desk) -> list[Table]:
    games = (game for game in finished_games(desk.home) if game.header.kind is kind)
    return rate(games)


def _changes(table: Table, userid: str) -> list[tuple[str, Change]]:
    """Return the latest games of a player by name, and what each did to his rating."""
    found = ((rated.game.name, rated.change_of(userid)) for rated in table.games)
    return [(name, change) for name, change in found if change][-MOST_CHANGES:]


UNSIGNED: dict[type, Action] = {Standings: show_standings, Ratings: show_ratings}

"""Looking: help, boards drawn, boards listed. Nothing changes."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.actions.seek import open_seeks
from pbm_oust.boards import DamagedHistory, each_header, read_game
from pbm_oust.commands.general import Help
from pbm_oust.commands.looking import AllShow, Games, Listing, Past, Show, ShowAs
from pbm_oust.commands.values import BoardAt, Filter
from pbm_oust.game import Game
from pbm_oust.notes import notes_of
from pbm_oust.notices import BoardNotice, BoardsNotice, GamesNotice, HelpNotice, News, Reader, Told
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind

MOST_BOARDS_SHOWN = 20
"""How many boards one mail draws."""
MOST_BOARDS_LISTED = 200
LATE = timedelta(days=30)
"""How long a board that is over is listed beside those that go on."""


def give_help(command: Help, request: Request, desk: Desk) -> Handled:
    """Answer with pages of the help."""
    return desk.answer(HelpNotice(desk.sender_of(request), command.subjects), request)


def show(
    command: Show,
    request: Request,
    desk: Desk,
    notes: Mapping[str, str] | None = None,
    reader: Reader | None = None,
) -> Handled:
    """Answer with boards drawn, and with the notes of the reader by their names."""
    notes = notes or {}
    reader = reader or desk.sender_of(request)
    if command.boards:
        views = tuple(_view_at(desk, command.kind, at) for at in command.boards)
        damaged: tuple[str, ...] = ()
    else:
        games, damaged = find_games(desk, command.kind, command.userids, command.filter)
        views = tuple((game, False) for game in games)
    if len(views) == 1 and not damaged:
        game, is_past = views[0]
        note = notes.get(game.name, "")
        return desk.answer(BoardNotice(reader, News.SHOWN, game, is_past, note=note), request)
    shown = views[:MOST_BOARDS_SHOWN]
    left_out = len(views) - len(shown)
    notice = BoardsNotice(reader, command.kind, shown, left_out, damaged, notes)
    return desk.answer(notice, request)


def show_as(command: ShowAs, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Answer with boards drawn as a player sees them, where other answers go, too."""
    addresses = desk.sender_of(request).addresses
    reader = replace(desk.player_at(actor.account, request), addresses=addresses)
    return show(command.show, request, desk, notes_of(actor.account), reader)


def list_games(command: Games, request: Request, desk: Desk) -> Handled:
    """Answer with a list of boards."""
    games, damaged = find_games(desk, command.kind, command.userids, command.filter)
    asked_for = " ".join((*command.userids, command.filter.value))
    reader = desk.sender_of(request)
    return desk.answer(GamesNotice(reader, command.kind, asked_for, games, damaged), request)


def show_all(command: AllShow, request: Request, desk: Desk) -> Handled:
    """Answer with the boards of players in all games drawn."""
    games, damaged = _games_of(KINDS.values(), command.userids, command.filter, desk)
    shown = games[:MOST_BOARDS_SHOWN]
    facts = {
        "asked_for": " ".join((*command.userids, command.filter.value)),
        "games": shown,
        "left_out": len(games) - len(shown),
        "damaged": damaged,
    }
    return desk.answer(Told(desk.sender_of(request), "all", facts), request)


def list_all(command: Listing, request: Request, desk: Desk) -> Handled:
    """Answer with the boards that go on and those that ended of late."""
    kinds = [KINDS[name] for name in command.kinds] or list(KINDS.values())
    games, damaged = _games_of(kinds, (), Filter.ALL, desk)
    since = desk.now() - LATE
    facts = {
        "kinds_asked": kinds,
        "seeks": open_seeks(kinds, desk),
        "active": [game for game in games if not game.result],
        "ended": [game for game in games if game.result and game.latest > since],
        "days": LATE.days,
        "damaged": damaged,
    }
    return desk.answer(Told(desk.sender_of(request), "list", facts), request)


def list_past(command: Past, request: Request, desk: Desk) -> Handled:
    """Answer with boards that are over and their results, the latest first."""
    games, damaged = find_games(desk, command.kind, command.userids, Filter.INACTIVE)
    ordered = sorted(games, key=lambda game: (game.latest, game.header.board), reverse=True)
    facts = {
        "kind": command.kind,
        "userids": command.userids,
        "games": ordered[:MOST_BOARDS_LISTED],
        "left_out": max(0, len(ordered) - MOST_BOARDS_LISTED),
        "damaged": damaged,
    }
    return desk.answer(Told(desk.sender_of(request), "history", facts), request)


def _games_of(
    kinds: Iterable[Kind], userids: tuple[str, ...], chosen: Filter, desk: Desk
) -> tuple[list[Game], list[str]]:
    """Return games of several kinds, and the names of boards that are damaged."""
    games, damaged = list[Game](), list[str]()
    for kind in kinds:
        of_kind, damaged_of_kind = find_games(desk, kind, userids, chosen)
        games += of_kind
        damaged += damaged_of_kind
    return games, damaged


def find_games(
    desk: Desk, kind: Kind, userids: tuple[str, ...], chosen: Filter
) -> tuple[tuple[Game, ...], tuple[str, ...]]:
    """Return the games of these players that a filter leaves, and the names of damaged boards.

    Without userids, the games of everybody; a userid that nobody has is on no board.
    """
    games, damaged = list[Game](), list[str]()
    for header in each_header(desk.home, kind):
        try:
            if isinstance(header, DamagedHistory):
                raise header
            if userids and not header.owners & set(userids):
                continue
            game = read_game(desk.home, kind, header.board)
        except DamagedHistory as damage:
            damaged.append(f"{kind.name} {damage.path.stem}")
            continue
        if _is_chosen(game, userids, chosen):
            games.append(game)
    return tuple(games), tuple(damaged)


def _view_at(desk: Desk, kind: Kind, at: BoardAt) -> tuple[Game, bool]:
    """Return a board as it is to be shown, and whether that is how it was earlier."""
    game = read_game(desk.home, kind, at.board)
    if at.number in (None, len(game.records)):
        return game, False
    if at.number is None or at.number > len(game.records):
        raise NotAllowed(Barred.NO_SUCH_RECORD, f"#{at.number}", game=game, number=at.number)
    return game.after(at.number), True


def _is_chosen(game: Game, userids: tuple[str, ...], chosen: Filter) -> bool:
    match chosen:
        case Filter.ALL:
            return True
        case Filter.ACTIVE:
            return game.result is None
        case Filter.INACTIVE:
            return game.result is not None
        case Filter.NEXT:
            return game.result is None and (not userids or game.player_to_move in userids)


SIGNED: dict[type, Action] = {ShowAs: show_as}
UNSIGNED: dict[type, Action] = {
    Help: give_help,
    Show: show,
    AllShow: show_all,
    Games: list_games,
    Listing: list_all,
    Past: list_past,
}

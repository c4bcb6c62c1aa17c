"""Games brought in from elsewhere: written as boards of their own, each once."""

from dataclasses import replace

from pbm_oust.board.formats.sheet import Draft
from pbm_oust.board.game import Game
from pbm_oust.board.header import Header
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import DamagedHistory, each_header, read_game


class NotImported(Exception):
    """Why a game that is whole in itself cannot become a board here."""


def import_game(draft: Draft, home: Home, number: int | None = None) -> Game:
    """Make a board of a game, under a number or the next one, and return it.

    Nobody is mailed. Raises BadGame and NotImported, as `plan_import` does.
    """
    game, _ = draft.check()
    kind = game.header.kind.name
    with home.next_board(kind):
        planned, history = plan_import(draft, home, number)
        home.create_history(kind, planned.header.board, history)
    return planned


def plan_import(draft: Draft, home: Home, number: int | None = None) -> tuple[Game, str]:
    """Return a game as the board it would become, and its history.

    Raises BadGame for what does not replay, and NotImported for a number that is taken, for a game
    that is here already, and for one that goes on where a player has no account.
    """
    game, _ = draft.check()
    boards = home.boards(game.header.kind.name)
    if number in boards:
        raise NotImported(f"there is a board {game.header.kind.name} {number} already")
    known = _known(game, home)
    if known:
        raise NotImported(f"this game is here already: {known.name}")
    missing = [userid for userid in (game.x, game.o) if not home.has_player(userid)]
    if missing and not game.result:
        accounts = f"there is none of {' and '.join(missing)}"
        raise NotImported(f"the game goes on, so both players need accounts, and {accounts}")
    return draft.on_board(number or max(boards, default=0) + 1).check()


def _known(game: Game, home: Home) -> Game | None:
    """Return the same game as it is here already, though one of both may have gone on."""
    for header in each_header(home, game.header.kind):
        if isinstance(header, Header) and replace(game.header, board=header.board) == header:
            try:
                known = read_game(home, header.kind, header.board)
            except DamagedHistory:
                continue
            shorter = min(len(known.records), len(game.records))
            if known.records[:shorter] == game.records[:shorter]:
                return known
    return None

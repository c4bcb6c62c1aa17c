"""The page of a player who is signed in, and the boards on which they play."""

from collections.abc import Iterable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pbm_oust.accounts.answered import Purpose, Reply
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.notes import note_about
from pbm_oust.accounts.queue import waiting
from pbm_oust.board.game import Game
from pbm_oust.grammar.values import Filter
from pbm_oust.play.finding import Wish, find_games, find_latest
from pbm_oust.play.seeks import open_seeks
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.board_pages import Part
from pbm_oust.store.open_boards import game_if_any
from pbm_oust.web import addresses
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.sessions import SignedIn, form_of_player, player_of
from pbm_oust.web.sitting import Papers, Sitting, act_at, look_at

MOST_WAITING = 100
"""How many boards are listed that wait for the player."""
MOST_LISTED = 50
"""How many other boards are listed, and how many open challenges."""
MOST_ENDED = 10
_NUMBER = "number"
"""The hidden field with the number of the record that a form may make."""


async def mine(request: Request) -> Response:
    """Answer with the boards of the player, those first whose time runs out first."""
    player, ground = player_of(request), ground_of(request)
    kinds, own = list(KINDS.values()), (player.userid,)
    with ground.home.database.sharing():
        waits = find_games(ground.work, Wish(kinds, own, Filter.NEXT), MOST_WAITING)
        active = find_latest(ground.work, Wish(kinds, own), Part(MOST_LISTED))
        ended = find_latest(ground.work, Wish(kinds, own, Filter.INACTIVE), Part(MOST_ENDED))
        seeks = open_seeks(kinds, ground.work)[:MOST_LISTED]
        due = _by_deadline(waits.boards, ground)
    page = ground.page(
        request,
        "mine",
        templates=ground.templates_in(player.language),
        player=player,
        due=due,
        count=waits.count,
        others=[each for each in active.boards if each.to_move != player.userid],
        ended=ended.boards,
        seeks=seeks,
        damaged=waits.damaged,
    )
    page.headers.update(KEPT_SECRET)
    return page


async def look(request: Request) -> Response:
    """Answer with a board on which the player plays."""
    player, game = player_of(request), _game(request)
    if game.side_of(player.userid) is None:
        return RedirectResponse(addresses.of_board(game.name), 303, KEPT_SECRET)
    return look_at(_sitting(player, game, game.next_number), request)


async def act(request: Request) -> Response:
    """Carry out what the player has chosen on a board."""
    player, form = await form_of_player(request)
    game, number = _game(request), form.get(_NUMBER, "")
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    if not (is_number and game.side_of(player.userid)):
        raise HTTPException(400)
    return await act_at(_sitting(player, game, int(number)), form, request)


def _by_deadline(games: Iterable[Game], ground: Ground) -> list[tuple[Game, Clock]]:
    """Return games with the clocks of their players, the earliest deadline first."""
    clocked = ((game, ground.work.clock_of(game)) for game in games)
    return sorted(clocked, key=lambda each: (each[1].deadline, each[0].name))


def _game(request: Request) -> Game:
    """Return the game that a path names. Raises HTTPException."""
    given = request.path_params
    game = game_if_any(ground_of(request).home, given["kind"], given["board"])
    if game is None:
        raise HTTPException(404)
    return game


def _sitting(player: SignedIn, game: Game, number: int) -> Sitting:
    """Return a player at a board, whose forms may make the record of a number."""
    header, hidden = game.header, player.hidden()
    reply = Reply(Purpose.PLAY, header.kind.name, header.board, number, player.userid)
    plans = tuple(str(plan.clause) for plan in waiting(player.account, game))
    papers = Papers(note_about(player.account, game.name), plans, hidden)
    path = addresses.of_own_board(game.name)
    return Sitting(reply, path, {**hidden, _NUMBER: str(game.next_number)}, papers)


_BOARD = f"{addresses.MINE}/{{kind:kind}}/{{board:number}}"
ROUTES = (
    Route(addresses.MINE, mine, methods=["GET"]),
    Route(_BOARD, look, methods=["GET"]),
    Route(_BOARD, act, methods=["POST"]),
)

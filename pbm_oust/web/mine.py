"""The page of a player who is signed in, and the boards on which they play."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pbm_oust.accounts.account import note_about
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.queue import waiting
from pbm_oust.accounts.tags import AnswerPurpose, Reply
from pbm_oust.board.game import Game
from pbm_oust.grammar.values import Filter
from pbm_oust.letters.layout import Block
from pbm_oust.play.finding import Wish, find_games, find_latest
from pbm_oust.play.starting import open_seeks
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.index import Part
from pbm_oust.store.open_boards import game_if_any
from pbm_oust.web import addresses
from pbm_oust.web.doing import done
from pbm_oust.web.forms import kept_from
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.sessions import SignedIn, form_of_player, player_of
from pbm_oust.web.settling import settings_page
from pbm_oust.web.sitting import Papers, Sitting, act_at, again_at, look_at

MOST_WAITING = 100
"""How many boards are listed that wait for the player."""
MOST_LISTED = 50
"""How many other boards are listed, and how many open challenges."""
MOST_ENDED = 10
_NUMBER = "number"
"""The hidden field with the number of the record that a form may make."""


async def mine(request: Request) -> Response:
    """Answer with the boards of the player, those first whose time runs out first."""
    return _mine(request, player_of(request), {})


def _mine(
    request: Request, player: SignedIn, form: Mapping[str, str], refused: Sequence[Block] = ()
) -> Response:
    """Return the boards of a player; a form that was refused has what was typed."""
    ground = ground_of(request)
    kinds, own = list(KINDS.values()), (player.userid,)
    with ground.home.database.read():
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
        refused=refused,
        kept=kept_from(form, form.get("command", "line")),
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


async def do(request: Request) -> Response:
    """Carry out the command in a form, and show what came of it."""
    player, form = await form_of_player(request)
    if form.get("back") == addresses.SETTINGS:
        again = partial(settings_page, request, player, form)
        return await done(player, form, request, addresses.SETTINGS, again)
    game = _game_in(form, ground_of(request).home)
    if game and game.side_of(player.userid):
        sitting = _sitting(player, game, game.next_number)
        return await done(
            player, form, request, sitting.path, partial(again_at, sitting, form, request)
        )
    return await done(player, form, request, addresses.MINE, partial(_mine, request, player, form))


def _game_in(form: Mapping[str, str], home: Home) -> Game | None:
    """Return the game that a form is about, if it names one."""
    kind, board = form.get("kind", ""), form.get("board", "")
    is_number = board.isascii() and board.isdigit() and len(board) < 10
    return game_if_any(home, KINDS[kind], int(board)) if kind in KINDS and is_number else None


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
    reply = Reply(AnswerPurpose.PLAY, header.kind.name, header.board, number, player.userid)
    plans = tuple(
        str(plan.clause) for plan in waiting(player.account.queue, player.account.userid, game)
    )
    papers = Papers(note_about(player.account, game.name), plans, hidden)
    path = addresses.of_own_board(game.name)
    return Sitting(reply, path, {**hidden, _NUMBER: str(game.next_number)}, papers)


_BOARD = f"{addresses.MINE}/{{kind:kind}}/{{board:number}}"
ROUTES = (
    Route(addresses.MINE, mine, methods=["GET"]),
    Route(addresses.DO, do, methods=["POST"]),
    Route(_BOARD, look, methods=["GET"]),
    Route(_BOARD, act, methods=["POST"]),
)

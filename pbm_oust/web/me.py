"""The pages of a player who is signed in: their boards, new boards, and their settings.

Each form there is a command of the table that mail has, too.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.accounts.account import HOUSE
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.settings import NAMES, values_of
from pbm_oust.accounts.vacations import days_left
from pbm_oust.board import Game, Terms
from pbm_oust.grammar.values import Filter
from pbm_oust.letters.layout import Block
from pbm_oust.play.finding import Wish, find_games, find_latest
from pbm_oust.play.request import Request as Asked
from pbm_oust.play.starting import open_seeks
from pbm_oust.refusal import Refusal
from pbm_oust.rules import KINDS, Kind, Side, format_size
from pbm_oust.store.home import Home
from pbm_oust.store.index import Window
from pbm_oust.store.open_boards import game_if_any
from pbm_oust.web import addresses, forms
from pbm_oust.web.addresses import number_in
from pbm_oust.web.boards import news
from pbm_oust.web.feeds import calendar_address
from pbm_oust.web.ground import KEPT_SECRET, Ground, ground_of
from pbm_oust.web.live import state_of
from pbm_oust.web.play import act_at, own_sitting, page_at
from pbm_oust.web.sign_in import ONCE, SignedIn, form_of_player, player_of

Again = Callable[[Sequence[Block]], Response]
"""Shows the page of a form once more, with why it was refused and what was typed."""

MOST_WAITING = 100
"""How many boards are listed that wait for the player."""
MOST_LISTED = 50
"""How many other boards are listed, and how many open challenges."""
MOST_ENDED = 10
_LONGEST_ONCE = 64
_NUMBER = "number"
"""The hidden field with the number of the record that a form may make."""


async def mine(request: Request) -> Response:
    """Answer with the boards of the player, those first whose time runs out first."""
    return _mine_page(request, player_of(request), {})


def _mine_page(
    request: Request, player: SignedIn, form: Mapping[str, str], refused: Sequence[Block] = ()
) -> Response:
    """Return the boards of a player; a form that was refused has what was typed."""
    ground = ground_of(request)
    kinds, own = list(KINDS.values()), (player.userid,)
    with ground.home.database.read():
        waits = find_games(ground.work, Wish(kinds, own, Filter.NEXT), MOST_WAITING)
        active = find_latest(ground.work, Wish(kinds, own), Window(MOST_LISTED))
        ended = find_latest(ground.work, Wish(kinds, own, Filter.INACTIVE), Window(MOST_ENDED))
        seeks = open_seeks(kinds, ground.work)[:MOST_LISTED]
        due = _by_deadline(waits.boards, ground)
    return ground.secret_page(
        player.language,
        "mine",
        player=player,
        due=due,
        count=waits.count,
        others=[each for each in active.boards if each.to_move != player.userid],
        ended=ended.boards,
        seeks=seeks,
        damaged=waits.damaged,
        refused=refused,
        now=ground.clock(),
        state=ground.home.ask(state_of, player.userid),
        kept=forms.kept_from(form, form.get("command", "")),
    )


async def events(request: Request) -> Response:
    """Answer with what differs after each record on a board of the player, when it changes."""
    return news(request, player_of(request).userid)


async def next_board(request: Request) -> Response:
    """Lead to the board that waits for the player and whose time runs out first."""
    player, ground = player_of(request), ground_of(request)
    wish = Wish(list(KINDS.values()), (player.userid,), Filter.NEXT)
    with ground.home.database.read():
        due = _by_deadline(find_games(ground.work, wish, MOST_WAITING).boards, ground)
    path = addresses.of_own_board(due[0][0].name) if due else addresses.MINE
    return RedirectResponse(path, 303, KEPT_SECRET)


async def look_at_command(request: Request) -> Response:
    """Answer with a form for any command."""
    return _command_page(request, player_of(request), {})


def _command_page(
    request: Request, player: SignedIn, form: Mapping[str, str], refused: Sequence[Block] = ()
) -> Response:
    """Return the form; one that was refused has what was typed."""
    kept = forms.kept_from(form, "line")
    return ground_of(request).secret_page(
        player.language, "command", player=player, refused=refused, kept=kept
    )


async def look(request: Request) -> Response:
    """Answer with a board on which the player plays."""
    player, game = player_of(request), _game(request)
    if game.side_of(player.userid) is None:
        return RedirectResponse(addresses.of_board(game.name), 303, KEPT_SECRET)
    return page_at(own_sitting(player, game, game.next_number), request)


async def act(request: Request) -> Response:
    """Carry out what the player has chosen on a board."""
    player, form = await form_of_player(request)
    game, number = _game(request), number_in(form.get(_NUMBER, ""))
    if number is None or game.side_of(player.userid) is None:
        raise HTTPException(400)
    return await act_at(own_sitting(player, game, number), form, request)


async def do(request: Request) -> Response:
    """Carry out the command in a form, and show what came of it."""
    player, form = await form_of_player(request)
    game = _game_in(form, ground_of(request).home)
    if form.get("back") == addresses.SETTINGS:
        back, again = addresses.SETTINGS, partial(_settings_page, request, player, form)
    elif game and game.side_of(player.userid):
        sitting = own_sitting(player, game, game.next_number)
        back, again = sitting.path, partial(page_at, sitting, request, form)
    elif "line" in form:
        back, again = addresses.COMMAND, partial(_command_page, request, player, form)
    else:
        back, again = addresses.MINE, partial(_mine_page, request, player, form)
    return await _done(player, form, request, back, again)


def _game_in(form: Mapping[str, str], home: Home) -> Game | None:
    """Return the game that a form is about, if it names one."""
    kind, board = KINDS.get(form.get("kind", "")), number_in(form.get("board", ""))
    return game_if_any(home, kind, board) if kind and board is not None else None


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


async def look_at_challenge(request: Request) -> Response:
    """Answer with a form for each game."""
    return _challenge_page(request, player_of(request), {})


def _challenge_page(
    request: Request, player: SignedIn, form: Mapping[str, str], refused: Sequence[Block] = ()
) -> Response:
    """Return the forms; one that was refused has what was typed."""
    ground = ground_of(request)
    return ground.secret_page(
        player.language,
        "challenge",
        player=player,
        opponent=request.query_params.get("opponent", ""),
        usual=Terms(),
        has_house=ground.work.has_house,
        refused=refused,
        kept=forms.kept_from(form, form.get("kind", "")),
        sizes={kind.name: list(_sizes(kind)) for kind in KINDS.values()},
    )


async def challenge(request: Request) -> Response:
    """Challenge the player in a form or, if there is none, let anybody join."""
    player, form = await form_of_player(request)
    again = partial(_challenge_page, request, player, form)
    return await _done(player, _command(player, form), request, addresses.CHALLENGE, again)


def _sizes(kind: Kind) -> Iterator[tuple[str, str, str]]:
    """Yield the option for each shape of grid that a game has, the shape, and the usual size."""
    for shape, grid in kind.defaults.items():
        name = "size" if shape is kind.own_shape else shape.value
        yield name, shape.value, format_size(grid)


def _command(player: SignedIn, form: Mapping[str, str]) -> Mapping[str, str]:
    """Return the fields of the command that a form asks for."""
    opponent, side = form.get("opponent", "").strip(), form.get("side", "")
    is_house = "".join(opponent.split()).lower() in HOUSE
    opponent = "".join(opponent.split()) if is_house else opponent
    if opponent:
        pair = (player.userid, opponent)
        is_second = side == Side.O.value or (not side and secrets.randbelow(2))
        x, o = pair[::-1] if is_second else pair
        return {**form, "command": "challenge", "userid1": x, "userid2": o}
    sides = {f"option.{side}": "on"} if side in {each.value for each in Side} else {}
    return {**form, "command": "seek", **sides}


async def look_at_settings(request: Request) -> Response:
    """Answer with all that the player has settled, and forms that change it."""
    return _settings_page(request, player_of(request), {})


def _settings_page(
    request: Request, player: SignedIn, form: Mapping[str, str], refused: Sequence[Block] = ()
) -> Response:
    """Return all that a player has settled; a form that was refused has what was typed."""
    ground = ground_of(request)
    settings, now = player.settings, ground.work.now()
    absences = player.account.vacations
    return ground.secret_page(
        player.language,
        "settings",
        player=player,
        settings=[(name, settings.text_of(name), values_of(name)) for name in NAMES],
        absences=[each for each in absences if each.end > now],
        days_left=days_left(absences, now.astimezone(settings.zone).year, settings.zone),
        calendar=calendar_address(player.account, ground),
        refused=refused,
        kept=forms.kept_from(form, form.get("command", "settings")),
        today=now.astimezone(settings.zone).date(),
    )


async def settle(request: Request) -> Response:
    """Change what is no longer as a form has it."""
    player, form = await form_of_player(request)
    known = {name: player.settings.text_of(name) for name in NAMES}
    known |= {each.name: "" for each in player.settings.unknown if each.name in known}
    changes = [
        (name, value)
        for name, before in known.items()
        if (value := "".join(form.get(name, "").split())) and value != before
    ]
    rest = " ".join(f"{name} {value}" for name, value in changes)
    fields = {**form, "command": "settings", "rest": rest}
    again = partial(_settings_page, request, player, form)
    return await _done(player, fields, request, addresses.SETTINGS, again)


async def _done(
    player: SignedIn, form: Mapping[str, str], request: Request, back: str, again: Again
) -> Response:
    """Carry out the command of a player's form, and show what came of it.

    `back` is where the answer leads back to. What is refused is shown `again`. Raises
    HTTPException.
    """
    ground = ground_of(request)
    try:
        asked = _asked(player, form, request)
    except Refusal as refusal:
        return again(forms.reason_of(refusal, ground.work.player(player.account), ground))
    carried = await forms.carry_out(asked, ground)
    if carried.is_refused:
        is_line = bool(form.get("line"))
        return again(list(forms.said(carried.told, ground, is_line=is_line)))
    board = carried.handled.board
    if carried.is_done and board:
        return RedirectResponse(f"{addresses.of_own_board(board)}?done", 303, KEPT_SECRET)
    # The command may have changed the language, or removed the account.
    account = ground.work.account_if_any(player.userid) or player.account
    return forms.answer_page(request, carried, account.all_settings.language, back=back)


def _asked(player: SignedIn, form: Mapping[str, str], request: Request) -> Asked:
    """Return the request of a mail that says the same.

    Raises HTTPException for no command, and Refusal for a field that is not what it is for.
    """
    try:
        line = form.get("line", "") or forms.line_of(form.get("command", ""), form, player.userid)
    except KeyError:
        raise HTTPException(400) from None
    once = form.get(ONCE, "")[:_LONGEST_ONCE]
    return forms.asked_of(
        request,
        f"{player.session.name} {once}",
        player.account.first_address,
        line=" ".join(line.split()),
        chat=forms.text_in(form),
        language=player.language,
        signed_in=player.userid,
    )

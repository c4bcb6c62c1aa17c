"""The pages of a player who is signed in: their boards, new boards, and their settings.

Each form there is a command of the table that mail has, too.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from operator import attrgetter

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.accounts.account import bare_userid
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.settings import NAMES, zones
from pbm_oust.accounts.vacations import days_left
from pbm_oust.board import Game, Summary, Terms
from pbm_oust.board.puzzle import steps_of
from pbm_oust.commands.begin import FIRST_GRID, FIRST_OPPONENT
from pbm_oust.commands.ladder import CHALLENGE, JOIN, LEAVE
from pbm_oust.commands.tournament import ANNOUNCE, CANCEL, ENTER, WITHDRAW
from pbm_oust.grammar.values import LINK, Filter
from pbm_oust.languages import LANGUAGES, Language
from pbm_oust.play.context import Look
from pbm_oust.play.finding import BoardSearch, find_latest
from pbm_oust.play.starting import open_seeks, possible_opponents
from pbm_oust.refusal import Refusal
from pbm_oust.robot.levels import HOUSE, LEVELS
from pbm_oust.rules import KINDS, Grid, Kind, Side
from pbm_oust.store import tournaments
from pbm_oust.store.index import Window, boards_of_player
from pbm_oust.store.ratings import usual_standings
from pbm_oust.tournaments.cup import Cup
from pbm_oust.tournaments.ladder import SOURCE as LADDER
from pbm_oust.web import addresses, forms, ladders
from pbm_oust.web.addresses import number_in
from pbm_oust.web.boards import board_asked, first_board, news, picture
from pbm_oust.web.feeds import calendar_address
from pbm_oust.web.forms import Mistake
from pbm_oust.web.ground import KEPT_SECRET, Ground, ground_of
from pbm_oust.web.helping import pieces
from pbm_oust.web.live import state_of
from pbm_oust.web.play import act_at, own_sitting, page_at, unread_by
from pbm_oust.web.sign_in import SignedIn, asked_by_player, form_of_player, player_of, player_page
from pbm_oust.web.tournaments import own_page

Again = Callable[[Mistake], Response]
"""Shows the page of a form once more, with why it was refused and what was typed."""

MOST_WAITING = 100
"""How many boards are listed that wait for the player."""
MOST_LISTED = 50
"""How many other boards are listed, and how many open challenges."""
MOST_ENDED = 6
MOST_OPPONENTS = 12
"""How many players are listed who can be challenged."""
_SWITCHES = {"rated": "unrated", "swap": "noswap"}
"""The switches in the form of a board, and the options of commands that turn them off."""
_ABOUT_TOURNAMENTS = (ENTER.name, WITHDRAW.name, CANCEL.name)
_ABOUT_LADDERS = (JOIN.name, LEAVE.name, CHALLENGE.name)
_SHOWN = ("settings", "seek", "unseek", *_ABOUT_TOURNAMENTS, *_ABOUT_LADDERS)
"""The commands of which the page itself shows what has come, on which their forms are."""
_NUMBER = "number"
"""The hidden field with the number of the record that a form may make."""


async def mine(request: Request) -> Response:
    """Answer with the boards of the player, those first whose time runs out first."""
    return _mine_page(request, player_of(request), {})


def _mine_page(
    request: Request, player: SignedIn, form: Mapping[str, str], fault: Mistake | None = None
) -> Response:
    """Return the boards of a player; a form that was refused has what was typed."""
    ground = ground_of(request)
    search = BoardSearch(list(KINDS.values()), (player.userid,), Filter.INACTIVE)
    with ground.work.reading() as on:
        boards = _boards_of(on, player.userid)
        ended = find_latest(on, search, Window(MOST_ENDED))
        seeks = open_seeks(on, search.kinds)[:MOST_LISTED]
        state, has_house = state_of(on.snapshot, player.userid), on.has_house
    first = None
    if not (boards.due or boards.others or boards.damaged or ended.count):
        first = _first_steps(player.language, ground, has_house=has_house)
    return player_page(
        request,
        player,
        "mine",
        form,
        fault,
        boards=boards,
        turns=boards.waiting,
        ended=ended.boards,
        seeks=seeks,
        damaged=dict.fromkeys((*ended.damaged, *boards.damaged)),
        now=ground.clock(),
        state=state,
        first=first,
    )


class FirstSteps(Struct, frozen=True):
    """Ways to begin, for a player who has had no board yet."""

    kind: Kind
    steps: int
    """How many steps teach the game."""
    opponent: str
    """The house player that takes a challenge at once; empty if the house does not play."""
    grid: Grid
    picture: str
    """The board of that challenge, as SVG."""


def _first_steps(language: Language, ground: Ground, *, has_house: bool) -> FirstSteps:
    kind = next(iter(KINDS.values()))
    shown = picture(first_board(kind, FIRST_GRID), ground.templates_in(language).translator)
    opponent = FIRST_OPPONENT if has_house else ""
    return FirstSteps(kind, len(steps_of(kind)), opponent, FIRST_GRID, shown)


class OwnBoards(Struct, frozen=True):
    """The boards in play of a player."""

    due: list[tuple[Game, Clock]]
    """The boards that wait for the player, the one whose time runs out first at the top."""
    waiting: int
    """How many wait, those too that are not among them."""
    others: list[Game]
    """The boards that wait for others: those with news for the player, then the latest."""
    unread: dict[str, list[str]]
    """The chat on boards since the player last did something there, by their names."""
    more: int
    """How many others there are besides."""
    damaged: list[str]
    """The names of those that cannot be read."""


def _boards_of(on: Look, userid: str) -> OwnBoards:
    """Return the boards in play of a player."""
    mine, others = _in_play(on, userid)
    due, not_read = _games(on, mine[:MOST_WAITING])
    rest, neither = _games(on, others[:MOST_LISTED])
    told = {game.name: unread_by(on, userid, game) for game in (*due, *rest)}

    def has_news(game: Game) -> bool:
        return bool(told[game.name]) or game.is_offered_to(game.side_of(userid))

    return OwnBoards(
        _by_deadline(on, due),
        len(mine),
        sorted(rest, key=lambda game: not has_news(game)),
        {name: texts for name, texts in told.items() if texts},
        max(0, len(others) - MOST_LISTED),
        [*not_read, *neither],
    )


def _in_play(on: Look, userid: str) -> tuple[list[Summary], list[Summary]]:
    """Return the boards that wait for a player, the longest first, and others, the latest first."""
    active = sorted(boards_of_player(on.snapshot, userid), key=attrgetter("latest"))
    mine = [each for each in active if each.to_move == userid]
    return mine, [each for each in reversed(active) if each.to_move != userid]


def _games(on: Look, boards: Iterable[Summary]) -> tuple[list[Game], list[str]]:
    """Return the games of boards, and the names of those that cannot be read."""
    games, damaged = list[Game](), list[str]()
    for each in boards:
        game = on.game_if_any(each.kind, each.board)
        games += [game] if game else []
        damaged += [] if game else [each.name]
    return games, damaged


def _by_deadline(on: Look, games: Iterable[Game]) -> list[tuple[Game, Clock]]:
    """Return games with the clocks of their players, the earliest deadline first."""
    clocked = ((game, on.clock_of(game)) for game in games)
    return sorted(clocked, key=lambda each: (each[1].deadline, each[0].name))


async def events(request: Request) -> Response:
    """Answer with what differs after each record on a board of the player, when it changes."""
    userid = player_of(request).userid
    return news(request, userid, userid)


async def seeks(request: Request) -> Response:
    """Lead to the open challenges on the page of the player; who signs in first gets there, too."""
    player_of(request)
    return RedirectResponse(f"{addresses.MINE}#seeks", 303, KEPT_SECRET)


async def next_board(request: Request) -> Response:
    """Lead to the board that waits for the player and whose time runs out first.

    Behind a board that the address names, it leads to the next one, and in the end to the first.
    """
    player = player_of(request)
    with ground_of(request).work.reading() as on:
        games, _ = _games(on, _in_play(on, player.userid)[0][:MOST_WAITING])
        names = [game.name for game, _ in _by_deadline(on, games)]
    after = request.query_params.get("after", "")
    following = names[names.index(after) + 1 :] if after in names else names
    name = next(iter((*following, *names)), None)
    path = addresses.of_own(name) if name else addresses.MINE
    return RedirectResponse(path, 303, KEPT_SECRET)


async def look_at_command(request: Request) -> Response:
    """Answer with a form for any command."""
    return _command_page(request, player_of(request), {})


def _command_page(
    request: Request, player: SignedIn, form: Mapping[str, str], fault: Mistake | None = None
) -> Response:
    """Return the form; one that was refused has what was typed."""
    return player_page(request, player, "command", form, fault, name="line")


async def look(request: Request) -> Response:
    """Answer with a board on which the player plays."""
    player, game = player_of(request), board_asked(request).game
    if game.side_of(player.userid) is None:
        return RedirectResponse(addresses.of_board(game.name), 303, KEPT_SECRET)
    return page_at(own_sitting(player, game, game.next_number), request)


async def act(request: Request) -> Response:
    """Carry out what the player has chosen on a board."""
    player, form = await form_of_player(request)
    game, number = board_asked(request).game, number_in(form.get(_NUMBER, ""))
    if number is None or game.side_of(player.userid) is None:
        raise HTTPException(400)
    return await act_at(own_sitting(player, game, number), form, request)


async def do(request: Request) -> Response:
    """Carry out the command in a form, and show what came of it."""
    player, form = await form_of_player(request)
    with ground_of(request).work.reading() as on:
        game, cup = _game_in(on, form), _cup_in(on, form)
    again: Again
    if form.get("back") == addresses.SETTINGS:
        back, again = addresses.SETTINGS, partial(_settings_page, request, player, form)
    elif game and game.side_of(player.userid):
        sitting = own_sitting(player, game, game.next_number)
        back, again = sitting.path, lambda fault: page_at(sitting, request, form, fault.said)
    elif cup:
        back, again = addresses.of_own(cup.name), partial(own_page, request, player, cup, form)
    elif form.get("command") in _ABOUT_LADDERS and form.get("kind") in KINDS:
        kind = KINDS[form["kind"]]
        back = addresses.of_own(f"{kind.name} {LADDER}")
        again = partial(ladders.own_page, request, player, kind, form)
    elif form.get("command") == ANNOUNCE.name:
        back, again = addresses.TOURNAMENTS, partial(_announcing, request, player, form)
    elif "line" in form:
        back, again = addresses.COMMAND, partial(_command_page, request, player, form)
    else:
        back, again = addresses.MINE, partial(_mine_page, request, player, form)
    return await _done(player, form, request, back, again)


def _game_in(on: Look, form: Mapping[str, str]) -> Game | None:
    """Return the game that a form is about, if it names one."""
    kind, board = KINDS.get(form.get("kind", "")), number_in(form.get("board", ""))
    return on.game_if_any(kind, board) if kind and board is not None else None


def _cup_in(on: Look, form: Mapping[str, str]) -> Cup | None:
    """Return the tournament that a form enters or leaves, if it does."""
    number = number_in(form.get("number", ""))
    if form.get("command") not in _ABOUT_TOURNAMENTS or number is None:
        return None
    return tournaments.whole(on.snapshot, form.get("kind", ""), number)


async def look_at_announcing(request: Request) -> Response:
    """Answer with a form that announces a tournament, and what the help says of it."""
    return _announcing(request, player_of(request), {})


def _announcing(
    request: Request, player: SignedIn, form: Mapping[str, str], fault: Mistake | None = None
) -> Response:
    """Return the form; one that was refused has what was typed."""
    templates = ground_of(request).templates_in(player.language)
    said = pieces(templates.words, ANNOUNCE.name.partition(" ")[0], player.language)
    return player_page(request, player, "announce", form, fault, pieces=said)


async def look_at_challenge(request: Request) -> Response:
    """Answer with a form in which a board is put together."""
    return _challenge_page(request, player_of(request), {})


def _challenge_page(
    request: Request, player: SignedIn, form: Mapping[str, str], fault: Mistake | None = None
) -> Response:
    """Return the form; one that was refused has what was typed."""
    ground = ground_of(request)
    kinds, translator = KINDS.values(), ground.templates_in(player.language).translator
    with ground.work.reading() as on:
        players = possible_opponents(on, player.userid, MOST_OPPONENTS)
        house = LEVELS if on.has_house else ()
        listed = [*players, *(level.userid for level in house)]
        ratings = [(kind, usual_standings(on.snapshot, kind, listed)) for kind in kinds]
    boards = [
        (kind, grid, picture(first_board(kind, grid), translator, kind.title, f"b{nth}"))
        for nth, (kind, grid) in enumerate((kind, grid) for kind in kinds for grid in kind.grids)
    ]
    opponent = form.get("opponent", request.query_params.get("opponent", ""))
    return player_page(
        request,
        player,
        "challenge",
        form,
        fault,
        name="challenge",
        players=players,
        house=house,
        ratings=ratings,
        opponent=opponent if opponent in (LINK, *listed) else "",
        named=form.get("named", "") or ("" if opponent in (LINK, *listed) else opponent),
        boards=boards,
        usual=Terms(),
        is_first=not form,
        opens_terms=fault is not None and fault.field.startswith("option."),
    )


async def challenge(request: Request) -> Response:
    """Challenge the player in a form or, if there is none, let anybody join."""
    player, form = await form_of_player(request)
    again = partial(_challenge_page, request, player, form)
    return await _done(player, _command(player, form), request, addresses.MINE, again)


def _command(player: SignedIn, form: Mapping[str, str]) -> Mapping[str, str]:
    """Return the fields of the command that a form asks for. Raises HTTPException.

    What is typed counts for more than what is chosen from a list.
    """
    name, shape, size = _board_in(form)
    if name not in KINDS:
        raise HTTPException(400)
    option = "size" if shape == KINDS[name].own_shape.value else shape
    fields = {**form, "kind": name, f"option.{option}": size}
    fields |= {f"option.{off}": "on" for on, off in _SWITCHES.items() if on not in form}
    opponent, side = form.get("named", "").strip() or form.get("opponent", ""), form.get("side", "")
    is_house = bare_userid("".join(opponent.split())) in HOUSE
    opponent = "".join(opponent.split()) if is_house else opponent
    if opponent:
        pair = (player.userid, opponent)
        is_second = side == Side.O.value or (not side and secrets.randbelow(2))
        x, o = pair[::-1] if is_second else pair
        return {**fields, "command": "challenge", "userid1": x, "userid2": o}
    sides = {f"option.{side}": "on"} if side in {each.value for each in Side} else {}
    return {**fields, "command": "seek", **sides}


def _board_in(form: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the game, the shape and the size of the board that a form says."""
    size = form.get("size", "").strip()
    chosen = f"{form.get('shape', '')} {size}" if size else form.get("board", "")
    name, shape, size, *_ = *chosen.split(" ", 2), "", "", ""
    return name, shape, size


async def look_at_settings(request: Request) -> Response:
    """Answer with all that the player has settled, and forms that change it."""
    return _settings_page(request, player_of(request), {})


def _settings_page(
    request: Request, player: SignedIn, form: Mapping[str, str], fault: Mistake | None = None
) -> Response:
    """Return all that a player has settled; a form that was refused has what was typed."""
    ground = ground_of(request)
    settings, now = player.settings, ground.work.now()
    absences = player.account.vacations
    return player_page(
        request,
        player,
        "settings",
        form,
        fault,
        name=form.get("command", "settings"),
        values={name: settings.text_of(name) for name in NAMES},
        languages=[
            (code, ground.templates_in(each).translator.own_name)
            for code, each in LANGUAGES.items()
        ],
        zones=zones(),
        now=now,
        absences=[each for each in absences if each.end > now],
        days_left=days_left(absences, now.astimezone(settings.zone).year, settings.zone),
        calendar=calendar_address(player.account, ground),
        today=now.astimezone(settings.zone).date(),
    )


async def change_settings(request: Request) -> Response:
    """Change what is no longer as a form has it."""
    player, form = await form_of_player(request)
    known = {name: player.settings.text_of(name) for name in NAMES}
    known |= {each.name: "" for each in player.settings.unknown if each.name in known}
    changes = [
        (name, value)
        for name, before in known.items()
        if (value := "".join(form.get(name, "").split())) and value != before
    ]
    if not changes:
        return RedirectResponse(f"{addresses.SETTINGS}?done=settings", 303, KEPT_SECRET)
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
        asked = asked_by_player(player, form, request, _line_in(form, player))
    except Refusal as refusal:
        reader = ground.work.look(lambda on: on.reader(player.account))
        said = forms.reason_of(refusal, reader, ground)
        return again(Mistake.of(refusal, form, said))
    carried = await forms.carry_out(asked, ground)
    if carried.is_refused:
        is_line = bool(form.get("line"))
        said = list(forms.said(carried.told, ground, is_line=is_line))
        return again(Mistake(said) if is_line else carried.fault(form, said))
    board = carried.handled.board
    if carried.is_done and board:
        return carried.leads_to(addresses.of_own(board))
    if carried.is_done and form.get("command") in _SHOWN:
        return carried.leads_to(back)
    # The command may have changed the language, or removed the account.
    account = ground.work.account_if_any(player.userid) or player.account
    return forms.answer_page(request, carried, account.all_settings.language, back=back)


def _line_in(form: Mapping[str, str], player: SignedIn) -> str:
    """Return the line of the command in a form.

    Raises HTTPException for no command, and Refusal for a field that is not what it is for.
    """
    try:
        return form.get("line", "") or forms.line_of(form.get("command", ""), form, player.userid)
    except KeyError:
        raise HTTPException(400) from None

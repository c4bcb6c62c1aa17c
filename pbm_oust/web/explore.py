"""Looking ahead: what comes of placements in an address, alone or against the house.

Nothing is kept: all that was placed stands in the path, which can be shared. From a position of a
board, or from an empty one, both sides place in turn. On a board to try, the house answers. A point
leads to `?moves=D4` behind that path, and from there to the path with one placement more: so a page
stays small however many points it has, and however long the line is.

A player of the board, who is signed in or has come by a link of theirs, can queue such a line, and
sees what they have queued; nobody else does.

Where no game in play is looked at, the page also says what was played next in the games of this
server that are over, and by the house against itself. So does JSON.
"""

import secrets
import subprocess  # the house thinks in a process of its own  # nosec B404
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field, structs
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.queue import Clause, explored, tree, waiting, with_clauses
from pbm_oust.board import Deed, Game, Record, Variation, variation_of
from pbm_oust.board.notation import format_wish
from pbm_oust.board.puzzle import steps_of
from pbm_oust.experiments.openings import NextPlacement, next_placements, of_house
from pbm_oust.languages import Language
from pbm_oust.letters.layout import Block, Paragraph
from pbm_oust.play.notices import MOST_LISTED
from pbm_oust.play.starting import open_seeks
from pbm_oust.render.html import marks_of
from pbm_oust.render.svg import board_svg, colour_of
from pbm_oust.robot.analysis import placed_in
from pbm_oust.robot.levels import LEVELS, SIMPLE
from pbm_oust.robot.search import has_core
from pbm_oust.rules import KINDS, Grid, Kind, Side, taken
from pbm_oust.store.analyses import kept
from pbm_oust.store.openings import MOST_GAMES, played_from
from pbm_oust.web import addresses
from pbm_oust.web.boards import board_asked, first_board, picture, rows_around
from pbm_oust.web.forms import DONE, form_of, said
from pbm_oust.web.ground import KEPT_SECRET, LATER, Made, ground_of, json_page, source_of
from pbm_oust.web.play import (
    Sitting,
    board_at,
    carried_at,
    cells_of,
    own_sitting,
    sitting_of,
    sole_placement,
)
from pbm_oust.web.sign_in import ONCE, form_of_player, player_if_any
from pbm_oust.web.speaking import language_asked

GUEST = "guest"
"""Whoever plays on a board to try."""
PATIENCE = 20.0
"""How many seconds it may take altogether, on a machine that is busy with mail."""
MOST_SHOWN = 30
"""How many placements a page shows that were played; JSON has all."""
_THINKS = """\
import os, sys
from pbm_oust.robot.judging import another_way
from pbm_oust.robot.player import answer
os.nice(10)
sys.stdout.write({"answer": answer, "another_way": another_way}[sys.argv[1]](*sys.argv[2:]))
"""
"""The work of the house in a process of its own, which steps back behind those who take mail."""


class Planning(Struct, frozen=True):
    """A player who looks ahead on their board, and what they may queue there."""

    sitting: Sitting
    is_current: bool
    """Whether the position that they start from is that of the board."""
    is_own: bool
    """Whether it is their turn there."""
    clause: Clause | None
    """The line that is shown, as a clause of their queue."""
    now: int | None
    """How many records the board has; None if the game is over."""
    language: Language

    @property
    def first(self) -> str:
        """The turn with which it begins, if that is made at once."""
        return format_wish(self.clause.turns[0]) if self.clause and self.is_own else ""

    @property
    def rest(self) -> tuple[Clause, ...]:
        """The rest of the line, which waits then: a clause for each answer."""
        turns = self.clause.turns[self.is_own :] if self.clause else ()
        return tree([Clause(turns)]) if turns else ()

    @property
    def replaced(self) -> tuple[Clause, ...]:
        """The clauses queued before that the line replaces."""
        before, added = self.sitting.plans, [self.clause] if self.clause else []
        after = tree(with_clauses(before, added))
        return tuple(each for each in before if each not in after)


class Exploring(Struct, frozen=True):
    """A line that somebody looks at, and the position of it that is shown."""

    path: str
    """Where the page is, without what has been placed."""
    start: Game
    """The game before that."""
    line: Variation
    at: int
    """How many of the placements are shown."""
    is_cut: bool = False
    """Whether the address names more, which cannot be placed."""
    query: Mapping[str, str] = field(default_factory=dict)
    """The further query of the address."""

    @property
    def game(self) -> Game:
        """The game as it would be."""
        return self.line.games[self.at]

    @property
    def told(self) -> Sequence[Game]:
        """The games that tell of what was done latest; none at the start."""
        return self.line.told_after(self.at)

    @property
    def last(self) -> int:
        """The number of placements in the line."""
        return len(self.line.games) - 1

    @property
    def steps(self) -> list[tuple[int, Record]]:
        """The turns of the line, each with the number of placements up to it."""
        found, number = [], 0
        for record in self.line.records:
            number += isinstance(record.action, tuple)
            found.append((number, record))
        return found

    def leading(self, cells: Iterable[str] = ()) -> str:
        """Return the address of the position after other placements."""
        return addresses.asking(addresses.of_line(self.path, cells), self.query)

    def address(self, at: int) -> str:
        """Return the address of the position after so many placements of the line.

        The path is left out, as a line has hundreds of these links.
        """
        return (
            addresses.asking("", self._after(at))
            if at < self.last
            else self.leading(self.line.cells)
        )

    def seeing(self, clause: Clause) -> str:
        """Return the address of the position after the turns of a clause; empty if it has none."""
        is_sure = not clause.is_for_any and Deed.SWAP not in clause.turns
        return self.leading(placed_in(clause.turns)) if is_sure else ""

    def placing(self, cell: str) -> str:
        """Return the address after one more placement, in place of those that are not shown.

        The path is left out, as a large board has hundreds of these links.
        """
        return addresses.asking("", {**self._after(self.at), "moves": cell})

    def _after(self, at: int) -> Mapping[str, str]:
        """Return the query of the address that shows the position after so many placements."""
        return {**self.query, **({"at": str(at)} if at < self.last else {})}


class Loss(Struct, frozen=True):
    """A game that was lost against the house."""

    took: int
    """The number of stones that the last placement took."""
    group: int
    """The size of the group that this placement made."""
    number: int = 0
    """The row of the list of moves at which there was another way; 0 if none is known."""
    path: str = ""
    """The address of that way."""


Page = Callable[[Request], Awaitable[Response]]


def placing(page: Page) -> Page:
    """Return a page that sends whoever places on to the path with these placements."""

    async def answer(request: Request) -> Response:
        query = dict(request.query_params)
        moves = query.pop("moves", "")
        if not moves:
            return await page(request)
        at = addresses.number_in(query.pop("at", ""))
        line = request.path_params["line"]
        placed = line.split(",")[:at] if line else []
        path = addresses.of_line(_path_of(request), [*placed, moves])
        return RedirectResponse(addresses.asking(path, query), 303, KEPT_SECRET)

    return answer


def _path_of(request: Request) -> str:
    """Return the path of a page without what has been placed."""
    path, line = request.scope["path"], request.path_params["line"]
    return str(path.removesuffix(f"/{line}"))


async def _explored(
    request: Request, begin: Callable[[], Game], query: Mapping[str, str] = MappingProxyType({})
) -> Exploring:
    """Return the line in an address, as far as it can be placed after a game.

    Raises HTTPException if too many wait for past positions.
    """
    moves = request.path_params["line"]
    at = addresses.number_in(request.query_params.get("at", ""))
    cells, count = cells_of(moves), len(moves.split(",")) if moves else 0

    def replayed() -> tuple[Game, Variation]:
        start = begin()
        return start, variation_of(start, cells)

    start, line = await ground_of(request).replaying.do_for(source_of(request), replayed)
    last = len(line.games) - 1
    shown, is_cut = last if at is None else min(at, last), last < max(len(cells), count)
    return Exploring(_path_of(request), start, line, shown, is_cut, query)


def _empty(kind: Kind, grid: Grid, *owners: str) -> Game:
    """Return a game before its first placement. Raises HTTPException if it is not played there."""
    if not kind.plays_on(grid):
        raise HTTPException(404)
    return first_board(kind, grid, *owners)


@placing
async def from_board(request: Request) -> Response:
    """Answer with what comes of placements after a record of a board."""
    game, player = board_asked(request).game, player_if_any(request)
    number: int = request.path_params["number"]
    is_own = player is not None and game.side_of(player.userid) is not None
    sitting = own_sitting(player, game, number + 1) if player and is_own else None
    return await _after(game, number, request, sitting)


async def from_latest(request: Request) -> Response:
    """Lead to what comes of placements on a board as it is."""
    game = board_asked(request).game
    path = addresses.of_exploring(addresses.of_board(game.name, len(game.records)))
    return RedirectResponse(path, 303, KEPT_SECRET)


@placing
async def from_link(request: Request) -> Response:
    """Answer with what comes of placements on the board of a link."""
    sitting = await sitting_of(request)
    game = ground_of(request).work.look(lambda on: board_at(on, sitting)).game
    return await _after(game, sitting.reply.record - 1, request, sitting)


async def plan(request: Request) -> Response:
    """Queue what a player who is signed in has chosen, and show what came of it."""
    player, form = await form_of_player(request)
    game, number = board_asked(request).game, request.path_params["number"] + 1
    if game.side_of(player.userid) is None:
        raise HTTPException(400)
    return await _plan(own_sitting(player, game, number), form, request)


async def plan_by_link(request: Request) -> Response:
    """Queue what the player of a link has chosen, and show what came of it."""
    return await _plan(await sitting_of(request), await form_of(request), request)


async def _plan(sitting: Sitting, form: Mapping[str, str], request: Request) -> Response:
    carried, path = await carried_at(sitting, form, request), _path_of(request)
    game = ground_of(request).work.look(lambda on: board_at(on, sitting)).game
    number = sitting.reply.record
    if carried is None:
        return RedirectResponse(path, 303, KEPT_SECRET)
    if carried.is_done:
        back = path if game.meets_guard(number) else sitting.path
        return carried.leads_to(back)
    told = list(said(carried.told, ground_of(request)))
    return await _after(game, number - 1, request, sitting, told)


async def _after(
    game: Game,
    number: int,
    request: Request,
    sitting: Sitting | None,
    told: Sequence[Block] = (),
) -> Response:
    """Return the page of what comes after a record, on which a player of the board may plan.

    If what they sent was refused, `told` says why. Raises HTTPException if there is no such record.
    """
    if number > len(game.records):
        raise HTTPException(404)
    exploring = await _explored(request, lambda: game.after(number))
    with ground_of(request).work.reading() as on:
        analysis = kept(on.snapshot, game)
        account = on.account(sitting.reply.userid) if sitting else None
    evaluation = analysis.evaluations[number] if analysis else None
    planning = _planning(sitting, game, exploring, account) if sitting and account else None
    return _page(
        request,
        exploring,
        board=game.name,
        number=number,
        evaluation=evaluation,
        best=placed_in(evaluation.line) if evaluation else (),
        planning=planning,
        played=_played(request, exploring) if game.result else [],
        refused=[block for block in told if isinstance(block, Paragraph)],
    )


def _planning(sitting: Sitting, game: Game, exploring: Exploring, account: Account) -> Planning:
    plans = tree(waiting(account.queue, account.userid, game))
    hidden = {ONCE: secrets.token_hex(8), **sitting.hidden}
    sitting = structs.replace(sitting, hidden=hidden, plans=plans)
    userid = sitting.reply.userid
    is_current = not game.result and game.meets_guard(sitting.reply.record)
    clause = explored(exploring.start, exploring.game, userid) if is_current else None
    is_own = exploring.start.player_to_move == userid
    now = None if game.result else len(game.records)
    return Planning(sitting, is_current, is_own, clause, now, account.all_settings.language)


async def begin(request: Request) -> Response:
    """Lead to an empty board of the first game."""
    kind = next(iter(KINDS.values()))
    path = addresses.of_grid(addresses.EXPLORE, kind.name, kind.default_grid)
    return RedirectResponse(path, 303, KEPT_SECRET)


@placing
async def from_start(request: Request) -> Response:
    """Answer with what comes of placements on an empty board."""
    exploring = await _from_start(request)
    return _page(request, exploring, played=_played(request, exploring))


async def as_json(request: Request) -> Response:
    """Answer with what was played next after placements on an empty board."""
    exploring = await _from_start(request)
    if exploring.is_cut:
        raise HTTPException(404)
    game = exploring.game
    fields = {
        "kind": game.header.kind.name,
        "grid": str(game.header.grid),
        "line": exploring.line.cells[: exploring.at],
        "to_move": None if game.result else game.to_move.value,
        "placements": [
            {"cells": each.cells, "here": each.here._asdict(), "house": each.house._asdict()}
            for each in _played(request, exploring)
        ],
    }
    return json_page(request, fields)


async def _from_start(request: Request) -> Exploring:
    """Return the line in an address that begins on an empty board. Raises HTTPException."""
    given, gettext = (
        request.path_params,
        ground_of(request).templates_for(request).translator.gettext,
    )
    owners = (colour_of(side, gettext).capitalize() for side in Side)
    return await _explored(request, partial(_empty, given["kind"], given["grid"], *owners))


def _played(request: Request, exploring: Exploring) -> list[NextPlacement]:
    """Return what was played next in a position, the most frequent placements first."""
    game = exploring.game
    kind, position = game.header.kind.name, game.position
    with ground_of(request).work.reading() as on:
        here = played_from(on.snapshot, kind, position)
    return next_placements(position, here, of_house(kind, position))


async def choose(request: Request) -> Response:
    """Answer with the boards that can be tried, and the open challenges."""
    ground = ground_of(request)
    translator = ground.templates_for(request).translator
    boards = []
    for nth, (kind, grid) in enumerate(_first_grids()):
        title = f"{kind.title}, {translator.grid_text(grid)}"
        svg = picture(first_board(kind, grid), translator, title, f"b{nth}")
        boards.append((kind, grid, svg))
    seeks = ground.work.look(lambda on: open_seeks(on, KINDS.values()))[:MOST_LISTED]
    return ground.page(request, "try", house=LEVELS[0].userid, grids=boards, seeks=seeks)


@placing
async def attempt(request: Request) -> Response:
    """Answer with a game against the house, once it has placed where it is its turn."""
    kind, grid = request.path_params["kind"], request.path_params["grid"]
    if grid not in kind.first_grids:
        raise HTTPException(404)
    is_second = request.query_params.get("side") == Side.O.value
    house = request.query_params.get("house", LEVELS[0].userid)
    if house not in players_to_try():
        raise HTTPException(404)
    owners = (house, GUEST) if is_second else (GUEST, house)
    query = {"side": Side.O.value} if is_second else {}
    query |= {"house": house} if house != LEVELS[0].userid else {}
    exploring = await _explored(request, partial(_empty, kind, grid, *owners), query)
    side, game = Side.O if is_second else Side.X, exploring.game
    asked = kind.name, str(grid), ",".join(exploring.line.cells)
    if exploring.at == exploring.last and _waits_for_house(game):
        cells = cells_of(await _thought(request, "answer", *asked, house))
        return RedirectResponse(exploring.leading((*exploring.line.cells, *cells)), 303)
    loss = None
    if game.result and game.result.winner is side.other:
        way = ""
        with suppress(HTTPException):
            way = await _thought(request, "another_way", *asked, side.value)
        loss = _loss(exploring, way)
    return _page(request, exploring, side=side, house=house, loss=loss)


def _loss(exploring: Exploring, way: str) -> Loss:
    """Return how a game was lost; `way` is where there was another way, as the house says it."""
    header, cells = exploring.game.header, exploring.line.cells
    before, after = exploring.line.games[-2].position, exploring.game.position
    group = header.grid.flood(header.grid.parse_cell(cells[-1]), after.stones(before.to_move))
    sizes = taken(before, after).bit_count(), group.bit_count()
    if not way:
        return Loss(*sizes)
    at, better = int(way.split()[0]), cells_of(way.split()[1])
    path = addresses.of_grid(addresses.EXPLORE, header.kind.name, header.grid)
    path = addresses.of_line(path, [*cells[:at], *better])
    rows = rows_around(at + 1, exploring.steps)
    number = next(row.number for row in rows if row.last > at)
    return Loss(*sizes, number, addresses.asking(path, {"at": str(at + 1)}))


def players_to_try() -> list[str]:
    """Return the house players to try, from the weakest on, as far as one is stronger than another.

    Those who search until their time is over take too long.
    """
    levels = LEVELS if has_core() else LEVELS[: LEVELS.index(SIMPLE) + 1]
    return [level.userid for level in levels if level.looks]


def _first_grids() -> list[tuple[Kind, Grid]]:
    return [(kind, grid) for kind in KINDS.values() for grid in kind.first_grids]


def _waits_for_house(game: Game) -> bool:
    return not game.result and game.player_to_move != GUEST


async def _thought(request: Request, *asked: str) -> str:
    """Return what the house thinks about a question, which is cached. Raises HTTPException."""
    ground = ground_of(request)
    made = ground.cache.find(asked)
    if made is None:
        thinking = partial(house_thought, *asked)
        made = Made(await ground.thinking.do_for(source_of(request), thinking))
        ground.cache.put(asked, made)
    return made.content.decode()


def house_thought(*asked: str, patience: float = PATIENCE) -> bytes:
    """Return what the house thinks. Raises HTTPException if it takes too long.

    A search would keep all threads of this process waiting.
    """
    thinking = [sys.executable, "-c", _THINKS, *asked]
    try:
        thought = subprocess.run(  # noqa: S603 - the words are ours # nosec B603
            thinking, stdout=subprocess.PIPE, check=True, timeout=patience
        )
    except subprocess.TimeoutExpired:
        raise HTTPException(503, headers=LATER) from None
    return thought.stdout.strip()


def _page(request: Request, exploring: Exploring, **given: object) -> Response:
    """Return the page of a position, where a point can be chosen if somebody may place."""
    ground, game, planning = ground_of(request), exploring.game, given.get("planning")
    show, language = partial(ground.page, request), language_asked(request)
    if isinstance(planning, Planning):
        language = planning.language
        show = partial(ground.secret_page, request, language)
    translator = ground.templates_in(language).translator
    title = translator.gettext("After placement %(number)s", number=exploring.at)
    is_open = not game.result and not (given.get("side") and _waits_for_house(game))
    names = (
        "board",
        "number",
        "evaluation",
        "best",
        "side",
        "house",
        "loss",
        "planning",
        "played",
        "refused",
    )
    unsaid: dict[str, Any] = dict.fromkeys(names)
    return show(
        template="explore",
        done=request.query_params.get(DONE, ""),
        exploring=exploring,
        rows=rows_around(exploring.at, exploring.steps),
        sole=sole_placement(game.position) if is_open else "",
        game=game,
        kind=game.header.kind,
        picture=board_svg(
            game.position,
            marks_of(game),
            title,
            translator.gettext,
            taps=exploring.placing if is_open else None,
            moves=game.latest_two_turns,
        ),
        guest=GUEST,
        most_games=MOST_GAMES,
        most_shown=MOST_SHOWN,
        levels=players_to_try(),
        steps=len(steps_of(game.header.kind)),
        grids=_first_grids(),
        usual_grids=[(kind, grid) for kind in KINDS.values() for grid in kind.grids],
        **(unsaid | given),
    )

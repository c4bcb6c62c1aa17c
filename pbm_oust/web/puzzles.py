"""Puzzles on pages. For a player who is signed in, an answer counts once it is sent by a form.

For others nothing is kept: what they have placed stands in the address.
"""

from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.board.puzzle import Difficulty, Puzzle, puzzles_of
from pbm_oust.play.context import Look
from pbm_oust.rules import Kind
from pbm_oust.store.puzzles import Tries, tries_of
from pbm_oust.web import addresses, forms
from pbm_oust.web.boards import SVG, picture
from pbm_oust.web.ground import KEPT_SECRET, Templates, ground_of, source_of
from pbm_oust.web.helping import Tried, title_of, tried_at
from pbm_oust.web.play import cells_of
from pbm_oust.web.sign_in import (
    SignedIn,
    asked_by_player,
    form_of_player,
    player_if_any,
    player_page,
)


def _page(
    request: Request, player: SignedIn | None, template: str, kind: Kind, **given: Any
) -> Response:
    """Return a page about puzzles of a game: for who is signed in, with what they have solved."""
    ground = ground_of(request)
    if player is None:
        return ground.page(request, template, kind=kind, **given)
    account, today = player.account, player.settings.day_of(ground.work.now())
    given |= {"solved": account.solved_of(kind.name), "days": account.streak_on(today)}
    return player_page(request, player, template, {}, None, kind=kind, **given)


def _templates(request: Request, player: SignedIn | None) -> Templates:
    """Return the templates of the language of a player, or of the browser of anybody else."""
    ground = ground_of(request)
    return ground.templates_in(player.language) if player else ground.templates_for(request)


def difficulties(on: Look, kind: Kind) -> list[Difficulty]:
    """Return how hard the puzzles of a game are, in their order."""
    found, nobody = tries_of(on.snapshot, kind.name), Tries()
    tries = ((each, found.get(each.number, nobody)) for each in puzzles_of(kind))
    return [Difficulty.of(each, of.tried, of.failed) for each, of in tries]


async def puzzles(request: Request) -> Response:
    """Answer with the puzzles of a game."""
    kind: Kind = request.path_params["kind"]
    if not puzzles_of(kind):
        raise HTTPException(404)
    player = player_if_any(request)
    templates = _templates(request, player)
    drawn = [
        picture(each.game, templates.translator, title_of(each, templates), f"p{each.number}")
        for each in puzzles_of(kind)
    ]
    hard = ground_of(request).work.look(lambda on: difficulties(on, kind))
    pictured = list(zip(puzzles_of(kind), hard, drawn, strict=True))
    return _page(request, player, "puzzles", kind, pictured=pictured)


def _asked(request: Request) -> Puzzle:
    """Return the puzzle that a path names. Raises HTTPException."""
    number: int = request.path_params["number"]
    known = puzzles_of(request.path_params["kind"])
    if not 1 <= number <= len(known):
        raise HTTPException(404)
    return known[number - 1]


async def puzzle(request: Request) -> Response:
    """Answer with a puzzle after the placements in the address, and whether they solve it.

    Whoever is signed in is told that once they have sent their answer.
    """
    ground, asked, player = ground_of(request), _asked(request), player_if_any(request)
    address = partial(addresses.of_puzzle, asked.kind.name, asked.number)
    templates = _templates(request, player)

    def shown() -> Tried:
        return tried_at(asked, request.query_params.get("moves", ""), address, templates)

    tried = await ground.replaying.do_for(source_of(request), shown)
    hard = ground.work.look(lambda on: difficulties(on, asked.kind))
    given = {"tried": tried, "puzzle": asked, "count": len(hard)}
    return _page(request, player, "puzzle", asked.kind, difficulty=hard[asked.number - 1], **given)


async def answer(request: Request) -> Response:
    """Take the answer of a player to a puzzle, and show what came of it."""
    player, form = await form_of_player(request)
    asked, cells = _asked(request), cells_of(form.get("moves", ""))
    kind, number = asked.kind.name, asked.number
    fields = {"kind": kind, "number": str(number), "placements": ",".join(cells)}
    line = forms.line_of("puzzle", fields)
    await forms.carry_out(asked_by_player(player, form, request, line), ground_of(request))
    said = {"moves": fields["placements"], forms.DONE: "puzzle"}
    path = addresses.asking(addresses.of_puzzle(kind, number), said)
    return RedirectResponse(path, 303, KEPT_SECRET)


async def svg(request: Request) -> Response:
    """Answer with the picture of a puzzle."""
    ground, asked = ground_of(request), _asked(request)
    templates = ground.templates_for(request)
    title = title_of(asked, templates)
    made_from = "puzzle", asked.kind.name, asked.number, templates.language
    made = ground.cache.get(made_from, lambda: picture(asked.game, templates.translator, title))
    return made.answer(request, SVG, templates.headers(made.keeping))

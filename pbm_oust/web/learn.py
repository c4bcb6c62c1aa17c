"""Learning to play: the steps of the rules, with boards to touch, and puzzles. Nothing is kept.

What somebody has placed stands in the address, as where they explore.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.board.puzzle import Attempt, Puzzle, puzzles_of, steps_of
from pbm_oust.refusal import Illegal
from pbm_oust.render.html import marks_of
from pbm_oust.rules import Side
from pbm_oust.web import addresses
from pbm_oust.web.addresses import kind_asked
from pbm_oust.web.boards import SVG, board_svg, picture
from pbm_oust.web.ground import Templates, ground_of, source_of
from pbm_oust.web.helping import pieces
from pbm_oust.web.play import cells_of

Steps = Mapping[str, tuple[str, str, str]]
"""The words of the steps of a game, by their names: a title, the rule and a task."""


class Tried(Struct, frozen=True):
    """A board with a task, as far as somebody has touched it."""

    attempt: Attempt
    refusal: Illegal | None
    """Why the point that was touched last is not legal."""
    picture: str

    @property
    def puzzle(self) -> Puzzle:
        """The position and its task."""
        return self.attempt.puzzle


def _tried(
    puzzle: Puzzle,
    moves: str,
    address: Callable[[Sequence[str]], str],
    templates: Templates,
    prefix: str = "b",
) -> Tried:
    """Return a board after the placements of an address; `address` returns where others lead."""
    attempt, refusal = puzzle.tried_as_far(cells_of(moves))
    is_open = puzzle.answer and not (attempt.is_over or attempt.is_reached)
    drawn = board_svg(
        attempt.game.position,
        marks_of(attempt.game),
        title_of(puzzle, templates),
        templates.translator,
        taps=(lambda cell: address((*attempt.cells, cell))) if is_open else None,
        prefix=prefix,
        is_task=True,
    )
    return Tried(attempt, refusal, drawn)


def title_of(puzzle: Puzzle, templates: Templates) -> str:
    """Return what the picture of a puzzle, or of a step of the rules, is called."""
    if puzzle.name:
        steps: Steps = vars(templates.words.words_of_kind(puzzle.kind))["steps"]
        return str(steps[puzzle.name][0])
    given = {"title": puzzle.kind.title, "number": puzzle.number}
    return templates.translator.gettext("Puzzle %(number)s of %(title)s", **given)


async def rules(request: Request) -> Response:
    """Answer with the rules of a game: step by step, with boards to touch, and as text."""
    ground, kind = ground_of(request), kind_asked(request.path_params["kind"])
    templates, given = ground.templates_for(request), request.query_params

    def shown() -> list[Tried]:
        return [
            _tried(
                step,
                given.get("moves", "") if step.name == given.get("step") else "",
                partial(addresses.of_step, kind.name, step.name),
                templates,
                step.name,
            )
            for step in steps_of(kind)
        ]

    steps = await ground.replaying.do_for(source_of(request), shown)
    said = pieces(templates.words, kind.name, templates.language)
    return ground.page(request, "rules", kind=kind, pieces=said, steps=steps, sides=Side)


async def puzzles(request: Request) -> Response:
    """Answer with the puzzles of a game."""
    kind = request.path_params["kind"]
    return ground_of(request).page(request, "puzzles", kind=kind, puzzles=puzzles_of(kind))


def _asked(request: Request) -> Puzzle:
    """Return the puzzle that a path names. Raises HTTPException."""
    number: int = request.path_params["number"]
    known = puzzles_of(request.path_params["kind"])
    if not 1 <= number <= len(known):
        raise HTTPException(404)
    return known[number - 1]


async def puzzle(request: Request) -> Response:
    """Answer with a puzzle, after the placements in the address, judged."""
    ground, asked = ground_of(request), _asked(request)
    name, templates = asked.kind.name, ground.templates_for(request)

    def shown() -> Tried:
        return _tried(
            asked,
            request.query_params.get("moves", ""),
            partial(addresses.of_puzzle, name, asked.number),
            templates,
        )

    tried = await ground.replaying.do_for(source_of(request), shown)
    count = len(puzzles_of(asked.kind))
    return ground.page(
        request, "puzzle", tried=tried, puzzle=asked, kind=asked.kind, count=count, sides=Side
    )


async def svg(request: Request) -> Response:
    """Answer with the picture of a puzzle."""
    ground, asked = ground_of(request), _asked(request)
    templates = ground.templates_for(request)
    title = title_of(asked, templates)
    made_from = "puzzle", asked.kind.name, asked.number, templates.language
    made = ground.cache.get(made_from, lambda: picture(asked.game, templates.translator, title))
    return made.answer(request, SVG, templates.headers(made.keeping))

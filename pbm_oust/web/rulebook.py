"""The rules of each game, with examples that one can step through."""

from dataclasses import dataclass
from functools import cache

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.board.record import Records
from pbm_oust.letters.translator import Translator
from pbm_oust.web import addresses
from pbm_oust.web.asked import kind_asked
from pbm_oust.web.examples import Example, examples_of, game_of
from pbm_oust.web.ground import ground_of
from pbm_oust.web.helping import pieces
from pbm_oust.web.positions import picture, view_of


@dataclass(frozen=True, slots=True)
class Step:
    """An example after one of its turns."""

    example: Example
    number: int
    """How many turns have been made."""
    picture: str
    """The board as SVG."""

    @property
    def records(self) -> Records:
        """All turns."""
        return game_of(self.example).records

    @property
    def count(self) -> int:
        """How many turns the example has."""
        return len(self.example.turns)

    def path_after(self, number: int) -> str:
        """Return where the page of the example after another turn is."""
        return addresses.of_example(self.example.kind, self.example.name, number)


@cache
def step_of(example: Example, number: int, translator: Translator) -> Step:
    """Return an example after one of its turns; there are few of them, and all are kept."""
    title = translator.gettext(example.title)
    prefix = f"{example.name}-{number}"
    drawn = picture(view_of(game_of(example), number), translator, title, prefix)
    return Step(example, number, drawn)


async def rules(request: Request) -> Response:
    """Answer with the rules of a game and its examples."""
    ground, kind = ground_of(request), kind_asked(request.path_params["kind"])
    templates = ground.templates_for(request)
    steps = [
        step_of(example, len(example.turns), templates.translator)
        for example in examples_of(kind.name)
    ]
    said = pieces(templates.words, kind.name, templates.language)
    return ground.page(request, "rules", kind=kind, pieces=said, steps=steps)


async def step(request: Request) -> Response:
    """Answer with an example after one of its turns."""
    ground, kind = ground_of(request), kind_asked(request.path_params["kind"])
    named = {example.name: example for example in examples_of(kind.name)}
    example, word = named.get(request.path_params["name"]), request.path_params["number"]
    if example is None or word not in map(str, range(len(example.turns) + 1)):
        raise HTTPException(404)
    translator = ground.templates_for(request).translator
    return ground.page(request, "example", kind=kind, step=step_of(example, int(word), translator))


ROUTES = (Route("/rules/{kind}", rules), Route("/rules/{kind}/{name}/{number}", step))

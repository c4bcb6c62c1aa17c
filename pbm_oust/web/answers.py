"""What a player is told in answer to a form, as a page: what a letter would say."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.board.game import taken_in_turn
from pbm_oust.letters.layout import Paragraph
from pbm_oust.play.notices import Shown
from pbm_oust.render.html import Marks
from pbm_oust.web.carrying import Carried, said
from pbm_oust.web.ground import ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.positions import drawn
from pbm_oust.web.templates import Templates


@dataclass(frozen=True, slots=True)
class Picture:
    """A board among what is told."""

    name: str
    svg: str


def answer_page(
    request: Request,
    carried: Carried,
    templates: Templates,
    *,
    back: str,
) -> Response:
    """Return a page with what came of a request; `back` is the path that it leads back to."""
    ground = ground_of(request)
    parts: list[Paragraph | Picture] = []
    for block in said(carried.told, ground, is_line=True):
        if isinstance(block, Shown):
            parts.append(_picture(block, templates, f"b{len(parts)}"))
        elif isinstance(block, Paragraph):
            parts.append(block)
    page = ground.page(
        request, "answer", templates=templates, answers=parts, back=back, carried=carried
    )
    page.headers.update(KEPT_SECRET)
    return page


def _picture(shown: Shown, templates: Templates, prefix: str) -> Picture:
    game, translator = shown.game, templates.translator
    marks = Marks(game.latest_stones(), taken_in_turn(game))
    title = translator.gettext("Board %(name)s", name=game.name)
    return Picture(game.name, drawn(game.position, marks, title, translator, prefix=prefix))

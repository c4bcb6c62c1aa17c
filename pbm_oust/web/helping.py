"""Pages to learn from: the help that mail gives, and the rules with boards to touch.

Nothing is kept: what somebody has placed stands in the address, as where they explore.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from markupsafe import Markup, escape
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.board.puzzle import Attempt, Puzzle, drawn_position, steps_of
from pbm_oust.commands.general import PLAYED
from pbm_oust.experiments.advice import TRIED
from pbm_oust.grammar.notation import word_in
from pbm_oust.grammar.vocabulary import in_english
from pbm_oust.languages import Language
from pbm_oust.letters.help import general_subjects, help_subjects
from pbm_oust.letters.html import without_margin
from pbm_oust.letters.layout import Appearance, Block, Paragraph
from pbm_oust.letters.pictures import PICTURES, Picture
from pbm_oust.letters.words import Words, words_in
from pbm_oust.refusal import Illegal
from pbm_oust.render.html import Marks, marks_of
from pbm_oust.render.svg import Free, board_svg
from pbm_oust.rules import KINDS, Kind
from pbm_oust.web import addresses
from pbm_oust.web.addresses import kind_asked
from pbm_oust.web.boards import picture
from pbm_oust.web.ground import HTML, Templates, ground_of, source_of
from pbm_oust.web.play import cells_of


class Passage(Struct, frozen=True):
    """A part of a page of the help; what it says links to other pages."""

    text: Markup
    is_kept: bool
    """Whether its lines stay as they are."""


def pieces(words: Words, subject: str, language: Language) -> list[Passage] | None:
    """Return the page of the help about a subject in pieces; None if there is none."""
    blocks = words.help_blocks(subject)
    if blocks is None:
        return None
    return [piece for block in blocks for piece in _pieces(block, language)]


def _pieces(block: Block, language: Language) -> Iterator[Passage]:
    """Yield the indented lines of a paragraph together, and each other line for itself."""
    if isinstance(block, Picture):
        yield Passage(escape(block.text), True)
    lines_of = block.lines if isinstance(block, Paragraph) else ()
    for is_kept, lines in groupby(lines_of, lambda line: line.startswith(" ")):
        if is_kept:
            kept = without_margin(Paragraph(Appearance.LINES, tuple(lines)))
            yield Passage(linked("\n".join(kept.lines), language), True)
        else:
            yield from (Passage(linked(line, language), False) for line in lines)


def address_of(subject: str) -> str:
    """Return the path of the page about a subject of the help; for a game, its rules."""
    if subject in PLAYED:
        return addresses.of_advice(PLAYED[subject].name)
    return addresses.of_rules(subject) if subject in KINDS else addresses.of_help(subject)


def linked(text: str, language: Language) -> Markup:
    """Return a text as HTML, in which lines that ask for a page of the help lead there."""
    asking = re.compile(rf"\b({re.escape(word_in('help', language))} (\w+))( \w+)?")

    def link(found: re.Match[str]) -> str:
        line, word, more = found[1], in_english(found[2]), found[3] or ""
        both = f"{word} {in_english(more.strip())}"
        if both in PLAYED:
            line, word, more = line + more, both, ""
        if word not in help_subjects():
            return found[0]
        return f'<a href="{address_of(word)}">{line}</a>{more}'

    return Markup(asking.sub(link, str(escape(text))))  # noqa: S704 - it is escaped before # nosec B704


async def overview(request: Request) -> Response:
    """Answer with the steps that teach each game, and with the commands by mail."""
    ground, templates = ground_of(request), ground_of(request).templates_for(request)

    def drawn(step: Puzzle) -> str:
        prefix = f"{step.kind.name}-{step.name}"
        return picture(step.game, templates.translator, title_of(step, templates), prefix)

    def written() -> str:
        learned = [
            (kind, [(step.name, drawn(step)) for step in steps_of(kind)]) for kind in KINDS.values()
        ]
        general = {each: address_of(each) for each in general_subjects()}
        return templates.fill("help.html", learned=learned, general=general)

    made = ground.cache.get(("help", templates.language), written)
    return made.answer(request, HTML, templates.headers())


async def subject(request: Request) -> Response:
    """Answer with the page of the help about a subject, in any of our languages.

    It says what letters say: their boards are text, on which sides are `x` and `o`.
    """
    ground, templates = ground_of(request), ground_of(request).templates_for(request)
    name = in_english(request.path_params["subject"])
    found = pieces(words_in(templates.language, ground.address), name, templates.language)
    if found is None or name not in help_subjects():
        raise HTTPException(404)
    return ground.page(request, "subject", subject=name, pieces=found)


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


def tried_at(
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
        templates.translator.gettext,
        taps=(lambda cell: address((*attempt.cells, cell))) if is_open else None,
        prefix=prefix,
        free=Free.ALIKE,
        moves=attempt.game.latest_two_turns,
    )
    return Tried(attempt, refusal, drawn)


def title_of(puzzle: Puzzle, templates: Templates) -> str:
    """Return the title of the picture of a puzzle, or of a step of the rules."""
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
            tried_at(
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
    return ground.page(request, "rules", kind=kind, pieces=said, steps=steps)


async def advice(request: Request) -> Response:
    """Answer with the advice on a game, and its boards."""
    ground, kind = ground_of(request), kind_asked(request.path_params["kind"])
    if kind.name not in TRIED:
        raise HTTPException(404)
    templates = ground.templates_for(request)
    boards = {
        name: _pictured(kind, PICTURES[f"{kind.name} {name}"], f"b{nth}", templates)
        for nth, name in enumerate(TRIED[kind.name])
    }
    return ground.page(request, "advice", kind=kind, boards=boards, tried=TRIED[kind.name])


def _pictured(kind: Kind, drawn: Picture, prefix: str, templates: Templates) -> str:
    """Return a board of the help as SVG."""
    *_, latest = drawn.stones
    position = drawn_position(kind, drawn.cells, "\n".join(drawn.rows.lower().split()))
    marks = Marks(latest, pointed=drawn.marked)
    return board_svg(position, marks, kind.title, templates.translator.gettext, prefix=prefix)

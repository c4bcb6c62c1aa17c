"""The help that mail gives, as pages, and the rules with examples that one can step through."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from itertools import groupby

import msgspec
from markupsafe import Markup, escape
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.board import Game, Header, Record, Terms
from pbm_oust.board.notation import parse_action
from pbm_oust.grammar.notation import word_in
from pbm_oust.grammar.vocabulary import in_english
from pbm_oust.languages import Language
from pbm_oust.letters.help import general_subjects, help_subjects
from pbm_oust.letters.html import without_margin
from pbm_oust.letters.layout import Look, Paragraph
from pbm_oust.letters.words import Words
from pbm_oust.rules import KINDS, Side, parse_grid
from pbm_oust.web import addresses
from pbm_oust.web.addresses import kind_asked
from pbm_oust.web.boards import picture
from pbm_oust.web.ground import Templates, ground_of


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
    paragraphs = (block for block in blocks if isinstance(block, Paragraph))
    return [piece for paragraph in paragraphs for piece in _pieces(paragraph, language)]


def _pieces(paragraph: Paragraph, language: Language) -> Iterator[Passage]:
    """Yield the indented lines of a paragraph together, and each other line for itself."""
    for is_kept, lines in groupby(paragraph.lines, lambda line: line.startswith(" ")):
        if is_kept:
            kept = without_margin(Paragraph(Look.LINES, tuple(lines)))
            yield Passage(linked("\n".join(kept.lines), language), True)
        else:
            yield from (Passage(linked(line, language), False) for line in lines)


def address_of(subject: str) -> str:
    """Return the path of a subject of the help: of a game, that of its rules."""
    return addresses.of_rules(subject) if subject in KINDS else addresses.of_help(subject)


def linked(text: str, language: Language) -> Markup:
    """Return a text as HTML, in which lines that ask for a page of the help lead there."""
    asking = re.compile(rf"\b{re.escape(word_in('help', language))} (\w+)")

    def link(found: re.Match[str]) -> str:
        subject = in_english(found[1])
        if subject not in help_subjects():
            return found[0]
        return f'<a href="{address_of(subject)}">{found[0]}</a>'

    return Markup(asking.sub(link, str(escape(text))))  # noqa: S704 - it is escaped before # nosec B704


async def overview(request: Request) -> Response:
    """Answer with the overview of the help."""
    return ground_of(request).page(
        request, "help", general={each: address_of(each) for each in general_subjects()}
    )


async def subject(request: Request) -> Response:
    """Answer with the page of the help about a subject, in any of our languages."""
    ground, templates = ground_of(request), ground_of(request).templates_for(request)
    name = in_english(request.path_params["subject"])
    found = pieces(templates.words, name, templates.language)
    if found is None or name not in help_subjects():
        raise HTTPException(404)
    return ground.page(request, "subject", subject=name, pieces=found)


_AT = datetime(2026, 11, 20, tzinfo=UTC)
"""When everything in an example happens."""


class Example(Struct, frozen=True):
    """A game that shows a rule."""

    name: str
    """What addresses call it."""
    kind: str
    grid: str
    turns: tuple[str, ...]
    """Each with the side and its action, as histories have them."""


EXAMPLES = msgspec.toml.decode(
    files(__package__).joinpath("examples.toml").read_bytes(), type=dict[str, tuple[Example, ...]]
)["examples"]


@cache
def game_of(example: Example) -> Game:
    """Return an example as a game."""
    header = Header(KINDS[example.kind], 1, parse_grid(example.grid), "x", "o", Terms(), _AT)
    game = Game.start(header)
    for number, turn in enumerate(example.turns, 1):
        side, _, words = turn.partition(" ")
        game = game.redo(Record(number, Side(side), parse_action(words), _AT, f"{number:016x}"))
    return game


@cache
def _drawn(example: Example, number: int, templates: Templates) -> str:
    """Return the board after a turn as SVG; there are few of them, and all are kept."""
    title = str(templates.titles_of_examples[example.name])
    game = game_of(example).after(number)
    return picture(game, templates.translator, title, f"{example.name}-{number}")


async def rules(request: Request) -> Response:
    """Answer with the rules of a game and its examples."""
    ground, kind = ground_of(request), kind_asked(request.path_params["kind"])
    templates = ground.templates_for(request)
    examples = [
        (example, _drawn(example, len(example.turns), templates))
        for example in EXAMPLES
        if example.kind == kind.name
    ]
    said = pieces(templates.words, kind.name, templates.language)
    return ground.page(request, "rules", kind=kind, pieces=said, drawn=examples)


async def step(request: Request) -> Response:
    """Answer with an example after one of its turns."""
    ground, kind = ground_of(request), kind_asked(request.path_params["kind"])
    asked, number = (kind.name, request.path_params["name"]), request.path_params["number"]
    for example in EXAMPLES:
        numbers = map(str, range(len(example.turns) + 1))
        if (example.kind, example.name) == asked and number in numbers:
            drawn = _drawn(example, int(number), ground.templates_for(request))
            return ground.page(
                request,
                "example",
                kind=kind,
                example=example,
                number=int(number),
                records=game_of(example).records,
                picture=drawn,
            )
    raise HTTPException(404)

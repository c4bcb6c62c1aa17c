"""The help that mail gives, as pages, and the rules with examples that one can step through."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import groupby

from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.board.game import Game, redo
from pbm_oust.board.header import Header, Terms
from pbm_oust.board.notation import parse_action
from pbm_oust.board.record import Record, Records
from pbm_oust.grammar.notation import word_in
from pbm_oust.grammar.words import fold, in_english
from pbm_oust.languages import Language
from pbm_oust.letters.help import general_subjects, help_subjects
from pbm_oust.letters.html import without_margin
from pbm_oust.letters.layout import Look, Paragraph
from pbm_oust.letters.translator import Translator, to_translate
from pbm_oust.letters.words import Words
from pbm_oust.rules.grid import parse_grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Side
from pbm_oust.web import addresses
from pbm_oust.web.addresses import kind_asked
from pbm_oust.web.boards import picture, view_of
from pbm_oust.web.ground import ground_of


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a page of the help; what it says links to other pages."""

    text: Markup
    is_kept: bool
    """Whether its lines stay as they are."""


def pieces(words: Words, subject: str, language: Language) -> list[Piece] | None:
    """Return the page of the help about a subject in pieces; None if there is none."""
    blocks = words.help_blocks(subject)
    if blocks is None:
        return None
    paragraphs = (block for block in blocks if isinstance(block, Paragraph))
    return [piece for paragraph in paragraphs for piece in _pieces(paragraph, language)]


def _pieces(paragraph: Paragraph, language: Language) -> Iterator[Piece]:
    """Yield the indented lines of a paragraph together, and each other line for itself."""
    for is_kept, lines in groupby(paragraph.lines, lambda line: line.startswith(" ")):
        if is_kept:
            kept = without_margin(Paragraph(Look.LINES, tuple(lines)))
            yield Piece(linked("\n".join(kept.lines), language), True)
        else:
            yield from (Piece(linked(line, language), False) for line in lines)


def address_of(subject: str) -> str:
    """Return the path of a subject of the help: of a game, that of its rules."""
    return addresses.of_rules(subject) if subject in KINDS else addresses.of_help(subject)


def linked(text: str, language: Language) -> Markup:
    """Return a text as HTML, in which lines that ask for a page of the help lead there."""
    asking = re.compile(rf"\b{re.escape(word_in('help', language))} (\w+)")

    def link(found: re.Match[str]) -> str:
        subject = in_english(fold(found[1]))
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
    name = in_english(fold(request.path_params["subject"]))
    found = pieces(templates.words, name, templates.language)
    if found is None or name not in help_subjects():
        raise HTTPException(404)
    return ground.page(request, "subject", subject=name, pieces=found)


_AT = datetime(2026, 11, 20, tzinfo=UTC)
"""When everything in an example happens."""


@dataclass(frozen=True, slots=True)
class Example:
    """A game that shows a rule."""

    name: str
    """What addresses call it."""
    kind: str
    grid: str
    turns: tuple[str, ...]
    """Each with the side and its action, as histories have them."""
    title: str
    told: str
    """What there is to see at the end."""


EXAMPLES = (
    Example(
        "no-placement-left",
        "oust",
        "square 4x2",
        ("x A1", "o B1", "x B2", "o D1", "x A2*1 D2", "o C1*1"),
        to_translate("A capture can leave no placement"),
        to_translate(
            "o captured D2 with C1 and has no placement left, so the turn is over. On B1 or C2 its"
            " group of three would touch x's group of three, and on D2 it would touch no enemy."
        ),
    ),
    Example(
        "full-board",
        "oust",
        "square 2x2",
        ("x A1", "o B1", "x B2", "o A2"),
        to_translate("A board can be full"),
        to_translate("The turn is over and neither side has a placement, so the game is a draw."),
    ),
    Example(
        "blocked-board",
        "oust",
        "square 4x4",
        (
            *("x A2", "o A3", "x C1", "o B4", "x D2", "o A4*1 B1"),
            *("x D1*1 A2", "o B1", "x B3", "o C2", "x C4", "o D3"),
        ),
        to_translate("A board can be blocked"),
        to_translate("There are free cells that nobody can use. This is a draw, too."),
    ),
    Example(
        "no-stones",
        "oust",
        "square 2x2",
        ("x A1",),
        to_translate("A side without stones has not lost"),
        to_translate(
            "Only a capture loses the game. Before its first stone a side has none on the board,"
            " and the game goes on."
        ),
    ),
    Example(
        "forced-pass",
        "oust",
        "square 4x2",
        ("x A1", "o D1", "x C1", "o D2*1 B1", "x C2", "o A2", "x pass"),
        to_translate("A forced pass"),
        to_translate(
            "x had no placement. On B2 or C1 it would have made a group of two, which is not larger"
            " than o's pair on D1 and D2, which it would have touched."
        ),
    ),
    Example(
        "first-pair",
        "churn",
        "hex 3",
        (
            *("x A1", "o E5", "x C2", "o B4", "x C5", "o D2", "x D4"),
            *("o C3", "x A3", "o B1", "x E3", "o A2", "x B3*5"),
        ),
        to_translate("The first pair takes all other stones of its side"),
        to_translate(
            "Every free cell touched a stone of x, so x had to make the smallest group possible."
            " That is the pair on A3 and B3. All other single stones of x came off the board."
        ),
    ),
)


def examples_of(kind: str) -> tuple[Example, ...]:
    """Return the examples of the rules of a game."""
    return tuple(each for each in EXAMPLES if each.kind == kind)


@cache
def game_of(example: Example) -> Game:
    """Return an example as a game."""
    header = Header(KINDS[example.kind], 1, parse_grid(example.grid), "x", "o", Terms(), _AT)
    game = Game.start(header)
    for number, turn in enumerate(example.turns, 1):
        side, _, words = turn.partition(" ")
        game = redo(game, Record(number, Side(side), parse_action(words), _AT, f"{number:016x}"))
    return game


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

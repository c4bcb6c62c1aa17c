"""The help that mail gives, as pages."""

import re
from collections.abc import Iterator
from itertools import groupby

from markupsafe import Markup, escape
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.grammar.notation import word_in
from pbm_oust.grammar.vocabulary import in_english
from pbm_oust.languages import Language
from pbm_oust.letters.help import general_subjects, help_subjects
from pbm_oust.letters.html import without_margin
from pbm_oust.letters.layout import Look, Paragraph
from pbm_oust.letters.words import Words
from pbm_oust.rules import KINDS
from pbm_oust.web import addresses
from pbm_oust.web.ground import ground_of


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

"""The command that explains the others: help."""

from collections.abc import Sequence
from dataclasses import replace

from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.words import fold, in_english
from pbm_oust.languages import LANGUAGES, Section
from pbm_oust.play.forms import ForAnybody
from pbm_oust.play.notices import Notice
from pbm_oust.play.request import Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork, as_owner

SUBJECTS = ("tutorial", "board", "figures", "time", "house", "commands")
"""The subjects of the help that are neither commands nor games."""

_WORDS = frozenset(SUBJECTS).union(
    *(language.words[Section.COMMANDS].values() for language in LANGUAGES.values())
)
"""The words that other languages may translate."""


class Help(Command, frozen=True):
    """Mail the help about these subjects, or the overview if there are none."""

    subjects: tuple[str, ...]


class HelpNotice(Notice, frozen=True):
    """The pages of the help that were asked for; the overview if none was named."""

    template = "help"
    subjects: tuple[str, ...]
    has_house: bool = False
    """Whether the house plays here."""


def _read_subjects(words: Sequence[str]) -> tuple[str, ...]:
    plain = filter(None, (fold(word).strip(":") for word in words))
    return tuple(dict.fromkeys(map(in_english, plain)))


def give_help(command: Help, request: Request, work: UnitOfWork) -> Handled:
    """Answer with pages of the help, in the language in which they are asked for."""
    reader, asked = as_owner(work.sender_of(request), work.home), request.spoken
    if asked:
        reader = replace(reader, settings=replace(reader.settings, language=asked))
    return work.answer(HelpNotice(reader, command.subjects, work.has_house), request)


FORMS = (
    Form(
        "help",
        Help,
        rest=rest(
            ("[SUBJECT..]",),
            _read_subjects,
            tuple,
            least=0,
            fixed=_WORDS,
            sections=(Section.COMMANDS,),
        ),
        heading=Heading.GENERAL,
        rank=10,
        cost=Cost(is_help=True),
        run=ForAnybody(give_help),
    ),
)

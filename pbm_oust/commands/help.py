"""The command that explains the others: help."""

from collections.abc import Sequence

from pbm_oust.frozen import frozen
from pbm_oust.grammar.aliases import ALIASES, in_english
from pbm_oust.grammar.command import Command, Heading
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.words import fold
from pbm_oust.play.forms import OpenForm
from pbm_oust.play.notices import Notice
from pbm_oust.play.outcome import Handled
from pbm_oust.play.request import Request
from pbm_oust.play.unit_of_work import UnitOfWork

SUBJECTS = ("tutorial", "board", "figures", "time")
"""The subjects of the help that are neither commands nor games."""

_WORDS = frozenset({*SUBJECTS, *ALIASES.values()})
"""The words that other languages may translate."""


@frozen
class Help(Command):
    """Mail the help about these subjects, or the overview if there are none."""

    subjects: tuple[str, ...]


@frozen
class HelpNotice(Notice):
    """The pages of the help that were asked for; the overview if none was named."""

    template = "help"
    subjects: tuple[str, ...]


def _read_subjects(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(in_english(fold(word)) for word in words))


def give_help(command: Help, request: Request, work: UnitOfWork) -> Handled:
    """Answer with pages of the help."""
    return work.answer(HelpNotice(work.sender_of(request), command.subjects), request)


FORMS = (
    OpenForm(
        "help",
        Help,
        rest=rest(("[SUBJECT..]",), _read_subjects, tuple, least=0, fixed=_WORDS),
        heading=Heading.GENERAL,
        rank=10,
        run=give_help,
    ),
)

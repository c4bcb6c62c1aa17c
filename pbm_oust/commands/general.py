"""The general commands: multiple, which carries out the lines of the text of a mail, and help."""

from collections.abc import Sequence

from msgspec import structs

from pbm_oust.board.puzzle import steps_of
from pbm_oust.commands.begin import first_letter
from pbm_oust.experiments.advice import TRIED
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.habits import START
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.vocabulary import fold, in_english
from pbm_oust.languages import LANGUAGES, WordList
from pbm_oust.play.context import Context, Outcome, answered
from pbm_oust.play.notices import Notice
from pbm_oust.play.unit_of_work import ForAnybody, ForLines
from pbm_oust.rules import KINDS, Kind

HEADING = Heading.GENERAL

LESSONS = "lessons"
"""Asks for the rules of a game step by step; the name of another game may stand before it."""
SUBJECTS = (LESSONS, "tutorial", "board", "figures", "time", "house", "index", "commands")
"""The subjects of the help that are neither commands nor games."""
PLAY = "play"
"""What stands behind the name of a game to ask how it is played well: `help oust play`."""
PLAYED = {f"{name} {PLAY}": kind for name, kind in KINDS.items() if name in TRIED}
"""The games of which the help says that, by the subjects of it."""
TAUGHT = {f"{name} {LESSONS}": kind for name, kind in KINDS.items() if steps_of(kind)}
"""The games whose rules have steps, by the subjects of these."""

_WORDS = frozenset((*SUBJECTS, PLAY, START)).union(
    *(language.words[WordList.COMMANDS].values() for language in LANGUAGES.values())
)
"""The words that other languages may translate."""


def taught_in(subject: str) -> Kind | None:
    """Return the game whose rules a subject of the help shows step by step, or None."""
    first = next(iter(TAUGHT.values()), None)
    return first if subject == LESSONS else TAUGHT.get(subject)


class HelpNotice(Notice, frozen=True):
    """The pages of the help that were asked for; the overview if none was named."""

    subjects: tuple[str, ...]
    has_house: bool = False
    """Whether the house plays here."""


def _read_subjects(words: Sequence[str]) -> tuple[str, ...]:
    plain = filter(None, (fold(word).strip(":") for word in words))
    subjects = list[str]()
    for subject in map(in_english, plain):
        both = f"{subjects[-1]} {subject}" if subjects else ""
        if both in PLAYED or both in TAUGHT:
            subjects[-1] = both
        else:
            subjects.append(subject)
    return tuple(dict.fromkeys(subjects))


def give_help(on: Context, subjects: tuple[str, ...]) -> Outcome:
    """Mail the help about these subjects, or the overview if there are none.

    It is in the language in which it is asked for.
    """
    reader, asked = on.as_owner(on.asker()), on.request.spoken
    if asked:
        reader = structs.replace(reader, settings=structs.replace(reader.settings, language=asked))
    if subjects == (START,):
        return first_letter(on, reader)
    return answered(HelpNotice(reader, subjects, on.has_house))


FORMS: tuple[Form[ForAnybody | ForLines], ...] = (
    Form(
        "help",
        rest=Rest(
            ("subjects",),
            ("[SUBJECT..]",),
            _read_subjects,
            tuple,
            least=0,
            fixed=_WORDS,
            word_lists=(WordList.COMMANDS,),
        ),
        is_of_kind=False,
        cost=Cost(is_help=True),
        run=ForAnybody(give_help),
    ),
    Form(
        "multiple",
        is_of_kind=False,
        text=Text.UNSEEN,
        needs_own_mail=True,
        cost=Cost(work=0),  # its lines are charged
        run=ForLines(),
    ),
)

"""The command that explains the others: help."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm_oust.commands.aliases import in_english
from pbm_oust.commands.grammar import Form, Rest
from pbm_oust.commands.words import fold

SUBJECTS = ("tutorial", "time")
"""What there is help about that is neither a command nor a game."""


@dataclass(frozen=True, slots=True)
class Help:
    """Mail the help about these subjects, or the overview if there are none."""

    subjects: tuple[str, ...]


def _read_subjects(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(in_english(fold(word)) for word in words)


FORMS = (
    Form(
        "help",
        Help,
        rest=Rest(("[SUBJECT..]",), _read_subjects, least=0, fixed=frozenset(SUBJECTS)),
        is_of_kind=False,
    ),
)

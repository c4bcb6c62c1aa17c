"""The command that carries out those in the text of the mail, one a line."""

from dataclasses import dataclass

from pbm_oust.grammar.form import Form
from pbm_oust.refusal import UnreadableReason


@dataclass(frozen=True, slots=True)
class NoLines(UnreadableReason):
    """There are no commands in the text, or too many."""

    most: int
    """How many there may be."""


@dataclass(frozen=True, slots=True)
class MultipleWithin(UnreadableReason):
    """A line of the text would carry out lines itself."""


@dataclass(frozen=True, slots=True)
class Multiple:
    """Carry out the lines of the text, up to the first that is refused."""


FORMS = (Form("multiple", Multiple, is_of_kind=False),)

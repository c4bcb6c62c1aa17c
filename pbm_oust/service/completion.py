"""What may come next in a command line, for shells that complete it. Pure."""

from collections.abc import Sequence

from dataclasses import dataclass
from pbm_oust.grammar.command import Command
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.parts import without_options
from pbm_oust.grammar.words import fold
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.service.table import GENERAL_FORMS, KIND_FORMS, recognise


@dataclass(frozen=True, slots=True)
class Next:
    """What may come next in a line."""

    words: tuple[str, ...] = ()
    """Words of the commands."""
    place: str = ""
    """The name of what may be put in, such as BOARD or `[USERID..]`."""
    kind: Kind | None = None
    """The game that the line is about, if any."""


def next_in(words: Sequence[str]) -> Next:
    """Return what may come next after some words."""
    if not words:
        return Next((*KINDS, *dict.fromkeys(form.topic for form in GENERAL_FORMS.values())))
    line, error = recognise(" ".join(words))
    if line.form and not error:
        return _behind(line.form, line.arguments, line.kind)
    if len(words) > 1:
        return Next()
    first = fold(words[0])
    if first in KINDS:
        return Next(tuple(KIND_FORMS), kind=KINDS[first])
    of_two = (name.split() for name in GENERAL_FORMS if name.startswith(f"{first} "))
    return Next(tuple(second for _, second in of_two))


def _behind(form: Form[Command], arguments: Sequence[str], kind: Kind | None) -> Next:
    """Return what may come next after the name of a command and some words."""
    said = without_options(arguments) if form.options else arguments
    if len(said) < len(form.parameters):
        return Next(place=form.parameters[len(said)].name, kind=kind)
    if form.rest is None:
        return Next(kind=kind)
    return Next(tuple(sorted(form.words)), form.rest.shown[0], kind)

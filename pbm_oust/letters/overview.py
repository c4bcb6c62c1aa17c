"""The overview of all commands: which belong together, and each written once for all games."""

from pbm_oust.grammar.command import Command, Heading
from pbm_oust.grammar.form import Form
from pbm_oust.languages import ENGLISH, Language
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.table import FORMS

_GAME = "GAME"
"""Stands for the name of a game."""
_OPTIONS = ("[OPTION..]",)
"""Stands for options that the games do not have in common."""


def usages_by_heading(language: Language = ENGLISH) -> dict[Heading, list[str]]:
    """Return the lines that show how the commands under each heading are written."""
    return {
        heading: [
            usage
            for form in FORMS
            if form.heading is heading
            for usage in brief_usages(form, language)
        ]
        for heading in Heading
    }


def brief_usages(form: Form[Command], language: Language = ENGLISH) -> list[str]:
    """Return how a command is written: once for all games, without options that they differ in."""
    if not form.is_of_kind:
        return form.usages(None, language)
    options = {form.options_of(kind) for kind in KINDS.values()}
    shown = options.pop() if len(options) == 1 else _OPTIONS
    return form.usages_with(_GAME, shown, language)

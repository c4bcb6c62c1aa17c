"""The pages of the help, and how to write each command."""

import re
import textwrap
from collections.abc import Callable, Sequence
from functools import lru_cache

from msgspec import Struct

from pbm_oust.board.record import WISHED
from pbm_oust.commands.general import PLAYED, SUBJECTS, TAUGHT, taught_in
from pbm_oust.grammar.form import Command, is_plain
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Option
from pbm_oust.grammar.vocabulary import is_harmless
from pbm_oust.languages import ENGLISH, Language
from pbm_oust.letters.layout import WIDTH
from pbm_oust.rules import KINDS, Kind
from pbm_oust.service.table import FORMS, FORMS_UNDER, AnyForm

_GAME = "GAME"
"""Stands for the name of a game."""
_OPTIONS = ("[OPTION..]",)
"""Stands for options that differ between the games."""


class HelpPages(Struct, frozen=True):
    """Writes the help in one language."""

    language: Language
    render: Callable[..., str]
    """Returns what a template writes, given its name and what it needs."""
    rules: Callable[[Kind], str]
    """Returns the rules of a game."""

    def page(self, subject: str) -> str | None:
        """Return the page about a subject, or None if there is none."""
        if subject in KINDS:
            return self.rules(KINDS[subject])
        if subject in PLAYED:
            return self.render("help/play", kind=PLAYED[subject])
        if taught := taught_in(subject):
            others = {name: each for name, each in TAUGHT.items() if each is not taught}
            return self.render("help/lessons", kind=taught, others=others)
        if subject == "index":
            return _index(self)
        if subject == "overview":
            return self.render("help/overview")
        if subject in SUBJECTS:
            return self.render(f"help/{subject}", usages=usages_by_heading(self.language))
        forms = [form for form in FORMS if form.topic == subject]
        if not forms and subject in {deed.value for deed in WISHED}:
            return self.page("move")
        return self._form_page(subject, forms) if forms else None

    def pages(self, subjects: Sequence[str]) -> list[str]:
        """Return the pages about subjects, followed by a word about those without a page."""
        found = {subject: self.page(subject) for subject in subjects}
        pages = [page for page in found.values() if page is not None]
        unknown = [subject for subject, page in found.items() if page is None]
        if unknown:
            shown = [subject for subject in unknown if is_harmless(subject) and is_plain(subject)]
            pages.append(self.render("help/unknown", unknown=shown[:1], subjects=help_subjects()))
        return pages

    def has_page(self, subject: str) -> bool:
        """Return whether there is a page about a subject."""
        return self.page(subject) is not None

    def summaries(self) -> dict[Heading, list[tuple[str, str]]]:
        """Return the commands under each heading, each with what it does."""
        return {
            heading: [
                (topic, first_sentence(self._about(topic, form)))
                for topic, form in {form.topic: form for form in forms}.items()
            ]
            for heading, forms in FORMS_UNDER.items()
        }

    def summary_of(self, command: Command) -> str:
        """Return what a command does."""
        form = shortest(command).form
        return first_sentence(self._about(form.topic, form))

    def _about(self, topic: str, form: AnyForm) -> str:
        """Return the text of the help about a command, below its usage lines."""
        return self.render(f"help/{topic}", form=form, subjects=help_subjects())

    def _form_page(self, topic: str, forms: Sequence[AnyForm]) -> str:
        usages = [
            f"  {wrapped_usage(line)}" for form in forms for line in usages_of(form, self.language)
        ]
        return "\n".join([*usages, "", self._about(topic, forms[0])])


def shortest(command: Command) -> Command:
    """Return a move by a word, such as resign, as the command of that name, if there is one."""
    name = getattr(command.get("wish"), "value", "")
    form = next(
        (form for form in FORMS if form.name == name and command.get("guard") is None), None
    )
    if form is None or form.short_for is not command.form:
        return command
    return Command(form, {key: value for key, value in command.given.items() if key in form.names})


@lru_cache
def _index(written: HelpPages) -> str:
    """Return all commands with what each does; it takes long to write, and is always the same."""
    given = {"summaries": written.summaries(), "general_subjects": general_subjects()}
    return written.render("help/index", **given)


def first_sentence(page: str) -> str:
    """Return the first sentence of a page."""
    first = re.sub(r"[ \n]+", " ", page.split("\n\n")[0])
    return re.split(r"(?<=[.?])(?<!\.\.) (?=[A-Z\u00c0-\u00dc0-9])", first)[0]


def help_subjects() -> list[str]:
    """Return all subjects of the help except the overview."""
    return [*general_subjects(), *dict.fromkeys(form.topic for form in FORMS)]


def general_subjects() -> list[str]:
    """Return the subjects of the help that are not commands."""
    return [*KINDS, *PLAYED, *SUBJECTS]


def usages_by_heading(language: Language) -> dict[Heading, list[str]]:
    """Return the lines that show how to write the commands under each heading."""
    return {
        heading: [usage for form in forms for usage in brief_usages(form, language)]
        for heading, forms in FORMS_UNDER.items()
    }


def brief_usages(form: AnyForm, language: Language = ENGLISH) -> list[str]:
    """Return the usage lines of a command: once for all games, without the options that differ."""
    if not form.is_of_kind:
        return form.usages(None, language)
    options = {form.options_of(kind) for kind in KINDS.values()}
    shown = options.pop() if len(options) == 1 else _OPTIONS
    return form.usages_with(_GAME, shown, language)


def usages_of(form: AnyForm, language: Language) -> list[str]:
    """Return the lines that show how to write a command, for each game if it is about games."""
    kinds = KINDS.values() if form.is_of_kind else [None]
    return [usage for kind in kinds for usage in form.usages(kind, language)]


def shown_in_any(option: Option) -> list[str]:
    """Return the ways in which the help of the games shows an option, each once."""
    return list(filter(None, dict.fromkeys(option.shown(kind) for kind in KINDS.values())))


def wrapped_usage(usage: str) -> str:
    """Return a usage line of the help with its later lines indented."""
    return textwrap.fill(
        usage, WIDTH - 2, subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False
    )

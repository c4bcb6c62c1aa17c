"""Saying things in one language: its catalogue of messages, lists, dates, numbers and commands."""

import re
from collections.abc import Iterable
from datetime import date, datetime, tzinfo
from functools import cached_property, lru_cache
from gettext import NullTranslations, translation
from operator import index
from typing import TYPE_CHECKING, Literal

from msgspec import structs

from pbm_oust import languages
from pbm_oust.board import Action, Ruling, Verb
from pbm_oust.board.notation import format_action, format_ruling
from pbm_oust.grammar.form import Command
from pbm_oust.grammar.notation import Known, option_in, word_in
from pbm_oust.grammar.values import Filter
from pbm_oust.languages import DOMAIN, ENGLISH, Language, WordList
from pbm_oust.play.notices import Reader
from pbm_oust.rules import Grid, Shape

if TYPE_CHECKING:
    from babel import Locale


def to_translate(message: str) -> str:
    """Return a message unchanged, to be translated later: marks it for `scripts/translate`."""
    return message


_SHAPES = {Shape.SQUARE: to_translate("square"), Shape.HEX: to_translate("hex")}
_FILTERS = {
    Filter.ALL: to_translate("all"),
    Filter.ACTIVE: to_translate("active"),
    Filter.INACTIVE: to_translate("inactive"),
    Filter.NEXT: to_translate("next"),
}


def catalogue_of(language: Language) -> NullTranslations:
    """Return the compiled messages of a language. Raises FileNotFoundError.

    Messages of a game may be in a folder of its own.
    """
    if language is ENGLISH:
        return NullTranslations()
    own, *further = languages.__path__
    catalogue = translation(DOMAIN, own, [language.code])
    for folder in further:
        catalogue.add_fallback(translation(DOMAIN, folder, [language.code], fallback=True))
    return catalogue


_REMEMBERED = 64
"""How many times are remembered: both players of a board are told of the same ones."""


class Translator:
    """Speaks one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.catalogue = catalogue_of(language)
        self._is_english = language is ENGLISH

    # English needs Babel for ordinal numbers alone, and most processes never do.

    @cached_property
    def _locale(self) -> "Locale":
        from babel import Locale

        return Locale.parse(self.language.code)

    @property
    def own_name(self) -> str:
        """The name of the language in that language: `English`, `français`."""
        return str(self._locale.get_language_name(self.language.code))

    def _number(self, number: float, pattern: str) -> str:
        """Return a number in a pattern of CLDR."""
        from babel.numbers import format_decimal

        return format_decimal(number, pattern, self._locale)

    def _day(self, day: date, form: Literal["long", "short"]) -> str:
        """Return a day in words, or in figures."""
        from babel.dates import format_date

        return format_date(day, form, self._locale)

    def gettext(self, message: str, /, **facts: object) -> str:
        """Return a message in this language; `%(name)s` in it is a fact."""
        return self.catalogue.gettext(message) % facts

    def ngettext(self, one: str, more: str, number: int, /, **facts: object) -> str:
        """Return a message in this language, in the form that goes with a number.

        Raises TypeError for anything else, in every language.
        """
        return self.catalogue.ngettext(one, more, index(number)) % {"num": number, **facts}

    def pgettext(self, context: str, message: str, /, **facts: object) -> str:
        """Return a message that means what it does in a context."""
        return self.catalogue.pgettext(context, message) % facts

    def listed(self, items: Iterable[object]) -> str:
        """Return things as a sentence lists them: a, b and c."""
        *some, last = map(str, items)
        if not some:
            return last
        return self.gettext("%(some)s and %(last)s", some=", ".join(some), last=last)

    def either(self, items: Iterable[object]) -> str:
        """Return things to choose from: a or b or c."""
        first, *others = map(str, items)
        for other in others:
            first = self.gettext("%(some)s or %(last)s", some=first, last=other)
        return first

    def ordinal(self, number: int) -> str:
        """Return a number as in `the 2nd placement`."""
        return f"{number}{self.language.ordinals[self._locale.ordinal_form(number)]}"

    def decimal(self, number: float, places: int) -> str:
        """Return a number rounded to so many places."""
        if self._is_english:
            return f"{number:.{places}f}"
        return self._number(number, f"0.{'0' * places}".rstrip("."))

    def factor(self, number: float) -> str:
        """Return a number with as many places as it needs."""
        return f"{number:g}" if self._is_english else self._number(number, "0.####")

    def date_text(self, at: datetime, zone: tzinfo) -> str:
        """Return the day of a moment in a time zone: `12 December 2026`."""
        if self._is_english:
            return _date_text(at, zone)
        day = at.astimezone(zone).date()
        return re.sub(r"^1\b", self.language.first_day, self._day(day, "long"))

    def moment_text(self, at: datetime, zone: tzinfo) -> str:
        """Return a moment, rounded down to the minute: `12 December 2026, 15:00 UTC`."""
        time = _time_text(at, zone)
        return self.gettext("%(day)s, %(time)s", day=self.date_text(at, zone), time=time)

    def date_in_subject(self, at: datetime, zone: tzinfo) -> str:
        """Return the day of a moment in plain ASCII, as Subjects have it."""
        if self._is_english:
            return _date_text(at, zone)
        return self.day_in_list(at.astimezone(zone).date())

    def asked_for(self, asked: str) -> str:
        """Return whose boards were asked for, and with which filter: `alice bob active`."""
        *userids, chosen = asked.split(" ")
        words = self.gettext(_FILTERS[Filter(chosen)])
        if not userids:
            return words
        return self.gettext("%(userids)s %(filter)s", userids=" ".join(userids), filter=words)

    def day_in_list(self, day: date) -> str:
        """Return a day in figures, as tables have it."""
        if self._is_english:
            return day.isoformat()
        return self._day(day, "short")

    def in_time_of(self, at: datetime, reader: Reader) -> str:
        """Return a time as a reader's clock shows it: 2026-11-20 16:36 CET."""
        local = at.astimezone(reader.settings.zone)
        return f"{self.day_in_list(local.date())} {local:%H:%M %Z}"

    def grid_text(self, grid: Grid) -> str:
        """Return the name of a grid: square 13x13."""
        if self._is_english:
            return str(grid)
        _, _, size = str(grid).partition(" ")
        return f"{self.gettext(_SHAPES[grid.shape])} {size}"

    def line(self, command: Command, mask: bool = True) -> str:
        """Return the line of a command in this language, with its passwords masked or not."""
        return command.form.format(command, self.language, mask=mask)

    def answer(self, command: Command, known: Known | None = None) -> str:
        """Return a command as an answer to a letter gives it; empty if it cannot."""
        return command.form.format_answer(command, known, self.language)

    def word(self, word: str, among: WordList = WordList.COMMANDS) -> str:
        """Return a word of command lines, or a place in them, in this language."""
        return word_in(word, self.language, among)

    def action(self, action: Action) -> str:
        """Return the words of a record in this language: `passe`, `rappel x`."""
        if not isinstance(action, Ruling):
            return self.word(format_action(action))
        said = {
            Verb.REMIND.value: self.pgettext("record", "remind"),
            Verb.FORFEIT.value: self.pgettext("record", "forfeit"),
            Verb.AWARD.value: self.pgettext("record", "award"),
            Verb.VOID.value: self.pgettext("record", "void"),
            Verb.ADOPT.value: self.pgettext("record", "adopt"),
            "draw": self.gettext("draw"),
        }
        *fixed, userid = *format_ruling(structs.replace(action, userid="")).split(), action.userid
        return " ".join(filter(None, [*(said.get(word, word) for word in fixed), userid]))

    def option(self, text: str) -> str:
        """Return options as command lines have them, such as `-size=13`, in this language."""
        return option_in(text, self.language)


@lru_cache(_REMEMBERED)
def _date_text(at: datetime, zone: tzinfo) -> str:
    """Return the day of a time: `12 December 2026`."""
    local = at.astimezone(zone)
    return f"{local.day} {local:%B %Y}"


@lru_cache(_REMEMBERED)
def _time_text(at: datetime, zone: tzinfo) -> str:
    """Return the hour and minute of a time: `15:00 UTC`."""
    local = at.astimezone(zone)
    name = f"{local:%Z}"
    return f"{local:%H:%M} {name if name.isalpha() else f'UTC{name}'}"

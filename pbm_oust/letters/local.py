"""Numbers and days as the people of a language write them, which Babel knows.

Translators import this when a letter has such a number or day: most English letters have none.
"""

from datetime import date

from babel import Locale
from babel.dates import format_date
from babel.numbers import format_decimal


class Local:
    """The habits of one language."""

    def __init__(self, code: str) -> None:
        self._locale = Locale.parse(code)

    def ordinal_form(self, number: int) -> str:
        """Return which form an ordinal number has, as CLDR calls it."""
        return self._locale.ordinal_form(number)

    def decimal(self, number: float, pattern: str) -> str:
        """Return a number in a pattern of CLDR."""
        return format_decimal(number, pattern, self._locale)

    def long_date(self, day: date) -> str:
        """Return a day in words."""
        return format_date(day, "long", self._locale)

    def short_date(self, day: date) -> str:
        """Return a day in figures."""
        return format_date(day, "short", self._locale)

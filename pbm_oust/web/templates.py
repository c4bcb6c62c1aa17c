"""The templates of pages in one language, and what they may ask for."""

from datetime import UTC
from functools import lru_cache

from pbm_oust.languages import ENGLISH, LANGUAGES, Language, Section
from pbm_oust.letters.lists import name_of
from pbm_oust.letters.templates import html_templates
from pbm_oust.letters.translator import Translator
from pbm_oust.letters.words import FIGURES, words_in
from pbm_oust.play.notices import Reader
from pbm_oust.rules.kinds import KINDS
from pbm_oust.web import addresses
from pbm_oust.web.static import STATIC

ANYBODY = Reader((), "*")
"""Who reads a page: nobody whose userid stands in it."""


class Templates:
    """Pages in one language."""

    def __init__(self, language: Language, address: str, base: str) -> None:
        """`address` takes commands by mail; `base` is where the pages are found, if known."""
        self.language = language
        self.translator = translator = Translator(language)
        self.words = words = words_in(language, address)
        self._templates = html_templates(translator)
        self._templates.filters.update(
            listed=translator.listed,
            line=translator.line,
            word=translator.word,
        )
        self._templates.globals.update(
            address=address,
            addresses=addresses,
            base=base,
            language=language,
            has_own_pages=bool(base),
            kinds=tuple(KINDS.values()),
            static=STATIC,
            anybody=ANYBODY,
            refused=(),
            kept=lambda _form, _field, usual="": usual,
            about_games=lambda: words.about_games,
            about_options=lambda: words.about_options,
            words_of_kind=words.words_of_kind,
            words_of=translator.action,
            grid_text=translator.grid_text,
            moment_text=lambda at, zone=UTC: translator.moment_text(at, zone),
            day_in_list=lambda at: translator.day_in_list(at.astimezone(UTC).date()),
            decimal=translator.decimal,
            how_ended=words.how_ended,
            name_of=lambda userid: name_of(translator, userid),
            rating_words=words.ratings,
            summaries=words.summaries,
            sections=Section,
            **FIGURES,
        )

    def fill(self, name: str, **given: object) -> str:
        """Return what the template of a page writes."""
        return self._templates.get_template(f"web/{name}.html").render(given)


_LONGEST = 200
"""How many characters of a header are read."""


@lru_cache(64)
def language_of(accepted: str) -> Language:
    """Return the language of ours that a header Accept-Language weighs most; English if none."""
    weighed = [_weighed(part) for part in accepted[:_LONGEST].split(",")]
    known = [(weight, LANGUAGES[code]) for code, weight in weighed if code in LANGUAGES and weight]
    return max(known, key=lambda each: each[0], default=(0.0, ENGLISH))[1]


def _weighed(part: str) -> tuple[str, float]:
    """Return the code of a language, without its region, and its weight from 0 to 1."""
    tag, _, quality = part.partition(";")
    name, _, value = quality.strip().partition("=")
    try:
        weight = float(value) if name.strip() == "q" else 1.0
    except ValueError:
        weight = 0.0
    return tag.strip().lower().partition("-")[0], min(max(weight, 0.0), 1.0)

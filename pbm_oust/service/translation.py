"""Command lines in the words of another language, as players of that language write them. Pure."""

import re

from pbm_oust.board.record import WISHED
from pbm_oust.commands.queue import QUEUEING
from pbm_oust.grammar.form import Form
from pbm_oust.languages import Language
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.table import FORMS

_PLACE = re.compile(r"\b[A-Z]{4,}[12]?\b")
_WORD = re.compile(r"[a-z]+")
_GAME = "GAME"
"""Stands for the name of a game in the overview."""
_HOLDING_DEEDS = {"move", "queue", "submit"}
"""The commands behind whose parameters stands what to do on a board."""


def said_in(line: str, language: Language) -> str:
    """Return a command line, written in English, in the words that a language has for it.

    What a player puts in stays as it is: userids above all, which may be words of commands. The
    names of the places where that is to be done are given in the language too.
    """
    chosen = _chosen(language)
    words = line.split(" ")
    at = 1 if words[0] in {*KINDS, _GAME} else 0
    form = _form_at(words[at:], is_of_kind=bool(at))
    if form:
        behind = at + len(form.name.split())
        words[at:behind] = [chosen.get(word, word) for word in words[at:behind]]
        rest = behind + len(form.parameters)
        known = _words_behind(form)
        words[rest:] = [
            _WORD.sub(lambda found: _if_known(found[0], known, chosen), word)
            for word in words[rest:]
        ]
    return _with_places(" ".join(words), language)


def word_in(word: str, language: Language) -> str:
    """Return a word of a command line, or the way some are shown, in the words of a language.

    Examples are `pass`, `PLACEMENTS[#N]` and `pass|swap`.
    """
    chosen = _chosen(language)
    if word in chosen:
        return chosen[word]
    known = {deed.value for deed in WISHED} | {"show", *QUEUEING}
    return _with_places(_WORD.sub(lambda found: _if_known(found[0], known, chosen), word), language)


def _chosen(language: Language) -> dict[str, str]:
    """Return the words that a language has for words of commands, by these."""
    chosen: dict[str, str] = {}
    for alias, english in [*language.commands.items(), *language.words.items()]:
        chosen.setdefault(english, alias)
    return chosen


def _with_places(line: str, language: Language) -> str:
    """Return a line with the names of places in a language."""
    return _PLACE.sub(lambda found: language.placeholders.get(found[0], found[0]), line)


def answered_in(answer: str, language: Language) -> str:
    """Return an answer to a letter, written in English, in the words of a language: `passe`."""
    first, space, rest = answer.partition(" ")
    chosen = _chosen(language)
    form = _form_at([first], is_of_kind=True)
    deeds = _words_behind(form) if form else set()
    words = [_if_known(word, deeds, chosen) for word in rest.split(" ")]
    return f"{chosen.get(first, first)}{space}{' '.join(words)}"


def _form_at(words: list[str], is_of_kind: bool) -> Form | None:
    forms = (form for form in FORMS if form.is_of_kind is is_of_kind)
    return next((form for form in forms if _begins(words, form.name.split())), None)


def _begins(words: list[str], name: list[str]) -> bool:
    return words[: len(name)] == name


def _words_behind(form: Form) -> set[str]:
    """Return the words of the grammar that may stand behind the parameters of a command."""
    if form.name in _HOLDING_DEEDS:
        return {deed.value for deed in WISHED} | _fixed(form)
    if form.name == "help":
        return {each.topic for each in FORMS} | _fixed(form)
    known = {"show"} if form.name == "all" else set()
    return known | _fixed(form)


def _fixed(form: Form) -> set[str]:
    return {*form.rest.known, *form.rest.fixed} if form.rest else set()


def _if_known(word: str, known: set[str], chosen: dict[str, str]) -> str:
    return chosen.get(word, word) if word in known else word

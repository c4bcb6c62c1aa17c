"""Words of other languages for those of commands: they are read, and English is as it was."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.settings import NAMES, values_of
from pbm_oust.commands.settings import SETTING_WORDS
from pbm_oust.grammar.notation import word_in, words_of
from pbm_oust.grammar.values import BadPassword
from pbm_oust.grammar.vocabulary import (
    ALIASES,
    OPTION_ALIASES,
    Aliases,
    AmbiguousWord,
    find_command_word,
    find_word,
    in_english,
    language_of,
    meant_by,
    without_accents,
)
from pbm_oust.languages import LANGUAGES, Language, WordList
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.service.sheets import MORE
from pbm_oust.service.table import (
    FORMS,
    GENERAL_FORMS,
    KIND_FORMS,
    KIND_TOPICS,
    VOCABULARY,
    AnyForm,
    parse_line,
)
from tests.support import tables

tabled = tables.tabled(__file__)

FRENCH = LANGUAGES["fr"]
GOOD_FRENCH = {
    *("analyse", "change", "decline", "propose", "message", "note", "export", "sgf", "invite"),
    *("html", "en", "fr", "page", "x", "o"),
}
"""English words that are good French as well, and names."""
TOPICS = {form.topic for form in GENERAL_FORMS.values()}
SECONDS = {form.name.partition(" ")[2] for form in FORMS} - {""}


class Place(NamedTuple):
    """A place in a command line: the words between which there is a choice, and their aliases."""

    known: frozenset[str]
    aliases: Aliases


def in_lines() -> Iterator[tuple[Iterable[str], Aliases]]:
    """Yield the words of all places in command lines; some stand in several."""
    yield {*KINDS, *TOPICS}, ALIASES
    yield KIND_TOPICS, ALIASES
    yield SECONDS, ALIASES
    for form in FORMS:
        yield (option.name for option in form.options), OPTION_ALIASES
        if form.words != SETTING_WORDS:
            yield form.words, ALIASES
    yield NAMES, ALIASES
    for name in NAMES:
        yield values_of(name), ALIASES


PLACES = [
    Place(known, aliases)
    for known, aliases in {frozenset(known): aliases for known, aliases in in_lines()}.items()
    if known
]
KNOWN = {word for place in PLACES for word in place.known}
OF_LETTERS = {MORE}
"""Words that stand in no command, but answer a letter."""
MEANT = [
    (alias, english)
    for aliases in (ALIASES, OPTION_ALIASES)
    for alias, meant in aliases.items()
    for english in meant
    if english not in OF_LETTERS
]
"""All translations, with each word that one may stand for."""
of_places = pytest.mark.parametrize("place", PLACES, ids=lambda place: min(place.known))


def found(word: str, known: Iterable[str]) -> str | UnreadableReason:
    try:
        return find_word(word, known)
    except Unreadable as error:
        return error.reason


@of_places
def test_every_english_beginning_means_what_it_meant_without_other_languages(place: Place) -> None:
    beginnings = {word[:end] for word in place.known for end in range(1, len(word) + 1)}
    executing = {each for each in beginnings if isinstance(found(each, place.known), str)}
    assert executing
    for beginning in executing:
        assert find_command_word(beginning, *place) == find_word(beginning, place.known)


@of_places
def test_an_english_beginning_of_several_words_stays_unclear(place: Place) -> None:
    beginnings = {word[:end] for word in place.known for end in range(1, len(word) + 1)}
    unclear = {each for each in beginnings if isinstance(found(each, place.known), AmbiguousWord)}
    for beginning in unclear - set(place.aliases):
        with pytest.raises(Unreadable, match=AmbiguousWord.word()):
            find_command_word(beginning, *place)


@given(st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=1, max_size=9))
def test_what_english_reads_is_never_read_otherwise(word: str) -> None:
    for place in PLACES:
        meant = found(word, place.known)
        if isinstance(meant, str):
            assert find_command_word(word, *place) == meant


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=str)
def test_words_of_a_language_are_plain_and_stand_for_words_of_commands(language: Language) -> None:
    for words in language.words.values():
        assert all(alias.isascii() and alias.isalpha() and alias.islower() for alias in words)
        assert set(words.values()) <= KNOWN | OF_LETTERS
        assert not set(words) & KNOWN


@of_places
def test_no_word_of_any_language_stands_for_two_things_in_one_place(place: Place) -> None:
    meant = [(alias, each) for alias, several in place.aliases.items() for each in several]
    here = [alias for alias, english in meant if english in place.known]
    assert len(here) == len(set(here))


@pytest.mark.parametrize(("alias", "english"), MEANT)
def test_every_word_is_found_wherever_what_it_stands_for_can_stand(
    alias: str, english: str
) -> None:
    places = [
        place
        for place in PLACES
        if english in place.known and english in place.aliases.get(alias, ())
    ]
    assert places
    for place in places:
        assert find_command_word(alias, *place) == english
        assert find_command_word(alias.upper(), *place) == english


@of_places
def test_french_has_a_word_for_every_word_of_every_place(place: Place) -> None:
    word_lists = [WordList.OPTIONS] if place.aliases is OPTION_ALIASES else [*WordList]
    translated = {word for each in word_lists for word in words_of(FRENCH, each)}
    assert place.known <= translated | GOOD_FRENCH | {*KINDS}


@tabled("line", "english")
def test_a_line_in_french_is_the_same_command(line: str, english: str) -> None:
    _, read = parse_line(line)
    assert not isinstance(read, Unreadable)
    assert read == parse_line(english)[1]


@pytest.mark.parametrize(
    ("word", "resembled"), [("inscriptoin", "signup"), ("reglagse", "settings"), ("hlep", "help")]
)
def test_a_near_miss_of_a_french_word_is_understood_but_not_carried_out(
    word: str, resembled: str
) -> None:
    _, read = parse_line(f"{word} carol secret1")
    assert isinstance(read, Unreadable)
    assert meant_by(read) == resembled


@pytest.mark.parametrize("word", ["inscription", "reglages", "vacances", "francais"])
def test_a_word_of_the_commands_in_french_is_no_password(word: str) -> None:
    assert word in VOCABULARY
    _, read = parse_line(f"signup carol {word}")
    assert isinstance(read, Unreadable)
    assert read.reason == BadPassword()


@tabled("line", "code")
def test_the_language_of_a_line_is_that_of_its_first_word_of_another_language(
    line: str, code: str
) -> None:
    assert language_of(line.split()) is LANGUAGES.get(code)


# Lines in the words of a language


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_the_name_of_every_command_in_french_is_read_as_that_command(form: AnyForm) -> None:
    front = "oust " if form.is_of_kind else ""
    name = " ".join(word_in(word, FRENCH) for word in form.name.split())
    line, _ = parse_line(f"{front}{name} 1 carol secret1 D4")
    assert line.form is form


def said_in(text: str, language: Language) -> str:
    """Return a line in the words of a language, its password as it is."""
    _, read = parse_line(text)
    assert not isinstance(read, Unreadable)
    return read.line(language, mask=False)


@tabled("line", "french")
def test_each_word_is_shown_as_its_place_has_it(line: str, french: str) -> None:
    assert said_in(line, FRENCH) == french
    assert parse_line(french)[1] == parse_line(line)[1]


def test_places_have_names_in_the_language() -> None:
    move = KIND_FORMS["move"]
    said = "oust coup PARTIE PSEUDO MOTDEPASSE POSES[#N]"
    assert move.command(kind=KINDS["oust"]).line(FRENCH) == said
    assert move.usages(KINDS["oust"], FRENCH)[0] == said


@given(st.text())
def test_reading_a_word_in_any_language_never_fails(word: str) -> None:
    assert isinstance(in_english(word), str)
    assert not set("\u0301\u0300") & set(without_accents(word))

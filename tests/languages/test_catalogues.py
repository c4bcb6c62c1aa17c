"""What languages have for the messages of the templates: all of it, and nothing else."""

import re
from gettext import GNUTranslations

import pytest
from babel.messages.catalog import Message

from pbm_oust.languages import Language
from pbm_oust.letters.translator import Translator
from tests.support.catalogues import OTHERS, catalogue, forms, messages, places, subjects

FACT = re.compile(r"%\(\w+\)s")
SENTENCE_END = re.compile(r"[.:;?!]$")
TIGHT = re.compile("[^\u00a0\\d][:;?!\u00bb](?= |$)")
OTHER_WORDS = re.compile(r"\bcourriers?\b|\bhorloge\b|\bSeule? %")
in_every_language = pytest.mark.parametrize("language", OTHERS, ids=str)


def names_same_facts(message: Message, said: str) -> bool:
    """Return whether a translation names the facts of its message; of a plural, no others."""
    known = set(FACT.findall("".join(forms(message.id))))
    named = set(FACT.findall(said))
    return named <= known if message.pluralizable else named == known


def test_french_is_among_the_languages() -> None:
    assert "fr" in map(str, OTHERS)


@in_every_language
def test_the_catalogue_has_the_messages_of_the_templates_and_the_code_and_no_others(
    language: Language,
) -> None:
    assert {message.id for message in messages(language)} == {place.key for place in places()}
    assert not catalogue(language).obsolete


@in_every_language
def test_every_message_is_translated_in_all_its_forms(language: Language) -> None:
    wanted = catalogue(language).num_plurals
    untranslated = [
        message.id
        for message in messages(language)
        if not all(forms(message.string))
        or len(forms(message.string)) != (wanted if message.pluralizable else 1)
    ]
    assert not untranslated


@in_every_language
def test_no_translation_is_a_guess(language: Language) -> None:
    assert not [message.id for message in messages(language) if message.fuzzy]


@in_every_language
def test_translations_name_the_same_facts(language: Language) -> None:
    different = [
        message.id
        for message in messages(language)
        for said in forms(message.string)
        if not names_same_facts(message, said)
    ]
    assert not different


@in_every_language
def test_percent_signs_that_name_no_fact_are_doubled(language: Language) -> None:
    said = [text for message in messages(language) for text in forms(message.string)]
    assert not [text for text in said if "%" in FACT.sub("", text).replace("%%", "")]


@in_every_language
def test_subjects_are_plain_ascii(language: Language) -> None:
    said = [message for message in messages(language) if message.id in subjects()]
    assert said
    assert not [text for each in said for text in forms(each.string) if not text.isascii()]


@in_every_language
def test_translations_end_as_the_messages_do(language: Language) -> None:
    different = [
        message.id
        for message in messages(language)
        for said in forms(message.string)
        if bool(SENTENCE_END.search(said)) is not bool(SENTENCE_END.search(forms(message.id)[0]))
    ]
    assert not different


@in_every_language
def test_the_compiled_catalogue_is_that_of_the_messages(language: Language) -> None:
    """Else `scripts/environment test` has not been run since."""
    compiled = Translator(language).catalogue
    assert isinstance(compiled, GNUTranslations)
    for message in messages(language):
        if message.pluralizable:
            one, more = forms(message.id)
            said = {compiled.ngettext(one, more, number) for number in range(200)}
            assert said == set(forms(message.string))
        elif message.context:
            said_here = compiled.pgettext(message.context, forms(message.id)[0])
            assert said_here == message.string
        else:
            assert compiled.gettext(forms(message.id)[0]) == message.string


def test_french_counts_nothing_as_one() -> None:
    french = Translator(next(each for each in OTHERS if each.code == "fr"))
    counted = [french.ngettext("%(number)s day", "%(number)s days", n, number=n) for n in range(3)]
    assert counted == ["0 jour", "1 jour", "2 jours"]


def test_french_has_a_space_that_does_not_break_before_its_marks() -> None:
    french = next(each for each in OTHERS if each.code == "fr")
    said = [each for each in messages(french) if each.id not in subjects()]
    assert not [text for each in said for text in forms(each.string) if TIGHT.search(text)]


def test_french_calls_a_mail_and_the_clock_by_one_word_and_takes_nobody_for_a_man() -> None:
    french = next(each for each in OTHERS if each.code == "fr")
    said = [text for each in messages(french) for text in forms(each.string)]
    assert not [text for text in said if OTHER_WORDS.search(text)]

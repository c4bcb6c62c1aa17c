"""Words of a command line: what mail programs do to them, and what is made of them."""

from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbm_oust.grammar.vocabulary import (
    SHORTEST_PASSWORD,
    AmbiguousWord,
    UnknownWord,
    find_word,
    fold,
    is_harmless,
    meant_by,
    resembling,
    split_words,
)
from pbm_oust.refusal import Unreadable
from tests.support import tables

tabled = tables.tabled(__file__)

KNOWN = ("challenge", "games", "move", "show", "showas", "preview", "propose")


def refused(word: str, known: Iterable[str] = KNOWN) -> Unreadable:
    with pytest.raises(Unreadable) as caught:
        find_word(word, known)
    return caught.value


@tabled("space")
def test_spaces_of_every_kind_part_words(space: str) -> None:
    assert split_words(f"oust{space}show{space}17") == ("oust", "show", "17")


@tabled("mark")
def test_invisible_marks_are_dropped(mark: str) -> None:
    assert split_words(f"{mark}oust sh{mark}ow 17{mark}") == ("oust", "show", "17")


def test_a_line_of_spaces_and_invisible_marks_has_no_words() -> None:
    assert split_words(" \u00a0\u200b\t\ufeff ") == ()


@pytest.mark.parametrize(
    "quotes",
    ['""', "''", "``", "\u201c\u201d", "\u2018\u2019", "\u201e\u201c", "\u00ab\u00bb"],
)
def test_quotes_around_a_line_are_dropped(quotes: str) -> None:
    assert split_words(f"{quotes[0]}oust show 17{quotes[1]}") == ("oust", "show", "17")


def test_quotes_around_a_word_are_dropped() -> None:
    assert split_words("oust \u201cshow\u201d '17'") == ("oust", "show", "17")


def test_a_quote_inside_a_word_stays() -> None:
    assert split_words("oust show o'brien") == ("oust", "show", "o'brien")


@tabled("text")
def test_letters_that_only_look_different_are_made_plain(text: str) -> None:
    assert split_words(text) == ("oust", "show", "17")


def test_the_case_of_a_word_is_kept_because_it_may_be_a_password() -> None:
    assert split_words("Oust SHOW WonderLand") == ("Oust", "SHOW", "WonderLand")


@given(st.text())
@example('"\u00a0"')
def test_words_are_never_empty_and_hold_no_space(text: str) -> None:
    assert all(word and word == "".join(word.split()) for word in split_words(text))


@pytest.mark.parametrize("dash", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d")
def test_dashes_of_every_kind_are_folded(dash: str) -> None:
    assert fold(f"{dash}noswap") == "-noswap"


def test_folding_leaves_capitals_behind() -> None:
    assert fold("ChAlLeNgE") == "challenge"


@pytest.mark.parametrize("word", ["show", "SHOW", "Show"])
def test_an_exact_word_is_found_even_where_a_longer_one_begins_so(word: str) -> None:
    assert find_word(word, KNOWN) == "show"


@pytest.mark.parametrize(("word", "found"), [("cha", "challenge"), ("Chall", "challenge")])
def test_a_beginning_that_only_one_word_has_finds_it(word: str, found: str) -> None:
    assert find_word(word, KNOWN) == found


def test_a_beginning_of_several_words_is_refused_with_all_of_them() -> None:
    refusal = refused("sho", {"shown", "shore", "move"})
    assert (refusal.reason, refusal.culprit) == (AmbiguousWord(("shore", "shown")), "sho")


@pytest.mark.parametrize("word", ["c", "m", "ch", "I"])
def test_one_or_two_letters_are_no_beginning_of_a_word(word: str) -> None:
    assert isinstance(refused(word).reason, UnknownWord)


@pytest.mark.parametrize("word", ["mvoe", "moev", "moove", "mov3", "MVOE"])
def test_a_near_miss_is_refused_with_a_suggestion(word: str) -> None:
    refusal = refused(word)
    assert (meant_by(refusal), refusal.culprit) == ("move", word)


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("shov", ("shot", "show"), "shot"),
        ("shov", ("show", "shot"), "show"),
        ("hostory", ("history", "store"), "history"),
        ("outs", ("tours", "oust"), "oust"),
        ("osut", ("oust", "tous"), "oust"),
        ("moving", ("move", "show"), None),
        ("mvve", ("move",), "move"),
    ],
)
def test_of_words_that_are_as_near_the_first_is_meant_and_before_them_one_of_the_same_letters(
    word: str, known: tuple[str, ...], meant: str | None
) -> None:
    assert resembling(word, known) == meant


def test_a_word_like_none_is_refused_with_those_that_are_known() -> None:
    refusal = refused("xyzzy")
    assert refusal.reason == UnknownWord(tuple(sorted(KNOWN)))


def test_a_word_with_something_behind_it_is_not_found() -> None:
    assert meant_by(refused("moves")) == "move"


def test_an_empty_word_is_refused() -> None:
    assert isinstance(refused("").reason, UnknownWord)


def test_resemblance_does_not_look_at_case() -> None:
    assert resembling("GMAES", KNOWN) == "games"


@tabled("word")
def test_numbers_placements_and_options_are_harmless(word: str) -> None:
    assert is_harmless(word)


def test_a_word_too_short_for_a_password_is_harmless() -> None:
    assert is_harmless("x" * (SHORTEST_PASSWORD - 1))


@tabled("word")
def test_any_other_word_might_be_a_password(word: str) -> None:
    assert not is_harmless(word)

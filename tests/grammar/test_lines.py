"""Lines shown to their writer again: passwords masked, and the line that would have been right."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pbm_oust.grammar.form import Line, to_player
from pbm_oust.grammar.vocabulary import MASK, split_words
from pbm_oust.refusal import Unreadable
from pbm_oust.rules import KINDS
from pbm_oust.service.table import FORMS, KIND_TOPICS, VOCABULARY, parse_line
from tests.support import tables
from tests.support.rings import examples

tabled = tables.tabled(__file__)

USERIDS = {"alice", "bob", "rrognlie"}


def is_userid(word: str) -> bool:
    return word.lower() in USERIDS


def shown(text: str) -> str:
    line, _ = parse_line(text)
    return line.shown(to_player(VOCABULARY, is_userid))


def corrected(text: str) -> str | None:
    line, read = parse_line(text)
    if not isinstance(read, Unreadable):
        meant = line.correction(to_player((), is_userid))
    else:
        meant = line.correction(to_player((), is_userid), read.culprit, read.reason.right or "")
    return meant.line() if meant else None


@tabled("text", "masked")
def test_what_might_be_a_password_is_masked_and_nothing_else(text: str, masked: str) -> None:
    assert shown(text) == masked


TEMPLATES = tables.words(__file__, "lines around a password")
OPENLY_SHOWN = " ".join(usage for form in FORMS for usage in form.usages(KINDS["oust"])) + MASK


def is_taken_at_signup(password: str) -> bool:
    _, read = parse_line(f"signup alice {password}")
    return not isinstance(read, Unreadable) and read["password"].text == password


PASSWORDS = st.one_of(
    st.text("abcDEF0189-_.!?=/@*;&$\u00e9\u00fc\u4e2d", min_size=6, max_size=64),
    st.text(min_size=6, max_size=64).map(lambda text: "".join(split_words(text))),
).filter(is_taken_at_signup)


@given(st.sampled_from(TEMPLATES), PASSWORDS)
@example("oust move 17 alice D4 {}", "D4,E5-F9")
@example("oust move 17 alice {} D4", "oust-move")
@example("oust challenge alice bob {} -noswap=1", "--no-swap")
@examples(400)
def test_a_password_is_never_shown_whatever_is_wrong_around_it(
    template: str, password: str
) -> None:
    assume(password not in OPENLY_SHOWN and password not in template)
    text = template.replace("{}", password)
    assert password not in shown(text)
    assert password not in (corrected(text) or "")


@pytest.mark.parametrize("word", ["-size=wonderland", "---noswap", "-hex=secret", "-taille=secret"])
def test_a_password_that_looks_somewhat_like_an_option_is_never_shown(word: str) -> None:
    assert word not in (corrected(f"oust challenge alice {word}") or "")


@tabled("text", "right")
def test_a_correction_keeps_what_was_right(text: str, right: str) -> None:
    assert corrected(text) == right


@pytest.mark.parametrize("text", ["xyzzy", "wonderland alice", "17", "", "oust xyzzy 17"])
def test_a_line_without_a_command_has_no_correction(text: str) -> None:
    assert corrected(text) is None


@pytest.mark.parametrize("topic", KIND_TOPICS)
def test_a_misspelt_word_of_any_command_about_a_game_is_told(topic: str) -> None:
    """Whatever commands begin with it: one alone, several, or only some of two words."""
    for wrong in (f"{topic}zz", f"{topic[:1]}zz{topic[1:]}"):
        for behind in ("", " 17", " join alice", " announce alice wonderland"):
            _, read = parse_line(f"oust {wrong}{behind}")
            assert isinstance(read, Unreadable)


FILLED_IN = tables.named(__file__, "what places may be filled with")


def fill_in(correction: str) -> str:
    return " ".join(FILLED_IN.get(word, word) for word in correction.split())


WORDS = st.sampled_from([*VOCABULARY, *tables.words(__file__, "words")])
BEGINNINGS = st.sampled_from(["oust move", "oust mvoe 17", "move 17", "signup", "oust", "oust 17"])


@given(BEGINNINGS, st.lists(WORDS, max_size=7))
@examples(300)
def test_a_correction_can_be_sent_once_its_capital_words_are_replaced(
    beginning: str, words: list[str]
) -> None:
    correction = corrected(" ".join([beginning, *words]))
    assume(correction is not None)
    _, read = parse_line(fill_in(correction or ""))
    assert not isinstance(read, Unreadable), (correction, read)


def test_a_correction_leaves_the_number_of_a_record_out_that_it_does_not_know() -> None:
    assert corrected("oust why x alice wonderland nonsense") == "oust why BOARD alice PASSWORD"


@tabled("text")
def test_a_correction_keeps_only_options_that_can_be_read(text: str) -> None:
    _, read = parse_line(fill_in(corrected(text) or ""))
    assert not isinstance(read, Unreadable)


def test_a_line_of_nothing_shows_nothing() -> None:
    assert Line(()).shown(to_player(VOCABULARY, is_userid)) == ""


def test_a_placement_in_small_letters_is_found_where_it_is_at_fault() -> None:
    line, _ = parse_line("oust move 17 alice wonderland d4,z9")
    as_sent = line.shown(to_player(VOCABULARY, is_userid))
    assert line.place_in(as_sent, "Z9") == as_sent.index("z9")

"""Lines that cannot be read as a command: the reason, the word at fault, and the facts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm_oust.grammar.form import MissingWord, SurplusWord, to_player
from pbm_oust.grammar.values import (
    BadAddress,
    BadBoard,
    BadFilter,
    BadGuard,
    BadPassword,
    BadUserid,
)
from pbm_oust.grammar.vocabulary import UnknownWord, find_command_word, meant_by
from pbm_oust.grammar.wish import BadPlacement
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.service.table import (
    GENERAL_FORMS,
    KIND_TOPICS,
    VOCABULARY,
    AnswerToBoard,
    Empty,
    UnlabelledCharacter,
    parse_line,
)
from tests.support import tables

tabled = tables.tabled(__file__)

KIND_COMMANDS = sorted(KIND_TOPICS)
DEEDS = ["accept", "decline", "pass", "propose", "reject", "resign", "swap", "undo"]
FIRST_WORDS = sorted({*KINDS, *(form.topic for form in GENERAL_FORMS.values())})
MOVE = "oust move 17 alice wonderland"


def refused(text: str) -> tuple[UnreadableReason, str]:
    _, read = parse_line(text)
    assert isinstance(read, Unreadable)
    return read.reason, read.culprit


def meant(typed: str) -> str | None:
    """Return the command that a word is read as, or that is suggested for it."""
    try:
        return find_command_word(typed, FIRST_WORDS)
    except Unreadable as unreadable:
        return meant_by(unreadable)


@pytest.mark.parametrize("text", ["", "   ", "\u200b\u00a0", '""'])
def test_an_empty_line(text: str) -> None:
    assert refused(text) == (Empty(), "")


def test_a_character_that_the_mail_did_not_label() -> None:
    assert refused("oust show z\ufffd") == (UnlabelledCharacter(), "")


def test_a_first_word_that_is_no_command() -> None:
    reason = UnknownWord(tuple(FIRST_WORDS))
    assert refused("chess show 17") == (reason, "chess")


def test_a_first_word_that_is_almost_a_command() -> None:
    reason = UnknownWord(tuple(FIRST_WORDS), resembles="signup")
    assert refused("singup alice wonderland") == (reason, "singup")


def mistyped(word: str) -> set[str]:
    """Return a word with a letter left out, doubled, or exchanged for the next one."""
    cut = [(word[:nth], word[nth:]) for nth in range(len(word))]
    return {
        each
        for begin, rest in cut
        for each in (
            begin + rest[1:],
            begin + rest[0] + rest,
            begin + rest[1:2] + rest[0] + rest[2:],
        )
    }


@pytest.mark.parametrize("word", FIRST_WORDS)
def test_a_first_word_with_one_letter_amiss_is_that_one(word: str) -> None:
    others = {each for each in FIRST_WORDS if each[:4] == word[:4]}  # forgot and forget
    for typed in mistyped(word) - {*FIRST_WORDS}:
        assert meant(typed) in others or (meant(typed) is None and len(typed) < 4), typed


def test_a_second_word_that_is_almost_a_command() -> None:
    reason = UnknownWord(tuple(KIND_COMMANDS), resembles="move")
    assert refused("oust mvoe 17 alice wonderland D4") == (reason, "mvoe")


@pytest.mark.parametrize("letter", ["d", "D", "s", "u"])
def test_a_single_letter_is_no_deed_but_a_placement_without_its_number(letter: str) -> None:
    assert refused(f"{MOVE} {letter}") == (BadPlacement(), letter)


def test_a_deed_that_does_not_exist() -> None:
    reason = UnknownWord(tuple(DEEDS), resembles="swap")
    assert refused(f"{MOVE} swpa") == (reason, "swpa")


@tabled("text", "missing")
def test_a_line_that_ends_too_early(text: str, missing: str) -> None:
    assert refused(text) == (MissingWord(tuple(missing.split(" or "))), "")


@tabled("text", "reason")
def test_a_line_that_cannot_be_done_so_as_it_is_written(text: str, reason: str) -> None:
    assert type(refused(text)[0]).__name__ == reason


def test_the_name_of_a_game_alone() -> None:
    reason, culprit = refused("oust")
    assert isinstance(reason, MissingWord)
    assert (sorted(reason.missing), culprit) == (KIND_COMMANDS, "")


@tabled("text", "culprit")
def test_a_word_too_many(text: str, culprit: str) -> None:
    assert refused(text) == (SurplusWord(), culprit)


@tabled("text", "culprit")
def test_a_board_that_is_no_number(text: str, culprit: str) -> None:
    assert refused(text) == (BadBoard(), culprit)


@tabled("text", "culprit")
def test_a_userid_that_cannot_be_one(text: str, culprit: str) -> None:
    assert refused(text) == (BadUserid(), culprit)


@tabled("password")
def test_a_password_that_could_not_be_told_apart(password: str) -> None:
    assert refused(f"signup alice {password}") == (BadPassword(), "")


@pytest.mark.parametrize("address", ["alice", "@example.org", "alice@", "a@b@c", "<a@b>", "a,b@c"])
def test_an_address_that_is_none(address: str) -> None:
    reason = refused(f"signup alice wonderland ok@example.org {address}")
    assert reason == (BadAddress(), address)


def test_a_placement_in_a_column_i() -> None:
    assert refused(f"{MOVE} D4,I5") == (BadPlacement(is_in_column_i=True), "I5")


def test_a_placement_with_the_number_first() -> None:
    assert refused(f"{MOVE} 4d") == (BadPlacement(right="D4"), "4d")


@pytest.mark.parametrize("word", ["D", "D0", "D4E5", "D100", "44", "D4*1"])
def test_a_placement_that_is_none(word: str) -> None:
    assert refused(f"{MOVE} E5 {word}") == (BadPlacement(), word)


@tabled("words", "culprit")
def test_a_guard_that_is_no_number_at_the_end(words: str, culprit: str) -> None:
    assert refused(f"{MOVE} {words}") == (BadGuard(), culprit)


@pytest.mark.parametrize("text", ["oust games all alice", "oust show alice all bob next"])
def test_a_filter_that_does_not_stand_at_the_end(text: str) -> None:
    assert refused(text) == (BadFilter(), "all")


def test_the_subject_of_a_board_mail_sent_back() -> None:
    assert refused("oust 17 #131: your turn, alice") == (AnswerToBoard(), "17")


WORDS = st.sampled_from([*VOCABULARY, *tables.words(__file__, "words")])


@given(st.text() | st.lists(WORDS).map(" ".join))
@settings(deadline=None)
def test_no_line_at_all_raises_anything(text: str) -> None:
    line, _ = parse_line(text)
    line.shown(to_player(VOCABULARY, str.isalpha))
    line.correction(str.isalpha)

"""`next` shows a player the board that has waited longest for them, and an answer plays there."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.home_by_mail import ALICE, BOB, Talk


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """Return two boards that wait for bob: the second one, of another game, for longer."""
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    for line in ("oust challenge alice bob", "churn challenge alice bob"):
        talk.send(ALICE, f"{line} wonderland")
    for line in ("churn move 1 alice wonderland A1", "oust move 1 alice wonderland A1"):
        talk.now += timedelta(hours=1)
        talk.send(ALICE, line)
    return talk


def test_it_shows_the_board_that_waits_longest_and_an_answer_is_a_move(talk: Talk) -> None:
    talk.send(BOB, "next bob lookingglass")
    letter = talk.letter_to(BOB)
    assert letter.subject == "churn 1 #2: your turn, bob"
    talk.send(BOB, f"Re: {letter.subject}", "C3", to=str(letter["Reply-To"]))
    assert talk.outcome == "done: move"
    assert talk.send(BOB, "next bob lookingglass") == [f"{BOB}: oust 1 #2: your turn, bob"]


def test_a_reminder_does_not_put_a_board_behind_the_others(talk: Talk) -> None:
    talk.now += timedelta(days=7, minutes=-30)
    talk.sweep()
    assert [letter.subject for letter in talk.letters] == ["churn 1 #3: reminder, your turn, bob"]
    assert talk.send(BOB, "next bob lookingglass") == [f"{BOB}: churn 1 #3: your turn, bob"]


def test_a_letter_about_a_board_is_answered_by_its_name_alone(talk: Talk) -> None:
    own = talk.letter_to(ALICE)
    for answer in ("next", "Next.", "suivante"):
        talk.send(ALICE, f"Re: {own.subject}", answer, to=str(own["Reply-To"]))
        assert talk.letter_to(ALICE).subject == "nothing waits for you, alice"


@pytest.mark.parametrize(
    "answer", ["next D4", "next, I play D4", "My next move is D4", "Next\n\nD4"]
)
def test_a_sentence_with_the_word_is_still_a_move(talk: Talk, answer: str) -> None:
    letter = talk.letter_to(BOB)
    talk.send(BOB, f"Re: {letter.subject}", answer, to=str(letter["Reply-To"]))
    assert talk.outcome == "done: move"


def test_what_players_write_about_the_next_thing_arrives_whole(talk: Talk) -> None:
    letter, text = talk.letter_to(BOB), "Your next opponent surprises me: I answer next weekend."
    talk.send(BOB, f"Re: {letter.subject}", f"D4\n{text}", to=str(letter["Reply-To"]))
    assert text in talk.text_to(ALICE)

"""What of a refused line is shown again, and what is masked because it may be a password."""

from pathlib import Path

import pytest

from tests.support.home_by_mail import ALICE, BOB, Talk


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    return talk


def answered(talk: Talk, text: str) -> str:
    talk.send(ALICE, "oust showas alice wonderland 1")
    letter = talk.letter_to(ALICE)
    headers = f"Re: {letter.subject}\r\nIn-Reply-To: {letter['Message-ID']}"
    talk.send(ALICE, headers, text, to=str(letter["Reply-To"]))
    return " ".join(talk.text_to(ALICE).split())


@pytest.mark.parametrize("text", ["Whatever happens?", "D4 sometime tomorrow", "Überraschung!"])
def test_an_answer_with_a_token_is_shown_as_it_was_sent(text: str, talk: Talk) -> None:
    told = answered(talk, text)
    assert talk.outcome.startswith("refused")
    assert text in told
    assert "****" not in told
    assert "a password might be among them" not in told


@pytest.mark.parametrize(
    "text", ["oust mvoe 1 alice wonderland C3", "move 1 alice wonderland", "signup alice wonderlan"]
)
def test_a_command_in_an_answer_may_hold_a_password(text: str, talk: Talk) -> None:
    told = answered(talk, text)
    assert "wonderlan" not in told


@pytest.mark.parametrize(
    ("line", "word"),
    [("oust show 1 everything", "everything"), ("oust games alice activated", "activated")],
)
def test_a_command_that_takes_no_password_is_shown(line: str, word: str, talk: Talk) -> None:
    talk.send(ALICE, line)
    assert talk.outcome.startswith(("refused", "answered"))
    assert word in talk.text_to(ALICE)


def test_what_may_be_a_password_is_masked(talk: Talk) -> None:
    for line in ("oust mvoe 1 alice wonderland C3", "wonderland", "alice wonderland"):
        talk.send(ALICE, line)
        assert "wonderland" not in talk.text_to(ALICE)


def test_the_tenth_answer_that_cannot_be_read_says_that_others_stay_unanswered(talk: Talk) -> None:
    told = [answered(talk, f"Whatever {'?' * nth}") for nth in range(1, 11)]
    assert ["others like it stay unanswered" in each for each in told] == [False] * 9 + [True]

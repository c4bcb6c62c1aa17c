"""Answers to letters that show several boards, and to what another player wrote."""

import smtplib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm_oust.service.sheets import MOST_ANSWERS
from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk
from tests.support.listening import listening
from tests.support.mails import mail
from tests.support.outbox import Letter
from tests.support.waiting import PATIENCE


@pytest.fixture
def talk(place: Path) -> Iterator[Talk]:
    """Three boards on which it is alice's turn, and one on which it is not."""
    talk = Talk.begin(place, ALICE, BOB, CAROL)
    for line in (
        "oust challenge alice bob wonderland -size=5",
        "oust challenge alice carol wonderland -size=5",
        "churn challenge alice bob wonderland -size=3 -noswap",
    ):
        talk.send(ALICE, line)
    talk.send(BOB, "oust challenge bob alice lookingglass -size=5")
    yield talk
    talk.home.close()


def moves(talk: Talk, board: int, kind: str = "oust") -> list[str]:
    return moves_of(talk.home, board, kind)


def listed(talk: Talk, line: str = "list") -> Letter:
    talk.send(ALICE, line)
    return talk.letter_to(ALICE)


def test_over_smtp_an_answer_to_a_list_plays_on_each_board(talk: Talk) -> None:
    letter = listed(talk)
    answered = mail(
        f"From: {ALICE}",
        f"Subject: Re: {letter.subject}",
        "Message-ID: <sheet@example.org>",
        text="oust 1: C3\r\noust 2: D4\r\n",
    )
    with (
        listening(talk.home, address=talk.own) as port,
        smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as client,
    ):
        client.sendmail(ALICE, [str(letter["Reply-To"])], answered)
    assert moves(talk, 1) == ["x C3"]
    assert moves(talk, 2) == ["x D4"]


@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_a_board_that_is_gone_does_not_keep_the_others_from_being_found(talk: Talk) -> None:
    letter = listed(talk)
    gone = "DELETE FROM boards WHERE (kind, board) IN (VALUES ('oust', 2), ('churn', 1))"
    talk.home.do(lambda transaction: transaction.run(gone))
    talk.send(ALICE, "oust move 3 alice wonderland C3")  # not her turn there
    talk.answer(letter, "C3")
    assert moves(talk, 1) == ["x C3"]


def test_an_answer_is_for_as_many_boards_as_one_mail_may_be_for(talk: Talk) -> None:
    line = "oust 1: D4\n"
    talk.answer(listed(talk), line * (MOST_ANSWERS + 1))
    assert talk.outcome.startswith("refused")
    assert moves(talk, 1) == []
    talk.answer(listed(talk), line * MOST_ANSWERS)
    assert moves(talk, 1) == ["x D4"]

"""Answers to letters that show several boards, and to what another player wrote."""

import smtplib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pbm_oust.store.verifications import SHEET_LIFETIME
from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk
from tests.support.listening import listening
from tests.support.mails import mail
from tests.support.outbox import Letter
from tests.support.waiting import PATIENCE

MALLORY = "mallory@example.net"


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


def answer(talk: Talk, letter: Letter, text: str, sender: str = ALICE, to: str = "") -> list[str]:
    headers = f"Re: {letter['Subject']}\r\nIn-Reply-To: {letter['Message-ID']}"
    return talk.send(sender, headers, text, to=to or str(letter["Reply-To"]))


def test_an_answer_to_a_list_plays_on_each_board_that_it_names(talk: Talk) -> None:
    answer(talk, listed(talk), "oust 1: C3\nHave fun!\n\nchurn 1 C3\n2: D4\n\n> oust 1: A1")
    assert moves(talk, 1) == ["x C3"]
    assert moves(talk, 2) == ["x D4"]
    assert moves(talk, 1, "churn") == ["x C3"]
    told = talk.text_to(ALICE)
    assert told.count("DONE:") == 3
    assert any("Have fun!" in letter.text for letter in talk.letters if letter.to == BOB)


def test_what_can_be_played_is_played_and_the_rest_is_reported(talk: Talk) -> None:
    answer(talk, listed(talk), "oust 1: Z9\noust 2: C3\noust 1: C3\noust 9: C3\n3: D4")
    assert moves(talk, 1) == []
    assert moves(talk, 2) == ["x C3"]
    told = talk.text_to(ALICE)
    assert talk.letter_to(ALICE).subject == "1 of 5 done"
    assert told.count("FAILED:") == 3
    assert "NOT ATTEMPTED" in told
    assert "does not show a board oust 9" in told


def test_a_digest_is_answered_in_one_mail_and_one_board_needs_no_name(talk: Talk) -> None:
    talk.send(CAROL, "settings carol rabbithole mail digest")
    answer(talk, listed(talk), "oust 2: C3")
    talk.send(BOB, "oust challenge bob carol lookingglass -size=5 -noswap")
    talk.send(BOB, "oust move 4 bob lookingglass A1")
    talk.now += timedelta(days=1)
    talk.sweep()
    (digest,) = (each for each in talk.letters if each.to == CAROL)
    assert "with a line for each" in digest.text
    answer(talk, digest, "oust 2: D4\noust 4: pass", CAROL)
    assert "FAILED:  oust 4: pass" in talk.text_to(CAROL)
    assert moves(talk, 2) == ["x C3", "o D4"]
    answer(talk, digest, "E5", CAROL)  # only one of them still waits
    assert moves(talk, 4)[-1] == "o E5"


def test_a_move_that_may_be_for_several_boards_is_played_on_none(talk: Talk) -> None:
    answer(talk, listed(talk), "C3")
    assert [moves(talk, board) for board in (1, 2, 3)] == [[], [], []]
    told = talk.text_to(ALICE)
    assert "oust 1, oust 2, oust 3, churn 1" in " ".join(told.split())
    assert "oust 1: MOVE" in told
    answer(talk, talk.letter_to(ALICE), "oust 1: C3")
    assert moves(talk, 1) == ["x C3"]


def test_a_number_that_boards_of_two_games_have_needs_the_game(talk: Talk) -> None:
    answer(talk, listed(talk), "1: C3")
    assert moves(talk, 1) == moves(talk, 1, "churn") == []
    assert "oust 1, churn 1. Write the game too." in " ".join(talk.text_to(ALICE).split())


def test_the_token_covers_the_positions_of_the_letter_and_no_later_ones(talk: Talk) -> None:
    letter = listed(talk)
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    talk.send(BOB, "oust move 1 bob lookingglass D4")
    answer(talk, letter, "oust 1: E5\noust 2: E5")
    assert moves(talk, 1) == ["x C3", "o D4"]
    assert moves(talk, 2) == ["x E5"]
    assert "FAILED:  oust 1: E5" in talk.text_to(ALICE)


def test_a_mail_that_comes_again_plays_nothing_twice(talk: Talk) -> None:
    letter = listed(talk)
    for _ in range(2):
        headers = f"Re: {letter['Subject']}"
        talk.send(ALICE, headers, "oust 1: C3\noust 2: C3", to=str(letter["Reply-To"]), number=7)
    assert moves(talk, 1) == moves(talk, 2) == ["x C3"]
    assert talk.text_to(ALICE).count("DONE:") == 2


def test_a_whole_command_may_stand_between_the_lines(talk: Talk) -> None:
    answer(talk, listed(talk), "oust 1: C3\noust games alice next\noust move 2 bob lookingglass C3")
    told = talk.text_to(ALICE)
    assert "oust games: " in told
    assert moves(talk, 1) == ["x C3"]
    assert moves(talk, 2) == []
    assert "FAILED:  oust move 2 bob ******** C3" in told


def test_words_above_the_lines_are_named_and_told_nobody(talk: Talk) -> None:
    answer(talk, listed(talk), "Dear server,\n\noust 1: C3")
    assert moves(talk, 1) == ["x C3"]
    assert "nobody is told of them:\n\n  Dear server,\n" in talk.text_to(ALICE)
    assert "Dear server" not in talk.text_to(BOB)


def test_after_a_new_password_an_old_list_proves_nothing(talk: Talk) -> None:
    letter = listed(talk)
    talk.send(ALICE, "change password alice wonderland jabberwocky")
    answer(talk, letter, "oust 1: C3")
    assert moves(talk, 1) == []


def test_a_list_that_somebody_else_asked_for_can_be_answered_by_nobody(talk: Talk) -> None:
    talk.send(MALLORY, "oust games alice next")
    letter = talk.letter_to(MALLORY)
    assert letter["Reply-To"] is None
    assert "sheet." not in str(letter["Message-ID"])


def test_a_sheet_is_forgotten_in_time_and_with_its_player(talk: Talk) -> None:
    letter = listed(talk)
    talk.now += SHEET_LIFETIME
    talk.sweep()
    answer(talk, letter, "churn 1: C3")
    assert not any(move.startswith("x") for move in moves(talk, 1, "churn"))


def test_an_answer_that_has_lost_its_tag_counts_by_its_message_id(talk: Talk) -> None:
    letter = listed(talk)
    answer(talk, letter, "oust 1: C3", to=talk.own)
    assert moves(talk, 1) == ["x C3"]
    answer(talk, letter, "oust 2: C3", sender=MALLORY, to=talk.own)
    assert moves(talk, 2) == []


@pytest.mark.parametrize("text", ["Thank you.\n\nC3 is nice.", "resign", "list of things"])
def test_an_answer_to_a_message_goes_to_its_writer(text: str, talk: Talk) -> None:
    talk.send(BOB, "message bob lookingglass alice", "How are you?")
    answer(talk, talk.letter_to(ALICE), text)
    assert all(line in talk.text_to(BOB) for line in text.splitlines())
    answer(talk, talk.letter_to(BOB), "Good.", BOB)
    assert "Good." in talk.text_to(ALICE)
    assert moves(talk, 1) == []


def test_a_whole_command_in_an_answer_to_a_message_is_carried_out(talk: Talk) -> None:
    talk.send(BOB, "message bob lookingglass alice", "How are you?")
    answer(talk, talk.letter_to(ALICE), "oust move 1 alice wonderland C3\n\nSo there.")
    assert moves(talk, 1) == ["x C3"]


def test_in_french_a_list_says_how_to_answer_it(talk: Talk) -> None:
    talk.send(ALICE, "settings alice wonderland language fr")
    letter = listed(talk)
    assert "répondez à ce courriel par une ligne pour chacune" in " ".join(letter.text.split())
    answer(talk, letter, "oust 1 : C3\noust 2 : passe")
    assert moves(talk, 1) == ["x C3"]
    assert "oust 2: passe" in talk.text_to(ALICE)


@pytest.mark.parametrize(
    "line",
    [
        "signup dave jabberwocky dave@example.org",
        "list",
        "oust move 2 bob wrongpassword C3\noust move 2 carol otherpassword C3",
    ],
)
def test_what_no_mail_with_several_commands_may_hold_is_refused(line: str, talk: Talk) -> None:
    sent = answer(talk, listed(talk), f"oust 1: C3\n{line}")
    assert [each.partition(":")[0] for each in sent] == [ALICE]
    assert moves(talk, 1) == []
    assert talk.outcome.startswith("refused")


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
    answer(talk, letter, "C3")
    assert moves(talk, 1) == ["x C3"]

"""A damaged board is answered for: whoever asks is told, and their servers do not try again."""

import pytest

from pbm_oust.mail.clients import S250_DONE, S451_LATER
from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, BOB, mailed
from tests.support.listening import command, deliver
from tests.support.mails import mail

MALLORY = "mallory@example.com"
TOLD = b"cannot be read at the moment"


@pytest.fixture(autouse=True)
def _damaged(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", BOB)
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")
    lay_histories(home, {4: "pbm_oust history 1\nKind: chess\n"})


def words(data: bytes) -> bytes:
    return b" ".join(data.split())


@pytest.mark.parametrize(
    "line",
    ["oust show 4", "oust show 4 1", "oust preview 4 D4", "oust show 4#2"],
)
def test_a_stranger_who_asks_for_a_damaged_board_is_told_that_it_cannot_be_read(
    home: Home, line: str
) -> None:
    (letter,) = mailed(home, MALLORY, line)
    assert TOLD in words(letter.data)
    assert b"oust 4" in letter.data


@pytest.mark.parametrize(
    "line", ["oust showas alice wonderland 4", "oust watch 4 alice wonderland"]
)
def test_a_player_who_wants_to_look_at_a_damaged_board_is_told_the_same(
    home: Home, line: str
) -> None:
    (letter,) = mailed(home, ALICE, line)
    assert TOLD in words(letter.data)


@pytest.mark.parametrize(
    "subject", ["oust show 4", "oust move 4 alice mistaken D4", "oust replay 4 1 alice bob"]
)
def test_the_server_of_a_stranger_does_not_try_again(port: int, subject: str) -> None:
    assert deliver(port, command(subject)) == S250_DONE


def test_a_letter_that_names_a_damaged_board_in_its_subject_is_answered(port: int) -> None:
    asked = mail(f"From: {MALLORY}", "Subject: Re: oust 4 #3: your turn", text="D4")
    assert deliver(port, asked) == S250_DONE


def test_what_a_player_has_written_for_a_damaged_board_waits_for_its_repair(port: int) -> None:
    assert deliver(port, command("oust move 4 alice wonderland D4")) == S451_LATER
    assert deliver(port, command("oust note 4 alice wonderland", "X-Some: thing")) == S451_LATER
    assert deliver(port, command("oust replay 4 1 alice bob wonderland")) == S451_LATER


def test_the_lines_of_several_commands_end_at_a_damaged_board(home: Home) -> None:
    (letter,) = mailed(home, MALLORY, "multiple", "oust show 4\noust games")
    assert TOLD in words(letter.data)


def test_several_commands_wait_if_one_of_them_has_to(port: int) -> None:
    lines = "oust games\r\noust move 4 alice wonderland D4\r\n"
    assert deliver(port, mail(f"From: {ALICE}", "Subject: multiple", text=lines)) == S451_LATER

"""What may be done only so often by mail: guesses at passwords, codes, answers to strangers."""

from datetime import datetime, timedelta

from pbm_oust.store.home import Home
from pbm_oust.store.rate_limits import Counted
from tests.support.accounts import codes, make_account
from tests.support.home_by_mail import ALICE, NOON, mailed
from tests.support.outbox import letters

MALLORY = "mallory@example.com"


def send(home: Home, sender: str, line: str, at: datetime = NOON) -> list[str]:
    """Send a mail, and return the recipients and Subjects of the letters about it."""
    sent = mailed(home, sender, line, at=at)
    return [f"{letter.to}: {letter.subject.partition(' ')[0]}" for letter in sent]


def test_strangers_together_make_us_mail_an_address_three_times_a_day(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    lines = ("forgot alice", f"signup zoe rabbithole {ALICE}", f"signup alice rabbithole {ALICE}")
    for line in (*lines, *lines):
        send(home, MALLORY, line)
    assert [address for address, _ in codes(home)] == [ALICE] * 3


def test_an_address_that_an_account_has_twice_gets_no_more_codes_than_another(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE, "Alice+tag@example.org")
    for _ in range(3):
        send(home, MALLORY, "forgot alice")
    assert len(list(codes(home))) == 3


def test_whoever_asks_too_often_for_his_own_address_gets_no_answer(home: Home) -> None:
    for _ in range(3):
        assert send(home, ALICE, "signup alice wonderland") == [f"{ALICE}: please"]
    assert send(home, ALICE, "signup alice wonderland") == []
    tomorrow = NOON + timedelta(days=1)
    assert send(home, ALICE, "signup alice wonderland", tomorrow) == [f"{ALICE}: please"]


def test_an_address_of_no_account_gets_so_many_answers_an_hour(home: Home) -> None:
    most = Counted.ANSWERS.value.most
    for _ in range(most):
        assert send(home, MALLORY, "help") == [f"{MALLORY}: the"]
    assert send(home, MALLORY, "help") == []
    assert send(home, MALLORY, "nonsense") == []
    assert send(home, ALICE, "help") == [f"{ALICE}: the"]
    assert send(home, MALLORY, "help", NOON + timedelta(hours=1)) == [f"{MALLORY}: the"]


def test_a_player_gets_more_answers_but_not_without_end(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    for _ in range(Counted.ANSWERS_TO_PLAYERS.value.most):
        assert send(home, ALICE, "help") == [f"{ALICE}: the"]
    assert send(home, ALICE, "help") == []
    assert send(home, ALICE, "oust challenge alice bob") == []
    make_account(home, "bob", "lookingglass", "bob@example.net")
    assert send(home, ALICE, "oust challenge alice bob wonderland")
    assert send(home, ALICE, "oust move 1 alice wonderland D4")


def test_after_too_many_guesses_the_right_password_is_refused_but_not_at_home(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    right = "oust showas alice wonderland all"
    for nth in range(Counted.WRONG_PASSWORDS_FROM_ELSEWHERE.value.most):
        assert send(home, MALLORY, right) == [f"{MALLORY}: oust:"]
        send(home, MALLORY, f"oust showas alice rabbithole{nth} all")
    assert send(home, MALLORY, right) == [f"{MALLORY}: not"]
    assert send(home, ALICE, right) == [f"{ALICE}: oust:"]
    assert send(home, MALLORY, right, NOON + timedelta(hours=1)) == [f"{MALLORY}: oust:"]


def test_an_account_that_is_not_there_is_guessed_at_no_more_often(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    said = {}
    for userid in ("alice", "nobod"):
        for _ in range(Counted.WRONG_PASSWORDS_FROM_ELSEWHERE.value.most + 1):
            send(home, MALLORY, f"oust showas {userid} rabbithole all")
        letter = letters(home)[-1]
        said[userid] = letter.subject, letter.text.replace(userid, "USERID")
    assert said["alice"] == said["nobod"]
    assert "Too many wrong passwords" in said["alice"][1]


def test_after_many_slips_the_account_itself_has_to_wait(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    for _ in range(Counted.WRONG_PASSWORDS_FROM_OWN_ADDRESS.value.most):
        send(home, ALICE, "oust showas alice rabbithole all")
    assert send(home, ALICE, "oust showas alice wonderland all") == [f"{ALICE}: not"]

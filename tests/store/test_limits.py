"""How often something may be done: counted over processes and midnights, and what follows."""

from datetime import UTC, datetime, timedelta

import pytest
from pbm_oust.store.limits import LONGEST, Counted

from pbm_oust.store.home import Home
from pbm_oust.store.rate_limits import count_once, is_limit_reached
from tests.support.accounts import codes, make_account
from tests.support.home_by_mail import ALICE, NOON, mailed
from tests.support.outbox import letters
from tests.support.processes import run_at_once

MIDNIGHT = datetime(2026, 11, 21, 0, 10, tzinfo=UTC)
MALLORY = "mallory@example.com"


def send(home: Home, sender: str, line: str, at: datetime = NOON) -> list[str]:
    """Send a mail, and return the recipients and Subjects of the letters about it."""
    sent = mailed(home, sender, line, at=at)
    return [f"{letter.to}: {letter.subject.partition(' ')[0]}" for letter in sent]


@pytest.mark.parametrize("counted", Counted)
@pytest.mark.parametrize("begun", [NOON, MIDNIGHT - timedelta(minutes=20)])
def test_a_limit_is_reached_and_passes(home: Home, counted: Counted, begun: datetime) -> None:
    limit = counted.value
    for nth in range(limit.most):
        assert not home.ask(is_limit_reached, counted, ALICE, begun + timedelta(minutes=nth)), nth
        home.do(count_once, counted, ALICE, begun + timedelta(minutes=nth))
    last = begun + limit.within - timedelta(seconds=1)
    assert home.ask(is_limit_reached, counted, ALICE, last)
    assert not home.ask(is_limit_reached, counted, ALICE, begun + limit.within)


def test_an_address_is_counted_however_it_is_written_and_no_other_is(home: Home) -> None:
    for address in (ALICE, "Alice+tag@Example.ORG", ALICE.upper()):
        home.do(count_once, Counted.CODES, address, NOON)
    assert home.ask(is_limit_reached, Counted.CODES, ALICE, NOON)
    assert not home.ask(is_limit_reached, Counted.CODES, MALLORY, NOON)
    assert not home.ask(is_limit_reached, Counted.WRONG_PASSWORDS_FROM_ELSEWHERE, ALICE, NOON)


def test_no_address_stands_in_what_is_counted(home: Home) -> None:
    home.do(count_once, Counted.CODES, ALICE, NOON)
    (path,) = home.limits.path.iterdir()
    assert "alice" not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


def test_a_line_that_was_not_written_to_its_end_does_not_count_and_spoils_no_other(
    home: Home,
) -> None:
    home.do(count_once, Counted.CODES, ALICE, NOON)
    (path,) = home.limits.path.iterdir()
    whole = path.read_text()
    path.write_text(whole + whole[:-1])
    home.do(count_once, Counted.CODES, ALICE, NOON)
    assert path.read_text() == whole * 2


def test_old_days_are_forgotten(home: Home) -> None:
    home.do(count_once, Counted.CODES, ALICE, NOON)
    home.forget_expired(NOON + LONGEST)
    assert len(list(home.limits.path.iterdir())) == 1
    home.forget_expired(NOON + LONGEST + timedelta(days=1))
    assert list(home.limits.path.iterdir()) == []


def test_processes_at_once_lose_no_count(home: Home) -> None:
    script = """
from datetime import UTC, datetime
from pbm_oust.store.rate_limits import Counted
for _ in range(20):
    home.do(count_once, Counted.CODES, "alice@example.org", datetime(2026, 11, 20, tzinfo=UTC))
"""
    run_at_once(home, script, script, script)
    (path,) = home.limits.path.iterdir()
    assert len(path.read_text().splitlines()) == 60


# What follows


def test_strangers_together_make_us_mail_an_address_three_times_a_day(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    lines = ("forgot alice", f"signup zoe rabbithole {ALICE}", f"signup alice rabbithole {ALICE}")
    for line in (*lines, *lines):
        send(home, MALLORY, line)
    assert [address for address, _ in codes(home)] == [ALICE] * 3


def test_whoever_asks_too_often_for_his_own_address_gets_no_answer(home: Home) -> None:
    for _ in range(3):
        assert send(home, ALICE, "signup alice wonderland") == [f"{ALICE}: verify"]
    assert send(home, ALICE, "signup alice wonderland") == []
    tomorrow = NOON + timedelta(days=1)
    assert send(home, ALICE, "signup alice wonderland", tomorrow) == [f"{ALICE}: verify"]


def test_an_address_of_no_account_gets_so_many_answers_an_hour(home: Home) -> None:
    most = Counted.ANSWERS.value.most
    for _ in range(most):
        assert send(home, MALLORY, "help") == [f"{MALLORY}: help"]
    assert send(home, MALLORY, "help") == []
    assert send(home, MALLORY, "nonsense") == []
    assert send(home, ALICE, "help") == [f"{ALICE}: help"]
    assert send(home, MALLORY, "help", NOON + timedelta(hours=1)) == [f"{MALLORY}: help"]


def test_a_player_gets_as_many_answers_as_he_wants(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    for _ in range(Counted.ANSWERS.value.most + 1):
        assert send(home, ALICE, "help") == [f"{ALICE}: help"]


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

"""How often something may be done: counted over processes and midnights, and what follows."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from pbm_oust.mail.inbound import Envelope, open_intake
from pbm_oust.store.home import Home
from pbm_oust.store.limits import LONGEST, Counted
from tests.support.accounts import codes, make_account
from tests.support.letters import text_letter
from tests.support.processes import run_at_once

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 21, 0, 10, tzinfo=UTC)
ALICE, MALLORY = "alice@example.org", "mallory@example.com"
_numbers = count()


def send(home: Home, sender: str, line: str, at: datetime = NOON) -> list[str]:
    """Send a mail, and return the recipients and Subjects of the letters about it."""
    before = set(home.outbox.letters())
    mail = f"From: {sender}\nSubject: {line}\nMessage-ID: <{next(_numbers)}@example.org>\n\n"
    open_intake(home, "pbmserv@example.com", lambda: at).take(mail.encode(), Envelope(sender))
    new = sorted(set(home.outbox.letters()) - before)
    letters = [text_letter(home.outbox.read(name)) for name in new]
    return [f"{letter['To']}: {letter['Subject'].partition(' ')[0]}" for letter in letters]


@pytest.mark.parametrize("counted", Counted)
@pytest.mark.parametrize("begun", [NOON, MIDNIGHT - timedelta(minutes=20)])
def test_a_limit_is_reached_and_passes(home: Home, counted: Counted, begun: datetime) -> None:
    limit = counted.value
    for nth in range(limit.most):
        assert not home.limits.is_reached(counted, ALICE, begun + timedelta(minutes=nth)), nth
        home.limits.count(counted, ALICE, begun + timedelta(minutes=nth))
    last = begun + limit.within - timedelta(seconds=1)
    assert home.limits.is_reached(counted, ALICE, last)
    assert not home.limits.is_reached(counted, ALICE, begun + limit.within)


def test_an_address_is_counted_however_it_is_written_and_no_other_is(home: Home) -> None:
    for address in (ALICE, "Alice+tag@Example.ORG", ALICE.upper()):
        home.limits.count(Counted.CODE, address, NOON)
    assert home.limits.is_reached(Counted.CODE, ALICE, NOON)
    assert not home.limits.is_reached(Counted.CODE, MALLORY, NOON)
    assert not home.limits.is_reached(Counted.GUESS, ALICE, NOON)


def test_no_address_stands_in_what_is_counted(home: Home) -> None:
    home.limits.count(Counted.CODE, ALICE, NOON)
    (path,) = home.limits.path.iterdir()
    assert "alice" not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


def test_a_line_that_was_not_written_to_its_end_does_not_count_and_spoils_no_other(
    home: Home,
) -> None:
    home.limits.count(Counted.CODE, ALICE, NOON)
    (path,) = home.limits.path.iterdir()
    whole = path.read_text()
    path.write_text(whole + whole[:-1])
    home.limits.count(Counted.CODE, ALICE, NOON)
    assert path.read_text() == whole * 2


def test_old_days_are_forgotten(home: Home) -> None:
    home.limits.count(Counted.CODE, ALICE, NOON)
    home.forget_expired(NOON + LONGEST)
    assert len(list(home.limits.path.iterdir())) == 1
    home.forget_expired(NOON + LONGEST + timedelta(days=1))
    assert list(home.limits.path.iterdir()) == []


def test_processes_at_once_lose_no_count(home: Home) -> None:
    script = """
from datetime import UTC, datetime
from pbm_oust.store.limits import Counted
for _ in range(20):
    home.limits.count(Counted.CODE, "alice@example.org", datetime(2026, 11, 20, tzinfo=UTC))
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
    most = Counted.ANSWER.value.most
    for _ in range(most):
        assert send(home, MALLORY, "help") == [f"{MALLORY}: help"]
    assert send(home, MALLORY, "help") == []
    assert send(home, MALLORY, "nonsense") == []
    assert send(home, ALICE, "help") == [f"{ALICE}: help"]
    assert send(home, MALLORY, "help", NOON + timedelta(hours=1)) == [f"{MALLORY}: help"]


def test_a_player_gets_as_many_answers_as_he_wants(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    for _ in range(Counted.ANSWER.value.most + 1):
        assert send(home, ALICE, "help") == [f"{ALICE}: help"]


def test_after_too_many_guesses_the_right_password_is_refused_but_not_at_home(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    right = "oust showas alice wonderland all"
    for nth in range(Counted.GUESS.value.most):
        assert send(home, MALLORY, right) == [f"{MALLORY}: oust:"]
        send(home, MALLORY, f"oust showas alice rabbithole{nth} all")
    assert send(home, MALLORY, right) == [f"{MALLORY}: not"]
    assert send(home, ALICE, right) == [f"{ALICE}: oust:"]
    assert send(home, MALLORY, right, NOON + timedelta(hours=1)) == [f"{MALLORY}: oust:"]


def test_an_account_that_is_not_there_is_guessed_at_no_more_often(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    said = {}
    for userid in ("alice", "nobod"):
        for _ in range(Counted.GUESS.value.most + 1):
            send(home, MALLORY, f"oust showas {userid} rabbithole all")
        letter = text_letter(home.outbox.read(home.outbox.letters()[-1]))
        said[userid] = letter["Subject"], str(letter.get_payload()).replace(userid, "USERID")
    assert said["alice"] == said["nobod"]
    assert "Too many wrong passwords" in said["alice"][1]


def test_after_many_slips_the_account_itself_has_to_wait(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    for _ in range(Counted.SLIP.value.most):
        send(home, ALICE, "oust showas alice rabbithole all")
    assert send(home, ALICE, "oust showas alice wonderland all") == [f"{ALICE}: not"]

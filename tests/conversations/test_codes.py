"""Codes that do nothing any more, and what happens to an account meanwhile."""

import shutil
from datetime import UTC, datetime
from email import message_from_bytes
from itertools import count
from pathlib import Path

import pytest

from pbm_oust.accounts.account_file import parse_account
from pbm_oust.accounts.password import Secret, is_password
from pbm_oust.mail.inbound import Envelope, open_intake
from pbm_oust.store.home import Home
from pbm_oust.store.recovery import recover
from tests.store.test_disk_faults import Death, Fault, FaultyDisk, take
from tests.support.accounts import codes, make_account
from tests.support.home_by_mail import make_quick

NOW = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
ALICE, HOME, THIEF = "alice@example.org", "alice@home.example", "thief@example.com"
_numbers = count()


@pytest.fixture(autouse=True)
def alice(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)


def send(home: Home, sender: str, line: str) -> str:
    """Send a mail, and return the Subject of the latest letter."""
    head = f"From: {sender}\nSubject: {line}\nMessage-ID: <{next(_numbers)}@example.org>\n"
    data = f"{head}\n"
    intake = open_intake(home, "pbmserv@example.com", lambda: NOW)
    intake.take(data.encode(), Envelope(sender))
    return str(message_from_bytes(home.outbox.read(home.outbox.letters()[-1]))["Subject"])


def code_to(home: Home, address: str) -> str:
    return [code for to, code in codes(home) if to == address][-1]


def has_password(home: Home, password: str) -> bool:
    return is_password(Secret(password), parse_account(home.read_player("alice")).password)


def test_when_one_code_for_a_password_is_used_the_others_die(home: Home) -> None:
    send(home, ALICE, "forgot alice")
    older = code_to(home, ALICE)
    send(home, ALICE, "forgot alice")
    newer = code_to(home, ALICE)
    assert older != newer
    assert send(home, ALICE, f"verify {newer} rabbithole") == "password changed"
    assert send(home, ALICE, f"verify {older} madhatter") == "not done"
    assert has_password(home, "rabbithole")


@pytest.mark.parametrize("rescue", ["change password alice wonderland rabbithole", "forgot alice"])
def test_a_thief_who_waits_for_an_address_is_late_after_a_new_password(
    rescue: str, home: Home
) -> None:
    send(home, THIEF, "change address alice wonderland")
    send(home, ALICE, rescue)
    if rescue.startswith("forgot"):
        send(home, ALICE, f"verify {code_to(home, ALICE)} rabbithole")
    assert has_password(home, "rabbithole")
    assert send(home, THIEF, f"verify {code_to(home, THIEF)}") == "not done"
    assert parse_account(home.read_player("alice")).addresses == (ALICE,)


def test_of_several_new_addresses_the_first_replaces_the_old_ones_and_others_join(
    home: Home,
) -> None:
    send(home, ALICE, f"change address alice wonderland {HOME} alice@job.example")
    send(home, "alice@job.example", f"verify {code_to(home, 'alice@job.example')}")
    assert parse_account(home.read_player("alice")).addresses == ("alice@job.example",)
    send(home, HOME, f"verify {code_to(home, HOME)}")
    assert parse_account(home.read_player("alice")).addresses == ("alice@job.example", HOME)


def test_what_waits_for_an_account_goes_with_it(home: Home) -> None:
    send(home, ALICE, f"add alice wonderland {HOME}")
    send(home, ALICE, "delete alice wonderland")
    assert home.userids() == []
    assert home.pending.names() == []
    assert send(home, HOME, f"verify {code_to(home, HOME)}") == "not done"


def test_a_code_in_the_address_counts_where_the_envelope_is_not_known(home: Home) -> None:
    send(home, ALICE, f"add alice wonderland {HOME}")
    to = f"To: pbmserv+verify.{code_to(home, HOME)}@example.com"
    intake = open_intake(home, "pbmserv@example.com", lambda: NOW)
    mail = f"From: {HOME}\n{to}\nSubject: It is me\nMessage-ID: <answer@example.org>\n\nYes\n"
    intake.take(mail.encode(), Envelope())
    assert parse_account(home.read_player("alice")).addresses == (ALICE, HOME)


def test_an_answer_to_the_address_of_a_code_at_another_host_brings_nothing_back(home: Home) -> None:
    send(home, ALICE, f"add alice wonderland {HOME}")
    to = f"To: pbmserv+verify.{code_to(home, HOME)}@elsewhere.example"
    intake = open_intake(home, "pbmserv@example.com", lambda: NOW)
    mail = f"From: {HOME}\n{to}\nSubject: It is me\nMessage-ID: <answer@example.org>\n\nYes\n"
    intake.take(mail.encode(), Envelope())
    assert parse_account(home.read_player("alice")).addresses == (ALICE,)


def test_whoever_signs_up_again_comes_back(home: Home) -> None:
    send(home, ALICE, "signoff alice wonderland")
    assert "SignedOff: " in home.read_player("alice")
    assert send(home, ALICE, "signup alice wonderland") == "welcome, alice"
    assert "SignedOff: " not in home.read_player("alice")


def test_a_change_of_a_password_that_a_crash_cut_short_is_told_when_its_mail_comes_again(
    home: Home, tmp_path: Path
) -> None:
    make_quick(home, "alice")
    line, died = "change password alice wonderland rabbithole", True
    at = 0
    while died:
        at += 1
        path = shutil.copytree(home.path, tmp_path / f"{at}")
        try:
            take(path, line, ALICE, FaultyDisk(at, Fault.DIES))
            died = False
        except Death:
            recover(Home(path))
        take(path, line, ALICE)
        latest = message_from_bytes(Home(path).outbox.read(Home(path).outbox.letters()[-1]))
        assert latest["Subject"] in ("password changed", "already done"), at
        assert has_password(Home(path), "rabbithole"), at
    assert at > 5


def test_an_address_that_is_named_twice_gets_one_code(home: Home) -> None:
    send(home, THIEF, f"add alice wonderland {HOME} Alice@Home.example alice+x@home.example")
    assert [address for address, _ in codes(home)] == [HOME]

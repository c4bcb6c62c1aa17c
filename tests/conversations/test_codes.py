"""Codes that do nothing any more, and what happens to an account meanwhile."""

from pathlib import Path

import pytest

from pbm_oust.accounts.account import signed_off_since
from pbm_oust.accounts.password import Match
from pbm_oust.mail.inbound import Envelope
from pbm_oust.store.home import Home
from tests.support.accounts import account_of, codes, count_waiting, make_account
from tests.support.disturbed import disturbed
from tests.support.home_by_mail import ALICE, mailed, new_id, taken
from tests.support.mails import mail
from tests.support.outbox import letters
from tests.support.passwords import match
from tests.support.trouble import Fault

HOME, THIEF = "alice@home.example", "thief@example.com"


@pytest.fixture(autouse=True)
def alice(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)


def send(home: Home, sender: str, line: str) -> str:
    """Send a mail, and return the Subject of the latest letter."""
    mailed(home, sender, line)
    return letters(home)[-1].subject


def code_to(home: Home, address: str) -> str:
    return [code for to, code in codes(home) if to == address][-1]


def has_password(home: Home, password: str) -> bool:
    return match(password, account_of(home, "alice").password) is Match.RIGHT


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
    assert account_of(home, "alice").addresses == (ALICE,)


def test_of_several_new_addresses_the_first_replaces_the_old_ones_and_others_join(
    home: Home,
) -> None:
    send(home, ALICE, f"change address alice wonderland {HOME} alice@job.example")
    send(home, "alice@job.example", f"verify {code_to(home, 'alice@job.example')}")
    assert account_of(home, "alice").addresses == ("alice@job.example",)
    send(home, HOME, f"verify {code_to(home, HOME)}")
    assert account_of(home, "alice").addresses == ("alice@job.example", HOME)


def test_what_waits_for_an_account_goes_with_it(home: Home) -> None:
    send(home, ALICE, f"add alice wonderland {HOME}")
    send(home, ALICE, "delete alice wonderland")
    assert home.userids() == []
    assert count_waiting(home) == 0
    assert send(home, HOME, f"verify {code_to(home, HOME)}") == "not done"


def test_a_code_in_the_address_counts_where_the_envelope_is_not_known(home: Home) -> None:
    send(home, ALICE, f"add alice wonderland {HOME}")
    to = f"To: pbmserv+verify.{code_to(home, HOME)}@example.com"
    taken(home, mail(f"From: {HOME}", to, "Subject: It is me", new_id(), text="yes"), Envelope())
    assert account_of(home, "alice").addresses == (ALICE, HOME)


def test_an_answer_to_the_address_of_a_code_at_another_host_brings_nothing_back(home: Home) -> None:
    send(home, ALICE, f"add alice wonderland {HOME}")
    to = f"To: pbmserv+verify.{code_to(home, HOME)}@elsewhere.example"
    taken(home, mail(f"From: {HOME}", to, "Subject: It is me", new_id()), Envelope())
    assert account_of(home, "alice").addresses == (ALICE,)


def test_whoever_signs_up_again_comes_back(home: Home) -> None:
    send(home, ALICE, "signoff alice wonderland")
    assert signed_off_since(account_of(home, "alice"))
    assert send(home, ALICE, "signup alice wonderland") == "welcome, alice"
    assert not signed_off_since(account_of(home, "alice"))


def test_a_change_of_a_password_that_a_crash_cut_short_is_told_when_its_mail_comes_again(
    home: Home, tmp_path: Path
) -> None:
    line = "change password alice wonderland rabbithole"

    def change(tried: Home) -> None:
        mailed(tried, ALICE, line, number=7)

    home.database.close()
    for at, path in disturbed(home.path, tmp_path / "tried", Fault.STAYS, change):
        tried = Home(path)
        tried.recover()
        mailed(tried, ALICE, line, number=7)
        assert letters(tried)[-1].subject in ("password changed", "already done"), at
        assert has_password(tried, "rabbithole"), at
    assert at > 5


def test_an_address_that_is_named_twice_gets_one_code(home: Home) -> None:
    send(home, THIEF, f"add alice wonderland {HOME} Alice@Home.example alice+x@home.example")
    assert [address for address, _ in codes(home)] == [HOME]

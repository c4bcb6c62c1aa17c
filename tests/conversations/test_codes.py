"""Codes that do nothing any more, and what happens to an account meanwhile."""

from pathlib import Path

import pytest

from pbm_oust.accounts.password import Match
from pbm_oust.mail.inbound import Envelope
from pbm_oust.store.home import Home
from tests.support.accounts import account_of, codes, make_account
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

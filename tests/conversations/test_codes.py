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

HOME = "alice@home.example"


@pytest.fixture(autouse=True)
def alice(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)


@pytest.mark.parametrize(
    ("host", "addresses"), [("example.com", (ALICE, HOME)), ("elsewhere.example", (ALICE,))]
)
def test_a_code_in_an_address_at_our_host_counts_where_the_envelope_is_not_known(
    host: str, addresses: tuple[str, ...], home: Home
) -> None:
    mailed(home, ALICE, f"add alice wonderland {HOME}")
    to = f"To: pbmserv+verify.{dict(codes(home))[HOME]}@{host}"
    taken(home, mail(f"From: {HOME}", to, "Subject: It is me", new_id(), text="yes"), Envelope())
    assert account_of(home, "alice").addresses == addresses


def test_a_code_counts_however_many_subjects_its_mail_has(home: Home) -> None:
    mailed(home, ALICE, f"add alice wonderland {HOME}")
    to = f"pbmserv+verify.{dict(codes(home))[HOME]}@example.com"
    two = "Subject: Re: your code", "Subject: It is me"
    taken(home, mail(f"From: {HOME}", *two, new_id(), text="yes"), Envelope(HOME, (to,)))
    assert account_of(home, "alice").addresses == (ALICE, HOME)


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
        assert match("rabbithole", account_of(tried, "alice").password) is Match.RIGHT, at
    assert at > 5

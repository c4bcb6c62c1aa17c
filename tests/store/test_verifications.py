"""Verifications: what waits for a code is found by it, for three days. Bounces of addresses."""

from datetime import datetime, timedelta
from email.utils import make_msgid
from functools import partial

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.bounces import MOST_DAYS, Bounce, Returned
from pbm_oust.accounts.tags import CODE_LIFETIME, Pending, Purpose
from pbm_oust.languages import LANGUAGES
from pbm_oust.store.database import Database
from pbm_oust.store.verifications import (
    MOST_KEPT,
    find_verification,
    forget_old_verifications,
    forget_verifications_of,
    keep_verification,
    note_bounce,
    requests_of,
)

CODE, OTHER = "4f0c1d2e9a8b7c6d", "0b53a2c4d1e6f788"
KEY = "9d2f6a1b3c4e5f60"


@pytest.fixture
def signup(now: datetime) -> Pending:
    stored = f"scrypt 16384 8 1 {'00' * 16} {'00' * 32}"
    french = LANGUAGES["fr"]
    return Pending(Purpose.SIGNUP, "alice", "Alice@example.org", now, KEY, stored, french)


def keep(database: Database, code: str, pending: Pending) -> None:
    database.write(lambda transaction: keep_verification(transaction, code, pending))


def found(database: Database, code: str, at: datetime) -> Pending | None:
    with database.read() as snapshot:
        return find_verification(snapshot, code, at)


@pytest.mark.parametrize("purpose", Purpose)
def test_what_waits_for_a_code_is_found_as_it_was(
    purpose: Purpose, database: Database, signup: Pending, now: datetime
) -> None:
    password = signup.password if purpose is Purpose.SIGNUP else ""
    pending = replace(signup, purpose=purpose, password=password)
    keep(database, CODE, pending)
    assert found(database, CODE, now) == pending
    assert found(database, OTHER, now) is None


def test_a_code_that_comes_too_late_finds_nothing(
    database: Database, signup: Pending, now: datetime
) -> None:
    keep(database, CODE, signup)
    assert found(database, CODE, now + CODE_LIFETIME - timedelta(seconds=1)) == signup
    assert found(database, CODE, now + CODE_LIFETIME) is None
    assert database.write(lambda each: forget_old_verifications(each, now + CODE_LIFETIME)) == 1


def test_what_waits_for_an_account_is_forgotten_but_not_what_others_ask_for_its_userid(
    database: Database, signup: Pending, now: datetime
) -> None:
    of_another = replace(signup, message_key=OTHER)
    kept = {
        "0" * 16: signup,
        "1" * 16: of_another,
        "2" * 16: replace(signup, purpose=Purpose.FORGOT, password=""),
        "3" * 16: replace(signup, userid="bob"),
    }
    for code, pending in kept.items():
        keep(database, code, pending)
    database.write(lambda transaction: forget_verifications_of(transaction, "alice", KEY))
    left = [code for code in kept if found(database, code, now)]
    assert left == ["1" * 16, "3" * 16]


def test_what_signs_in_counts_for_a_quarter_of_an_hour_and_then_goes(
    database: Database, signup: Pending, now: datetime
) -> None:
    keep(database, CODE, replace(signup, purpose=Purpose.SIGN_IN))
    keep(database, OTHER, signup)
    late = now + timedelta(minutes=15)
    assert found(database, CODE, late - timedelta(seconds=1))
    assert found(database, CODE, late) is None
    with database.read() as snapshot:
        assert requests_of(snapshot, "alice", KEY, late) == [signup]
    assert database.write(lambda transaction: forget_old_verifications(transaction, late)) == 1
    assert found(database, OTHER, late) == signup


# Bounces


ALICE, BOB = "alice@example.org", "bob@example.net"
LETTER = "<oust.17.5.0123456789abcdef@example.com>"


@pytest.fixture
def bounce(now: datetime) -> Bounce:
    return Bounce.of(now, "5.1.1", LETTER, "oust 17 #6: your turn, alice")


def note(database: Database, address: str, *bounces: Bounce) -> Returned:
    found = Returned(address, ())
    for bounce in bounces:
        found = database.write(partial(note_bounce, address=address, bounce=bounce))
    return found


def others(bounce: Bounce, number: int) -> list[Bounce]:
    return [replace(bounce, letter=make_msgid(domain="example.com")) for _ in range(number)]


def on_days(bounce: Bounce, status: str = "5.1.1", a_day: int = 1) -> list[Bounce]:
    """Letters that come back on as many days as close a mailbox."""
    bounce = replace(bounce, status=status)
    days = (replace(bounce, at=bounce.at + timedelta(days=days)) for days in range(MOST_DAYS))
    return [each for day in days for each in others(day, a_day)]


def test_many_letters_a_day_do_not_hide_the_days_before(database: Database, bounce: Bounce) -> None:
    assert note(database, ALICE, *on_days(bounce, a_day=30)).is_suspended


@pytest.mark.parametrize("status", ["5.7.1", "5.7.0", "5.7.26", "4.2.2", "4.4.7", "5.3.4", "5.6.0"])
def test_no_mailbox_is_closed_for_policy_or_for_a_while(
    status: str, database: Database, bounce: Bounce
) -> None:
    assert not note(database, ALICE, *on_days(bounce, status, a_day=5)).is_suspended


def test_only_the_latest_letters_are_kept_and_one_of_each_day_before(
    database: Database, bounce: Bounce
) -> None:
    bounces = others(bounce, MOST_KEPT + 5)
    assert note(database, ALICE, *bounces).bounces == (bounces[0], *bounces[5:])
    assert note(database, BOB, bounce).bounces == (bounce,)


def test_of_the_days_before_the_latest_letters_the_last_ones_are_kept(
    database: Database, bounce: Bounce
) -> None:
    days = [replace(bounce, at=bounce.at + timedelta(days=day)) for day in range(MOST_DAYS + 2)]
    hard = [replace(each, letter=f"<{nth}@hard>") for nth, each in enumerate(days)]
    late = others(replace(days[-1], status="4.2.2"), MOST_KEPT)
    assert note(database, ALICE, *hard, *late).bounces == (*hard[2:], *late)

"""Letters that came back: counted for each address however it is written, and each once."""

from datetime import datetime, timedelta
from email.utils import make_msgid
from functools import partial

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.bounces import MOST_DAYS, Bounce, Returned
from pbm_oust.store.database import Database
from pbm_oust.store.verifications import (
    MOST_KEPT,
    all_bounces,
    bounces_of,
    forget_bounces,
    note_bounce,
)

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


def of(database: Database, address: str) -> Returned:
    with database.read() as snapshot:
        return bounces_of(snapshot, address)


def test_what_came_back_is_known_in_its_order(database: Database, bounce: Bounce) -> None:
    bounces = others(bounce, 3)
    assert note(database, ALICE, *bounces) == Returned(ALICE, tuple(bounces))
    assert of(database, ALICE) == Returned(ALICE, tuple(bounces))
    assert of(database, BOB) == Returned(BOB, ())


def test_an_address_is_the_same_however_it_is_written(database: Database, bounce: Bounce) -> None:
    note(database, ALICE, bounce)
    note(database, "ALICE+games@example.org", *others(bounce, 1))
    assert len(of(database, "Alice@Example.Org").bounces) == 2


def test_a_letter_counts_once_however_many_reports_come(database: Database, bounce: Bounce) -> None:
    found = note(database, ALICE, bounce, bounce, bounce)
    assert found.bounces == (bounce,)


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


def test_an_owner_who_writes_is_written_to_again(database: Database, bounce: Bounce) -> None:
    note(database, ALICE, bounce)
    note(database, BOB, bounce)
    forget = "Alice@example.org"
    assert database.write(lambda transaction: forget_bounces(transaction, forget))
    assert not database.write(lambda transaction: forget_bounces(transaction, forget))
    assert of(database, ALICE).bounces == ()
    assert of(database, BOB).bounces == (bounce,)


def test_all_addresses_are_listed(database: Database, bounce: Bounce) -> None:
    bounces = others(bounce, 2)
    note(database, BOB, bounce)
    note(database, ALICE, *bounces)
    with database.read() as snapshot:
        found = all_bounces(snapshot)
    assert found == [Returned(ALICE, tuple(bounces)), Returned(BOB, (bounce,))]

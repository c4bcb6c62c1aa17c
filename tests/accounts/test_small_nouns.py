"""Small things that accounts keep: notes, limits, since when they are disabled, and the like."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.account import (
    MOST_BROADCASTS,
    Account,
    disabled_since,
    is_placeholder,
    note_about,
    notes_of,
    parse_userid,
    placeholder,
    with_broadcast,
    with_disabled,
    with_limit,
    with_note,
)
from pbm_oust.accounts.password import Secret, hash_password

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ALICE = Account("alice", hash_password(Secret("wonderland")), ("alice@example.org",), NOON)


def test_a_note_takes_the_place_of_the_one_before_and_an_empty_one_takes_it_away() -> None:
    first = with_note(with_note(ALICE, "oust 1", "one"), "churn 1", "other")
    second = with_note(first, "oust 1", "two")
    assert (note_about(second, "oust 1"), note_about(second, "churn 1")) == ("two", "other")
    assert notes_of(with_note(second, "oust 1", "")) == {"churn 1": "other"}


def test_no_limit_leaves_nothing() -> None:
    assert with_limit(with_limit(ALICE, 5), 0) == ALICE


def test_an_account_is_disabled_and_enabled_again() -> None:
    disabled = with_disabled(ALICE, NOON)
    assert disabled_since(disabled) == NOON
    assert with_disabled(disabled, None) == ALICE


@given(st.integers(1, 10**9))
def test_a_placeholder_is_a_userid_and_known_as_a_placeholder(number: int) -> None:
    assert parse_userid(placeholder(number)) == placeholder(number)
    assert is_placeholder(placeholder(number))


@pytest.mark.parametrize("userid", ["gone", "gone-", "gone-0", "gone-x", "agone-1", "alice"])
def test_other_userids_are_no_placeholders(userid: str) -> None:
    assert not is_placeholder(userid)


def test_a_player_can_write_to_everybody_again_a_day_later() -> None:
    account: Account | None = ALICE
    for hour in range(MOST_BROADCASTS):
        assert account
        account = with_broadcast(account, NOON + timedelta(hours=hour))
    assert account
    assert with_broadcast(account, NOON + timedelta(hours=23)) is None
    later = with_broadcast(account, NOON + timedelta(hours=24))
    assert later
    assert len(later.broadcasts) == MOST_BROADCASTS

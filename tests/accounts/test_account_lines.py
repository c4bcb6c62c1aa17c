"""What players keep in lines of their accounts: notes, watched boards, limits and the like."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.account import (
    Account,
    BadAccount,
    format_account,
    parse_account,
    parse_userid,
)
from pbm_oust.accounts.broadcasts import MOST_A_DAY, broadcasts_of, with_broadcast
from pbm_oust.accounts.invitations import (
    limit_of,
    rejected_by,
    with_limit,
    with_other_userid,
    with_rejected,
)
from pbm_oust.accounts.notes import note_about, notes_of, with_note
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.accounts.status import (
    becomes,
    disabled_since,
    is_placeholder,
    placeholder,
    with_becomes,
    with_disabled,
)
from pbm_oust.accounts.watched import may_watch, watched_by, with_watched

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ALICE = Account("alice", hash_password(Secret("wonderland")), ("alice@example.org",), NOON)
userids = st.from_regex(r"[a-z][a-z0-9_-]{0,19}", fullmatch=True)
boards = st.builds("{} {}".format, st.sampled_from(["oust", "churn"]), st.integers(1, 999))


def kept(account: Account) -> Account:
    """Return an account as it comes back from its file."""
    return parse_account(format_account(account))


@given(st.dictionaries(boards, st.text(st.characters(exclude_categories=["Cs"]), min_size=1)))
def test_notes_come_back_from_the_file_whatever_stands_in_them(notes: dict[str, str]) -> None:
    account = ALICE
    for board, text in notes.items():
        account = with_note(account, board, text)
    assert notes_of(kept(account)) == notes


def test_a_note_takes_the_place_of_the_one_before_and_an_empty_one_takes_it_away() -> None:
    first = with_note(with_note(ALICE, "oust 1", "one"), "churn 1", "other")
    second = with_note(first, "oust 1", "two")
    assert (note_about(second, "oust 1"), note_about(second, "churn 1")) == ("two", "other")
    assert notes_of(with_note(second, "oust 1", "")) == {"churn 1": "other"}


@given(st.lists(boards, unique=True), boards)
def test_watched_boards_come_back_and_are_seen_in_the_text(names: list[str], other: str) -> None:
    account = with_watched(ALICE, names)
    assert watched_by(kept(account)) == tuple(names)
    assert may_watch(format_account(account), other) is (other in names)


@given(st.integers(0, 999))
def test_a_limit_comes_back_from_the_file(limit: int) -> None:
    assert limit_of(kept(with_limit(ALICE, limit))) == limit


def test_no_limit_leaves_no_line() -> None:
    assert with_limit(with_limit(ALICE, 5), 0) == ALICE


@given(st.lists(userids, unique=True))
def test_rejected_players_come_back_from_the_file(rejected: list[str]) -> None:
    assert rejected_by(kept(with_rejected(ALICE, rejected))) == tuple(rejected)


def test_a_rejected_player_stays_rejected_under_another_userid() -> None:
    rejecting = with_rejected(ALICE, ["bob", "carol"])
    assert rejected_by(with_other_userid(rejecting, "bob", "bobby")) == ("bobby", "carol")
    assert rejected_by(with_other_userid(rejecting, "bob", None)) == ("carol",)
    assert rejected_by(with_other_userid(rejecting, "bob", "alice")) == ("carol",)
    assert with_other_userid(rejecting, "dora", "dodo") is rejecting


def test_an_account_is_disabled_and_enabled_again() -> None:
    disabled = kept(with_disabled(ALICE, NOON))
    assert disabled_since(disabled) == NOON
    assert with_disabled(disabled, None) == ALICE


@given(userids)
def test_what_a_player_becomes_comes_back_from_the_file(userid: str) -> None:
    assert becomes(kept(with_becomes(ALICE, userid))) == userid


@given(st.integers(1, 10**9))
def test_a_placeholder_is_a_userid_and_known_as_a_placeholder(number: int) -> None:
    assert parse_userid(placeholder(number)) == placeholder(number)
    assert is_placeholder(placeholder(number))


@pytest.mark.parametrize("userid", ["gone", "gone-", "gone-0", "gone-x", "agone-1", "alice"])
def test_other_userids_are_no_placeholders(userid: str) -> None:
    assert not is_placeholder(userid)


def test_a_player_can_write_to_everybody_again_a_day_later() -> None:
    account: Account | None = ALICE
    for hour in range(MOST_A_DAY):
        assert account
        account = with_broadcast(kept(account), NOON + timedelta(hours=hour))
    assert account
    assert with_broadcast(account, NOON + timedelta(hours=23)) is None
    later = with_broadcast(account, NOON + timedelta(hours=24))
    assert later
    assert len(broadcasts_of(later)) == MOST_A_DAY


@pytest.mark.parametrize(
    ("read", "key", "values"),
    [
        (notes_of, "Note", ["oust 1 text"]),
        (notes_of, "Note", ['oust "text"']),
        (notes_of, "Note", ['oust 1 "te"xt"']),
        (watched_by, "Watch", ["oust"]),
        (limit_of, "Limit", ["0"]),
        (limit_of, "Limit", ["many"]),
        (limit_of, "Limit", ["1", "2"]),
        (rejected_by, "Reject", ["Bob!"]),
        (broadcasts_of, "Broadcast", ["yesterday"]),
        (disabled_since, "Disabled", ["yes"]),
        (becomes, "Becomes", ["Somebody Else"]),
    ],
)
def test_a_line_that_cannot_be_read_makes_the_account_damaged(
    read: Callable[[Account], object], key: str, values: list[str]
) -> None:
    with pytest.raises(BadAccount):
        read(ALICE.with_values(key, values))

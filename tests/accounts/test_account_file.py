"""The file of an account: what it says, and which text is none."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.accounts.account_file import BadLines, format_account, may_watch, parse_account
from pbm_oust.accounts.seeks import Seek, last_numbers, with_seeks
from pbm_oust.accounts.watched import with_watched
from tests.support.kept import accounts, boards, seeks

HASH = f"scrypt 16384 8 1 {'0' * 32} {'1' * 64}"
TEXT = f"""\
pbm_oust player 1
Userid: alice
Password: {HASH}
Address: alice@example.org
Address: Alice+oust@example.net
Joined: 2026-11-20T15:36:00Z
"""
ALICE = Account(
    "alice",
    HASH,
    ("alice@example.org", "Alice+oust@example.net"),
    datetime(2026, 11, 20, 15, 36, tzinfo=UTC),
)
KEY = "feedfeedfeedfeed"


def test_the_text_of_an_account() -> None:
    assert format_account(ALICE) == TEXT


def test_an_account_is_read_from_its_text() -> None:
    assert parse_account(TEXT) == ALICE


@given(accounts())
@settings(deadline=None)
def test_an_account_is_read_as_it_was_written(account: Account) -> None:
    assert parse_account(format_account(account)) == account


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        (TEXT, "", "line 1: the first line is 'pbm_oust player 1'"),
        ("player 1", "player 2", "line 1: the first line is 'pbm_oust player 1'"),
        ("Userid: alice\n", "", "there is no line 'Userid'"),
        ("Userid: alice", "Userid: 1alice", "'1alice' is no userid"),
        ("Userid: alice", "Userid alice", "line 2: a line is written 'Key: value'"),
        (f"Password: {HASH}\n", "", "there is no line 'Password'"),
        ("scrypt", "md5", "the hash of the password cannot be read"),
        ("alice@example.org", "alice", "'alice' is not written NAME@HOST"),
        ("Joined: 2026-11-20T15:36:00Z\n", "", "there is no line 'Joined'"),
        ("15:36:00Z", "15:36", "2026-11-20T15:36"),
        ("alice@example.org\n", "alice@example.org\n\n", "line 5: a line is written 'Key: value'"),
    ],
)
def test_a_damaged_account_is_refused_with_a_reason(right: str, wrong: str, reason: str) -> None:
    assert right in TEXT
    with pytest.raises(BadAccount) as caught:
        parse_account(TEXT.replace(right, wrong, 1))
    assert reason in str(caught.value)


@pytest.mark.parametrize("figures", ["3 8 1 00 11", "16384 8 1 000 111", "0 0 0 00 11"])
def test_an_account_whose_hash_no_password_can_be_compared_with_is_damaged(figures: str) -> None:
    with pytest.raises(BadAccount):
        parse_account(TEXT.replace(HASH, f"scrypt {figures}"))


@given(st.text())
@settings(deadline=None)
def test_a_text_that_is_no_account_is_refused_and_nothing_else(text: str) -> None:
    with pytest.raises(BadAccount):
        parse_account(text)


@pytest.mark.parametrize(
    "line",
    [
        "Setting: mail never",
        "Setting: tempo fast",
        "Setting: zone Mars/Base",
        "Setting: zone ../../etc",
        "Note: oust 1 text",
        'Note: oust "text"',
        'Note: oust 1 "te"xt"',
        "Watch: oust",
        "Limit: 0",
        "Limit: many",
        "Limit: 1\nLimit: 2",
        "Reject: Bob!",
        "Broadcast: yesterday",
        "Disabled: yes",
        "SignedOff: yesterday",
        "Becomes: Somebody Else",
        "Proved: ",
        "Proved: 0",
        f"Proved: {KEY}",
        f"Proved: {KEY} x",
        f"Proved: {KEY} {KEY}0",
        "Sought: oust",
        "Seek: 3 oust",
        "Seek: 0 oust 2026-11-20T15:36:00Z any hex 7 nagtime=7 forfeittime=21",
        "Seek: 3 oust today any hex 7 nagtime=7 forfeittime=21",
        "Seek: 3 oust 2026-11-20T15:36:00Z z hex 7 nagtime=7 forfeittime=21",
        "Seek: 3 oust 2026-11-20T15:36:00Z any tri 7 nagtime=7 forfeittime=21",
        "Seek: 3 oust 2026-11-20T15:36:00Z any hex 7 swap",
        "Submitted: oust 17 D4",
        "Submitted: oust 17 5 d4",
        "Submitted: oust 17 five D4",
        "Submitted: oust 17 5 D4 E5",
        "Digest: ",
        "Digest: 2026-11-20T15:36:00Z",
        "Digest: yesterday today",
        "Away: ",
        "Away: 2026-12-01T00:00:00Z",
        "Away: 2026-12-01 2026-12-15",
        "Away: 2026-12-01T00:00:00Z 2026-12-15T00:00:00Z 14",
        "Away: 2026-12-15T00:00:00Z 2026-12-01T00:00:00Z",
        "Plan: ",
        "Plan: oust 17 5 D4",
        "Plan: oust 17 5 feed D4",
        f"Plan: oust 17 five {KEY} D4",
        f"Plan: oust 0 5 {KEY} D4",
        f"Plan: oust 17 5 {KEY} d4",
        f"Plan: oust 17 5 {KEY} D4, E5",
        f"Plan: oust 17 5 {KEY} resign",
        f"Plan: oust 17 5 {KEY} if D4 then undo",
        f"Plan: oust 17 5 {KEY} if D4 E5",
        f"Plan: oust 17 5 {KEY} if then D4",
        "Later: one",
    ],
)
def test_a_line_that_cannot_be_read_makes_the_account_damaged(line: str) -> None:
    with pytest.raises(BadLines) as caught:
        parse_account(f"{TEXT}{line}\n")
    assert len(caught.value.reasons) == 1


def test_all_lines_that_cannot_be_read_are_told() -> None:
    with pytest.raises(BadLines) as caught:
        parse_account(f"{TEXT}Limit: 0\nReject: Bob!\n")
    assert caught.value.reasons == [
        "the limit '0' is no number from 1 to 999",
        "the rejected 'Bob!' is no userid",
    ]


@given(st.lists(boards, unique=True), boards)
def test_watched_boards_are_seen_in_the_text(names: list[str], other: str) -> None:
    text = format_account(with_watched(ALICE, names))
    assert may_watch(text, other) is (other in names)


@given(st.lists(seeks, max_size=3))
def test_the_highest_numbers_of_open_challenges_come_back(some: list[Seek]) -> None:
    account = with_seeks(with_seeks(ALICE, some), [])
    assert last_numbers(parse_account(format_account(account))) == last_numbers(account)

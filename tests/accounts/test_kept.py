"""What accounts keep: each noun comes back from its rows, is renamed, merged and exported."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.accounts.broadcasts import BROADCASTS
from pbm_oust.accounts.digest import DIGEST
from pbm_oust.accounts.exported import account_lines, format_json, parse_json
from pbm_oust.accounts.invitations import LIMIT, REJECTED, rejected_by, with_rejected
from pbm_oust.accounts.kept import Column, Holds, Kept, Row
from pbm_oust.accounts.merging import merged, with_renamed
from pbm_oust.accounts.notes import NOTES, notes_of, with_note
from pbm_oust.accounts.queue import QUEUE
from pbm_oust.accounts.registry import KEPT, Nouns
from pbm_oust.accounts.seeks import SEEKS
from pbm_oust.accounts.settings import (
    USUAL,
    Settings,
    settings_of,
    with_setting,
    with_settings,
)
from pbm_oust.accounts.status import DISABLED, SIGNED_OFF
from pbm_oust.accounts.submissions import SUBMISSIONS
from pbm_oust.accounts.vacations import VACATIONS, Absence, absences_of, with_absences
from pbm_oust.accounts.verification import VERIFIED
from pbm_oust.accounts.watched import WATCHED, watched_by, with_watched
from tests.support.kept import HASH, VALUES, accounts, userids, values_of
from tests.support.strategies import relaxed

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ALICE = Account("alice", HASH, ("alice@example.org",), NOON)
BOB = Account("bob", HASH, ("bob@example.net",), NOON)
KEY = "feedfeedfeedfeed"


def mail_of(value: str) -> Settings:
    return with_setting(USUAL, "mail", value)


nouns = pytest.mark.parametrize("noun", KEPT, ids=lambda noun: noun.name)


# Every noun


def test_nouns_have_names_of_their_own() -> None:
    assert len({noun.name for noun in KEPT}) == len({noun.key for noun in KEPT}) == len(KEPT)
    assert {noun.name for noun in KEPT} == VALUES.keys()


@nouns
def test_an_account_without_anything_keeps_the_empty_value(noun: Kept[Any]) -> None:
    assert noun.of(ALICE) == noun.empty == noun.read([])
    assert not noun.rows_of(ALICE)
    assert not noun.lines_of(ALICE)
    assert noun.put(ALICE, noun.empty) == ALICE


@nouns
@relaxed
@given(st.data())
def test_a_value_comes_back_from_its_rows(noun: Kept[Any], data: st.DataObject) -> None:
    value = data.draw(values_of(noun))
    account = noun.put(ALICE, value)
    assert noun.of(account) == value
    rows = noun.rows_of(account)
    assert noun.read(rows) == value
    assert noun.put(account, noun.empty) == ALICE
    assert len(rows) == len(noun.lines_of(account))


@nouns
@given(st.data())
def test_merging_with_an_account_that_keeps_nothing_changes_nothing(
    noun: Kept[Any], data: st.DataObject
) -> None:
    value = data.draw(values_of(noun))
    assert noun.merged(value, noun.empty) == value


@given(accounts(), userids)
def test_nobody_changes_when_somebody_is_renamed_whom_no_account_knows(
    account: Account, new: str
) -> None:
    assert with_renamed(account, "nobody-at-all-0000", new) is account


# Rows that are no value


@pytest.mark.parametrize(
    ("noun", "row"),
    [
        (NOTES, ("oust", 1, "")),
        (NOTES, ("oust", 0, "text")),
        (NOTES, ("oust", "1", "text")),
        (NOTES, ("Oust!", 1, "text")),
        (NOTES, ("oust", 1)),
        (WATCHED, ("oust", None)),
        (LIMIT, (0,)),
        (LIMIT, (1000,)),
        (LIMIT, (True,)),
        (REJECTED, ("Bob!",)),
        (QUEUE, ("oust", 0, 5, KEY, None, "D4")),
        (QUEUE, ("oust", 17, 5, "feed", None, "D4")),
        (QUEUE, ("oust", 17, 5, KEY, None, "d4")),
        (QUEUE, ("oust", 17, 5, KEY, None, "D4, E5")),
        (QUEUE, ("oust", 17, 5, KEY, None, "resign")),
        (QUEUE, ("oust", 17, 5, KEY, "undo", "D4")),
        (QUEUE, ("oust", 17, 0, KEY, "D4", "E5")),
        (SUBMISSIONS, ("oust", 17, 5, "d4")),
        (SUBMISSIONS, ("oust", 17, 0, "D4")),
        (SEEKS, ("oust", 0, NOON, None, "hex 7", "nagtime=7 forfeittime=21")),
        (SEEKS, ("oust", 3, "today", None, "hex 7", "nagtime=7 forfeittime=21")),
        (SEEKS, ("oust", 3, NOON, "z", "hex 7", "nagtime=7 forfeittime=21")),
        (SEEKS, ("oust", 3, NOON, None, "tri 7", "nagtime=7 forfeittime=21")),
        (SEEKS, ("oust", 3, NOON, None, "hex 7", "swap")),
        (VACATIONS, (NOON, NOON.replace(hour=11))),
        (VACATIONS, (NOON, None)),
        (BROADCASTS, ("yesterday",)),
        (DIGEST, (NOON,)),
        (SIGNED_OFF, ("yesterday",)),
        (DISABLED, (1,)),
        (VERIFIED, (KEY, "x")),
    ],
    ids=str,
)
def test_a_row_that_says_nothing_is_no_value(noun: Kept[Any], row: Row) -> None:
    with pytest.raises(ValueError, match=r"."):
        noun.read([row])


def test_two_limits_are_none() -> None:
    with pytest.raises(ValueError, match=r"."):
        LIMIT.read([(1,), (2,)])


def test_no_account_has_two_vacations_at_one_time() -> None:
    one = Absence(NOON, NOON.replace(day=25))
    other = Absence(NOON.replace(day=23), NOON.replace(day=27))
    with pytest.raises(ValueError, match="two vacations at 2026-11-23"):
        VACATIONS.read([(one.start, one.end), (other.start, other.end)])
    with pytest.raises(ValueError, match="two vacations at 2026-11-23"):
        with_absences(ALICE, [one, other])


# Renaming


def test_a_rejected_player_stays_rejected_under_another_userid() -> None:
    rejecting = with_rejected(ALICE, ["bob", "carol"])
    assert rejected_by(with_renamed(rejecting, "bob", "bobby")) == ("bobby", "carol")
    assert rejected_by(with_renamed(rejecting, "bob", None)) == ("carol",)
    assert rejected_by(with_renamed(rejecting, "bob", "alice")) == ("carol",)
    assert with_renamed(rejecting, "dora", "dodo") is rejecting


# Merging


def test_a_player_takes_the_other_account_along_but_for_what_both_have_settled() -> None:
    bob = with_settings(with_watched(BOB, ["oust 2", "oust 1"]), mail_of("digest"))
    alice = with_settings(with_watched(ALICE, ["oust 1", "oust 3"]), mail_of("mine"))
    both = merged(alice, bob)
    assert both.addresses == ("alice@example.org", "bob@example.net")
    assert watched_by(both) == ("oust 1", "oust 3", "oust 2")
    assert settings_of(both) == settings_of(alice)


def test_an_address_that_both_have_is_there_once() -> None:
    both = merged(ALICE, Account("bob", HASH, ("Alice+oust@example.org",), NOON))
    assert both.addresses == ALICE.addresses


def test_two_notes_about_one_board_are_both_kept() -> None:
    alice = with_note(with_note(ALICE, "oust 1", "corners"), "oust 2", "edges")
    bob = with_note(with_note(BOB, "oust 1", "the middle"), "oust 2", "edges")
    assert notes_of(merged(alice, bob)) == {"oust 1": "corners\n\nthe middle", "oust 2": "edges"}


def test_nobody_is_rejected_by_an_account_that_is_their_own() -> None:
    alice, bob = with_rejected(ALICE, ["bob", "carol"]), with_rejected(BOB, ["alice", "dora"])
    assert rejected_by(merged(alice, bob)) == ("carol", "dora")


def test_vacations_that_meet_become_one() -> None:
    alice = with_absences(ALICE, [Absence(NOON, NOON.replace(day=25))])
    bob = with_absences(BOB, [Absence(NOON.replace(day=23), NOON.replace(day=27))])
    assert absences_of(merged(alice, bob)) == (Absence(NOON, NOON.replace(day=27)),)


# JSON


@relaxed
@given(accounts())
def test_an_account_comes_back_from_json(account: Account) -> None:
    line = format_json(account)
    assert "\n" not in line
    assert parse_json(line) == account


def test_the_json_of_an_account() -> None:
    account = with_watched(with_note(ALICE, "oust 17", "Corners"), ["churn 3"])
    assert json.loads(format_json(account)) == {
        "userid": "alice",
        "password": HASH,
        "addresses": ["alice@example.org"],
        "joined": "2026-11-20T12:00:00Z",
        "notes": [{"kind": "oust", "board": 17, "note": "Corners"}],
        "watched": [{"kind": "churn", "board": 3}],
    }


SOUND = json.loads(format_json(ALICE))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"userid": "1alice"}, "userid: '1alice' is no userid"),
        ({"userid": 7}, "userid: 7 is no text"),
        ({"password": "wonderland"}, "the hash of the password cannot be read"),
        ({"addresses": "alice@example.org"}, "addresses: it is no list"),
        ({"addresses": ["alice"]}, "addresses: 'alice' is not written NAME@HOST"),
        ({"addresses": [7]}, "addresses: 7 is no text"),
        ({"joined": "today"}, "joined: 'today' is no time"),
        ({"message_key": "feed"}, "message_key: 'feed' is no message key"),
        ({"diary": []}, "accounts have no 'diary'"),
        ({"notes": {}}, "notes: it is no list"),
        ({"notes": ["text"]}, "notes: 'text' is no object with board, kind, note"),
        ({"notes": [{"board": 1, "kind": "oust"}]}, "notes: None is no text"),
        ({"notes": [{"board": 1, "kind": "oust", "text": ""}]}, "is no object with"),
        ({"board_limits": [{"boards": "5"}]}, "board_limits: '5' is no number"),
        ({"disabled": [{"since": "yesterday"}]}, "disabled: 'yesterday' is no time"),
        ({"disabled": [{"since": 7}]}, "disabled: 7 is no time"),
        ({"notes": [{"board": 1, "kind": "oust", "note": "\ud800"}]}, "has a surrogate"),
        (
            {"settings": [{"name": "mail", "value": "digest"}], "joined": "9999-12-31T12:00:00Z"},
            "no year has the time of the next digest",
        ),
    ],
    ids=str,
)
def test_json_that_is_no_account_is_refused_with_a_reason(
    change: dict[str, object], reason: str
) -> None:
    with pytest.raises(BadAccount) as caught:
        parse_json(json.dumps(SOUND | change))
    assert reason in str(caught.value)


@pytest.mark.parametrize("name", ["userid", "password", "joined"])
def test_json_without_a_part_that_every_account_has_is_refused(name: str) -> None:
    with pytest.raises(BadAccount, match=f"there is no '{name}'"):
        parse_json(json.dumps({key: value for key, value in SOUND.items() if key != name}))


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", '"alice"', "[" * 100_000])
def test_other_json_is_no_account(text: str) -> None:
    with pytest.raises(BadAccount):
        parse_json(text)


# Text


def test_an_account_as_a_person_reads_it() -> None:
    account = with_settings(with_rejected(ALICE, ["bob"]), mail_of("digest"))
    assert account_lines(with_note(account, "oust 17", "Corners\nand edges")) == [
        "Userid: alice",
        "Address: alice@example.org",
        "Joined: 2026-11-20T12:00:00Z",
        "Setting: mail digest",
        'Note: oust 17 "Corners\\nand edges"',
        "Reject: bob",
    ]


@given(accounts())
def test_the_text_of_an_account_does_not_show_the_password(account: Account) -> None:
    assert not any("scrypt" in line for line in account_lines(account))


# A noun that is not in the product


FRIENDS: Kept[tuple[str, ...]] = Kept(
    name="friends",
    key="Friend",
    columns=(Column("friend", Holds.USERID), Column("nickname", is_optional=True)),
    empty=(),
    to_rows=lambda friends: [(friend, None) for friend in friends],
    of_rows=lambda rows: tuple(friend for friend, _ in rows),
    to_lines=lambda friends: friends,
    merged=lambda friends, others: tuple(sorted({*friends, *others})),
    renamed=lambda friends, old, new: tuple(
        each for each in (new if friend == old else friend for friend in friends) if each
    ),
)
NOUNS: Nouns = (*KEPT, FRIENDS)


def test_another_noun_is_one_descriptor() -> None:
    account = FRIENDS.put(ALICE, ("bob", "carol"))
    assert FRIENDS.of(account) == ("bob", "carol")
    assert parse_json(format_json(account, NOUNS), NOUNS) == account
    assert account_lines(account, NOUNS)[-2:] == ["Friend: bob", "Friend: carol"]
    assert FRIENDS.of(with_renamed(account, "bob", "bobby", NOUNS)) == ("bobby", "carol")
    assert FRIENDS.of(with_renamed(account, "bob", None, NOUNS)) == ("carol",)
    dora = FRIENDS.put(Account("dora", HASH, (), NOON), ("alice", "emma"))
    assert FRIENDS.of(merged(account, dora, NOUNS)) == ("bob", "carol", "emma")

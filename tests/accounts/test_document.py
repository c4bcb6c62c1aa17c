"""Accounts as documents: they come back, are renamed, merged and exported."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.accounts.document import (
    KEPT,
    account_lines,
    format_document,
    format_json,
    items_of,
    kept_objects,
    parse_json,
    read_document,
)
from pbm_oust.accounts.items import Item, OnBoard
from pbm_oust.accounts.settings import USUAL, Settings
from pbm_oust.accounts.vacations import Absence, in_order
from tests.support import tables
from tests.support.kept import HASH, VALUES, accounts, userids
from tests.support.strategies import relaxed

tabled = tables.tabled(__file__)

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ALICE = Account("alice", HASH, ("alice@example.org",), NOON)
BOB = Account("bob", HASH, ("bob@example.net",), NOON)


SOUND = {
    "userid": "alice",
    "password": HASH,
    "addresses": ["alice@example.org"],
    "joined": "2026-11-20T12:00:00Z",
}
WATCHING = {"kind": "churn", "board": 3}


def mail_of(value: str) -> Settings:
    return USUAL.with_setting("mail", value)


# Every field


def test_there_are_random_values_of_everything_that_accounts_keep() -> None:
    assert VALUES.keys() == set(KEPT)
    kinds = {*Item.__subclasses__(), *OnBoard.__subclasses__()} - {OnBoard}
    assert len({kind.word for kind in kinds}) == len(kinds) == len(KEPT)


@relaxed
@given(accounts())
def test_an_account_comes_back_from_its_document(account: Account) -> None:
    assert read_document(account.userid, format_document(account)) == account
    assert len(items_of(account)) == sum(map(len, kept_objects(account).values()))


@given(accounts(), st.data())
def test_merging_with_an_account_that_keeps_nothing_changes_nothing(
    account: Account, data: st.DataObject
) -> None:
    other = Account(
        data.draw(userids.filter(lambda userid: userid != account.userid)), HASH, (), NOON
    )
    without_own = account.with_renamed(other.userid, None).with_renamed(account.userid, None)
    assert account.merged(other) == without_own


@given(accounts(), userids)
def test_nobody_changes_when_somebody_is_renamed_whom_no_account_knows(
    account: Account, new: str
) -> None:
    assert account.with_renamed("nobody-at-all-0000", new) is account


# Stored documents that are damaged


LIMIT = {"boards": 5}


@tabled("name", "item")
def test_an_item_that_says_nothing_damages_its_field_and_stays_as_it_is(
    name: str, item: str
) -> None:
    stored = json.dumps({**SOUND, "watched": [WATCHING], name: [json.loads(item)]})
    account = read_document("alice", stored)
    assert account.damaged.keys() == {name}
    assert getattr(account, name) == ()
    changed = account.with_note("oust 17", "corners") if name != "notes" else account
    written = json.loads(format_document(changed))
    assert written[name] == [json.loads(item)]
    assert written["addresses"] == ["alice@example.org"]
    with pytest.raises(BadAccount, match=f"{name}: ."):
        parse_json(stored)


@pytest.mark.parametrize("name", ["userid", "password", "addresses", "joined"])
def test_a_document_without_what_every_account_has_can_be_read(name: str) -> None:
    stored = {key: value for key, value in SOUND.items() if key != name}
    account = read_document("alice", json.dumps(stored))
    assert account.userid == "alice"
    assert account.damaged.keys() == {name} - {"userid"}


@pytest.mark.parametrize("stored", ["", "{", "[]", "[" * 100_000])
def test_what_is_no_document_stays_as_it_is(stored: str) -> None:
    account = read_document("alice", stored)
    assert account.damaged
    assert format_document(account.with_note("oust 1", "corners")) == stored


def test_what_a_later_program_keeps_stays_as_it_is() -> None:
    stored = {**SOUND, "friends": [{"friend": "bob"}]}
    account = read_document("alice", json.dumps(stored))
    assert not account.damaged
    written = json.loads(format_document(account.with_watched(["churn 3"])))
    assert written == {**stored, "watched": [WATCHING]}


def test_two_limits_are_none() -> None:
    assert read_document("alice", json.dumps({**SOUND, "board_limits": [LIMIT] * 2})).damaged


def test_no_account_has_two_vacations_at_one_time() -> None:
    one = Absence(NOON, NOON.replace(day=25))
    other = Absence(NOON.replace(day=23), NOON.replace(day=27))
    with pytest.raises(ValueError, match="two vacations at 2026-11-23"):
        in_order([one, other])
    with pytest.raises(BadAccount, match="vacations: two vacations at 2026-11-23"):
        parse_json(format_json(replace(ALICE, vacations=(one, other))))


# Renaming


def test_a_rejected_player_stays_rejected_under_another_userid() -> None:
    rejecting = ALICE.with_rejected(["bob", "carol"])
    assert rejecting.with_renamed("bob", "bobby").rejected == ("bobby", "carol")
    assert rejecting.with_renamed("bob", None).rejected == ("carol",)
    assert rejecting.with_renamed("bob", "alice").rejected == ("carol",)
    assert rejecting.with_renamed("dora", "dodo") is rejecting


# Merging


def test_a_player_takes_the_other_account_along_but_for_what_both_have_settled() -> None:
    bob = BOB.with_watched(["oust 2", "oust 1"]).with_settings(mail_of("digest"))
    alice = ALICE.with_watched(["oust 1", "oust 3"]).with_settings(mail_of("mine"))
    both = alice.merged(bob)
    assert both.addresses == ("alice@example.org", "bob@example.net")
    assert both.watched_boards == ("oust 1", "oust 3", "oust 2")
    assert both.all_settings == alice.all_settings


def test_an_address_that_both_have_is_there_once() -> None:
    both = ALICE.merged(Account("bob", HASH, ("Alice+oust@example.org",), NOON))
    assert both.addresses == ALICE.addresses


def test_two_notes_about_one_board_are_both_kept() -> None:
    alice = ALICE.with_note("oust 1", "corners").with_note("oust 2", "edges")
    bob = BOB.with_note("oust 1", "the middle").with_note("oust 2", "edges")
    assert alice.merged(bob).notes_by_board == {
        "oust 1": "corners\n\nthe middle",
        "oust 2": "edges",
    }


def test_nobody_is_rejected_by_an_account_that_is_their_own() -> None:
    alice, bob = ALICE.with_rejected(["bob", "carol"]), BOB.with_rejected(["alice", "dora"])
    assert alice.merged(bob).rejected == ("carol", "dora")


def test_vacations_that_meet_become_one() -> None:
    alice = replace(ALICE, vacations=in_order([Absence(NOON, NOON.replace(day=25))]))
    bob = replace(BOB, vacations=in_order([Absence(NOON.replace(day=23), NOON.replace(day=27))]))
    assert alice.merged(bob).vacations == (Absence(NOON, NOON.replace(day=27)),)


# JSON


@relaxed
@given(accounts())
def test_an_account_comes_back_from_json(account: Account) -> None:
    line = format_json(account)
    assert "\n" not in line
    assert parse_json(line) == account


def test_the_json_of_an_account() -> None:
    account = ALICE.with_note("oust 17", "Corners").with_watched(["churn 3"])
    assert json.loads(format_json(account)) == {
        "userid": "alice",
        "password": HASH,
        "addresses": ["alice@example.org"],
        "joined": "2026-11-20T12:00:00Z",
        "notes": [{"kind": "oust", "board": 17, "note": "Corners"}],
        "watched": [{"kind": "churn", "board": 3}],
    }


@tabled("change", "reason")
def test_json_that_is_no_account_is_refused_with_a_reason(change: str, reason: str) -> None:
    with pytest.raises(BadAccount) as caught:
        parse_json(json.dumps(SOUND | json.loads(change)))
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
    account = ALICE.with_rejected(["bob"]).with_settings(mail_of("digest"))
    assert account_lines(account.with_note("oust 17", "Corners\nand edges")) == [
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

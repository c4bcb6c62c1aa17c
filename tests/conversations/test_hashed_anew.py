"""A password that was hashed with little work is hashed anew; letters that are out stay good."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts import tags
from pbm_oust.accounts.account import FORMER_LIFETIME, Account
from pbm_oust.accounts.password import Derivation, Match, Secret, is_weak
from tests.support.accounts import account_of, change_account
from tests.support.home_by_mail import ALICE, BOB, NOON, Talk
from tests.support.passwords import match


def weakly_hashed(account: Account) -> Account:
    """Return Alice's account as it was when hashes took less work."""
    password = Secret("wonderland")
    weak = Derivation(password, bytes(16), 2, 1, 1)
    return account.with_password(weak.stored(password, weak.derive()))


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """A board on which Alice moves, whose password is hashed with little work."""
    talk = Talk.begin(tmp_path, ALICE, BOB)
    change_account(talk.home, "alice", weakly_hashed)
    talk.send(BOB, "oust challenge bob alice lookingglass -size=5")
    talk.send(BOB, "oust move 1 bob lookingglass C3")
    return talk


def stored(talk: Talk) -> str:
    return account_of(talk.home, "alice").password


def test_the_right_password_is_hashed_anew_and_a_wrong_one_is_not(talk: Talk) -> None:
    before = stored(talk)
    assert is_weak(before)
    talk.send(ALICE, "oust showas alice looking all")
    talk.send(ALICE, "oust showas alice Wonderland all")
    assert stored(talk) == before
    talk.send(ALICE, "oust showas alice wonderland all")
    after = stored(talk)
    assert not is_weak(after)
    assert match("wonderland", after) is Match.RIGHT
    assert match("Wonderland", after) is Match.OTHER_CASE
    talk.send(ALICE, "oust showas alice wonderland all")
    assert stored(talk) == after


def test_one_of_two_players_is_hashed_anew_as_well(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland")
    assert talk.outcome == "done: challenge"
    assert not is_weak(stored(talk))


def test_letters_that_are_out_are_proved_for_sixty_days(talk: Talk) -> None:
    before, after = talk.letter_to(ALICE), talk.now + FORMER_LIFETIME + timedelta(days=1)
    talk.send(ALICE, "oust showas alice wonderland all")
    talk.answer(before, "note by letter")
    assert talk.outcome == "done: note"
    talk.now = after
    talk.send(ALICE, "settings alice wonderland language=fr")
    assert talk.outcome == "done: settings"
    assert account_of(talk.home, "alice").former == ""
    talk.answer(before, "B2")
    assert talk.outcome != "done: move"


def test_another_password_ends_at_once_what_the_one_before_proved(talk: Talk) -> None:
    before = talk.letter_to(ALICE)
    talk.send(ALICE, "change password alice wonderland rabbithole-2")
    assert talk.outcome == "done: change password"
    assert account_of(talk.home, "alice").former == ""
    talk.answer(before, "B2")
    assert talk.outcome != "done: move"


def test_a_session_goes_on_when_the_password_is_hashed_anew(talk: Talk) -> None:
    account, key = account_of(talk.home, "alice"), talk.home.key()
    session = tags.SignIn.begin("alice", NOON, "abcdefghijklmnop")
    _, token = tags.parse_session(tags.format_session(session, key, account)) or (None, "")
    talk.send(ALICE, "oust showas alice wonderland all")
    now = account_of(talk.home, "alice")
    proving = tags.proved_by(session, token, key, now, NOON + timedelta(days=1))
    assert proving
    # So a form of a page that was open meanwhile counts.
    forms = (tags.form_token(session, key, each) for each in (account, proving))
    assert len({*forms}) == 1
    assert tags.proved_by(session, token, key, replace(now, former=""), NOON) is None

"""Mails that come again: what was refused stays refused, and an account that went stays away."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.store.home import Home
from pbm_oust.store.upkeep import forget_expired
from tests.support.accounts import change_account
from tests.support.home_by_mail import ALICE, BOB, NOON, copy_of, home_of, mailed

ID = "<again@example.org>"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Return a home with two players and a board on which Alice is to move."""
    challenge = (ALICE, "oust challenge alice bob wonderland -size=5")
    return home_of(tmp_path_factory.mktemp("begun"), ALICE, BOB, mails=[challenge])


@pytest.fixture
def home(begun: Home, tmp_path: Path) -> Home:
    return copy_of(begun, tmp_path / "home")


def take(
    home: Home, sender: str, line: str, message_id: str | None = None, at: datetime = NOON
) -> dict[str, str]:
    """Take a mail, as a server does that has just started; return the letters by whom they are for.

    It has a Message-ID of its own where none is given, and none where that is empty.
    """
    given = [f"Message-ID: {message_id}"] if message_id else []
    headers = None if message_id is None else given
    sent = mailed(Home(home.path), sender, line, at=at, headers=headers)
    return {letter.to: f"{letter.subject}\n{letter.text}" for letter in sent}


def outcomes(home: Home) -> list[str]:
    """Return what became of the mails whose message keys are kept."""
    with home.database.read() as snapshot:
        rows = snapshot.rows("SELECT outcome FROM message_keys ORDER BY message_key")
    return [outcome for (outcome,) in rows]


def is_refused(letters: dict[str, str], reason: str) -> bool:
    (letter,) = letters.values()
    return "not done\n" in letter and reason in " ".join(letter.split())


BEFORE = "This mail came before, and was refused then"
EARLY = "oust move 1 bob lookingglass C3"


# Moves


def test_a_refused_mail_is_noted_once(home: Home) -> None:
    take(home, BOB, EARLY, ID)
    assert outcomes(home) == ["refused"]
    take(home, ALICE, "oust move 1 alice wonderland A1")
    take(home, BOB, EARLY, ID)
    assert outcomes(home) == ["refused"]


def test_a_refused_mail_is_known_for_a_month(home: Home) -> None:
    take(home, BOB, EARLY, ID)
    take(home, ALICE, "oust move 1 alice wonderland A1")
    forget_expired(home, NOON + timedelta(days=30))
    assert is_refused(take(home, BOB, EARLY, ID), BEFORE)
    forget_expired(home, NOON + timedelta(days=31))
    assert set(take(home, BOB, EARLY, ID)) == {ALICE, BOB}


def test_a_mail_without_an_id_is_not_known_as_refused(home: Home) -> None:
    assert is_refused(take(home, BOB, EARLY, ""), "It is not your turn")
    assert outcomes(home) == []
    take(home, ALICE, "oust move 1 alice wonderland A1")
    assert set(take(home, BOB, EARLY, "")) == {ALICE, BOB}


@pytest.mark.parametrize("password", ["lookinglass", "Lookingglass"])
def test_a_mail_with_a_wrong_password_is_not_known_as_refused(password: str, home: Home) -> None:
    line = f"oust move 1 bob {password} C3"
    take(home, ALICE, "oust move 1 alice wonderland A1")
    assert is_refused(take(home, BOB, line, ID), "There is no account bob with this password")
    assert outcomes(home) == []
    change_password(home, "bob", password)
    assert set(take(home, BOB, line, ID)) == {ALICE, BOB}


# Signups


def change_password(home: Home, userid: str, password: str) -> None:
    stored = hash_password(Secret(password))
    change_account(home, userid, lambda account: replace(account, password=stored))

"""Mails that come again: what was refused stays refused, and an account that went stays away."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pbm_oust.accounts.password import Match, Secret, hash_password
from pbm_oust.board.game import Game
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game
from pbm_oust.store.upkeep import forget_expired
from tests.support.accounts import account_of, change_account, codes, remove_account
from tests.support.histories import board_numbers
from tests.support.home_by_mail import ALICE, BOB, CAROL, NOON, copy_of, home_of, mailed
from tests.support.passwords import match

DESK = "work@example.com"
ID = "<again@example.org>"
SIGNUP = "signup carol rabbithole carol@example.com"


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


def game(home: Home, board: int = 1) -> Game:
    return read_game(home, KINDS["oust"], board)


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


def test_a_mail_that_was_refused_is_refused_again_when_it_would_be_legal(home: Home) -> None:
    assert is_refused(take(home, BOB, EARLY, ID), "It is not your turn")
    take(home, ALICE, "oust move 1 alice wonderland A1")
    for _ in range(2):
        assert is_refused(take(home, BOB, EARLY, ID), BEFORE)
    assert len(game(home).records) == 1


@pytest.mark.parametrize(
    ("line", "reason", "meanwhile"),
    [
        ("oust move 1 bob lookingglass C3#2", "The next record", "oust move 1 alice wonderland A1"),
        ("oust move 1 bob lookingglass swap", "not your turn", "oust move 1 alice wonderland A1"),
        ("oust move 1 bob lookingglass A1", "not your turn", "oust move 1 alice wonderland C3"),
        (
            "oust move 2 bob lookingglass C3",
            "no board",
            "oust challenge bob alice lookingglass -size=5",
        ),
    ],
)
def test_a_refused_mail_stays_refused_whatever_becomes_of_the_board(
    line: str, reason: str, meanwhile: str, home: Home
) -> None:
    assert is_refused(take(home, BOB, line, ID), reason)
    take(home, ALICE, meanwhile)
    board = max(board_numbers(home))
    before = game(home, board)
    assert is_refused(take(home, BOB, line, ID), BEFORE)
    assert game(home, board) == before
    take(home, BOB, line)
    assert len(game(home, board).records) == len(before.records) + 1


def test_a_challenge_that_was_refused_does_not_start_a_board_later(home: Home) -> None:
    line = "oust challenge alice bob wonderland -size=5"
    take(home, BOB, "limit bob lookingglass 1")
    assert is_refused(take(home, ALICE, line, ID), "at most 1")
    take(home, BOB, "limit bob lookingglass 0")
    assert is_refused(take(home, ALICE, line, ID), BEFORE)
    assert board_numbers(home) == [1]
    take(home, ALICE, line)
    assert board_numbers(home) == [1, 2]


def test_a_refused_mail_is_noted_once(home: Home) -> None:
    take(home, BOB, EARLY, ID)
    assert outcomes(home) == ["refused"]
    take(home, ALICE, "oust move 1 alice wonderland A1")
    take(home, BOB, EARLY, ID)
    assert outcomes(home) == ["refused"]


def test_a_new_mail_with_the_same_words_is_carried_out(home: Home) -> None:
    take(home, BOB, EARLY, ID)
    take(home, ALICE, "oust move 1 alice wonderland A1")
    assert set(take(home, BOB, EARLY)) == {ALICE, BOB}
    assert len(game(home).records) == 2


def test_a_mail_of_somebody_else_with_the_same_id_is_carried_out(home: Home) -> None:
    take(home, BOB, EARLY, ID)
    take(home, ALICE, "oust move 1 alice wonderland A1", ID)
    assert len(game(home).records) == 1


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


def test_a_mail_that_was_done_is_not_known_as_refused(home: Home) -> None:
    line = "oust move 1 alice wonderland A1"
    take(home, ALICE, line, ID)
    assert outcomes(home) == []
    assert take(home, ALICE, line, ID)[ALICE].startswith("oust 1: already done\n")
    assert len(game(home).records) == 1


# Signups


def change_password(home: Home, userid: str, password: str) -> None:
    stored = hash_password(Secret(password))
    change_account(home, userid, lambda account: replace(account, password=stored))


def sign_up(home: Home, sender: str) -> None:
    """Sign Carol up, and let her answer the mail with the code."""
    take(home, sender, SIGNUP, ID)
    *_, (address, code) = codes(home)
    assert address == CAROL
    assert take(home, CAROL, f"verify {code}")[CAROL].startswith("welcome, carol\n")


def test_a_signup_for_another_address_is_answered_at_both(home: Home) -> None:
    for _ in range(2):
        letters = take(home, DESK, SIGNUP, ID)
        assert letters[CAROL].startswith("please confirm ")
        assert letters[DESK].startswith("answer the mail with the code\n")


def test_a_signup_that_was_done_is_answered_where_it_came_from_too(home: Home) -> None:
    sign_up(home, DESK)
    assert set(take(home, DESK, SIGNUP, ID)) == {CAROL, DESK}
    assert set(take(home, DESK, SIGNUP)) == {CAROL, DESK}


def test_after_a_change_of_the_password_a_signup_is_answered_at_the_accounts_addresses_only(
    home: Home,
) -> None:
    sign_up(home, DESK)
    change_password(home, "carol", "looking-glass")
    (letter,) = take(home, DESK, SIGNUP, ID).items()
    assert letter[0] == CAROL
    assert letter[1].startswith("welcome, carol\n")
    account = account_of(home, "carol")
    assert match("looking-glass", account.password) is Match.RIGHT
    assert account.addresses == (CAROL,)


def test_after_a_change_of_the_password_a_new_mail_with_the_old_one_changes_nothing(
    home: Home,
) -> None:
    sign_up(home, DESK)
    change_password(home, "carol", "looking-glass")
    before = account_of(home, "carol")
    assert set(take(home, DESK, SIGNUP)) == {CAROL, DESK}
    *_, (_, code) = codes(home)
    assert is_refused(take(home, CAROL, f"verify {code}"), "You have the account carol already")
    assert account_of(home, "carol") == before


def test_the_mail_of_an_account_that_was_removed_does_not_bring_it_back(home: Home) -> None:
    sign_up(home, CAROL)
    remove_account(home, "carol")
    for _ in range(2):
        assert is_refused(take(home, CAROL, SIGNUP, ID), "It has been removed since")
        assert not home.account("carol")


def test_a_new_mail_makes_an_account_again_that_was_removed(home: Home) -> None:
    sign_up(home, CAROL)
    remove_account(home, "carol")
    take(home, CAROL, SIGNUP)
    *_, (_, code) = codes(home)
    assert take(home, CAROL, f"verify {code}")[CAROL].startswith("welcome, carol\n")
    assert home.account("carol")

"""What a stranger is told is the same whether there is an account or not."""

from pathlib import Path

import pytest

from pbm_oust.store.database import Row, Transaction, Value
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.accounts import make_account
from tests.support.histories import board_numbers
from tests.support.home_by_mail import BOB, copy_of, mailed

tabled = tables.tabled(__file__)

LONG = "marksteere"
MARK, MALLORY = "mark@example.org", "mallory@example.com"


@pytest.fixture
def other(home: Home, tmp_path: Path) -> Home:
    """Return a second home with the same key, in which there is an account more."""
    make_account(home, "bob", "lookingglass", BOB)
    other = copy_of(home, tmp_path / "other")
    make_account(other, LONG, "wonderland", MARK)
    return other


def told(home: Home, line: str, sender: str = MALLORY) -> list[bytes]:
    """Send a mail, and return the letters to its sender."""
    sent = mailed(home, sender, line, number=1)
    return [letter.data for letter in sent if letter.to == sender]


@tabled("line")
def test_a_stranger_is_told_the_same_whether_there_is_an_account_or_not(
    line: str, home: Home, other: Home
) -> None:
    letters = told(home, line)
    assert letters
    assert told(other, line) == letters


def test_a_player_is_shown_the_userids_of_others(other: Home) -> None:
    (letter,) = told(other, f"oust challenge bob {LONG} -size=1", BOB)
    assert f"oust challenge bob {LONG}".encode() in letter


def test_everybody_is_shown_the_userids_on_boards(other: Home) -> None:
    told(other, f"oust challenge {LONG} bob lookingglass -size=5", BOB)
    assert board_numbers(other) == [1]
    (letter,) = told(other, f"oust move 1 {LONG} rabbithole C3")
    assert f"There is no account {LONG} with this password".encode() in letter


def test_no_password_in_the_place_of_a_userid_is_shown(home: Home) -> None:
    (letter,) = told(home, "oust move 1 rabbithole alice C3")
    assert b"rabbithole" not in letter


def test_a_refused_line_is_as_much_work_whether_there_is_an_account_or_not(
    home: Home, other: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, rows = [], Transaction.rows
    for each in (home, other):
        asked = list[str]()

        def noted(transaction: Transaction, statement: str, *values: Value) -> list[Row]:
            asked.append(statement)  # noqa: B023 - it is called within this round
            return rows(transaction, statement, *values)

        monkeypatch.setattr(Transaction, "rows", noted)
        told(each, f"oust shwo {LONG}")
        counted.append(asked)
    assert counted[0] == counted[1] != []

"""Several commands in one mail, each of them a line of its text."""

import pytest

from pbm_oust.commands.multiple import MOST_LINES
from pbm_oust.store.home import Home
from tests.support.accounts import codes, count_waiting, make_account
from tests.support.histories import board_numbers
from tests.support.home_by_mail import ALICE, mailed
from tests.support.outbox import letters


def send(home: Home, *lines: str, number: int = 1) -> str:
    """Send the lines as one mail, and return the Subject of the latest letter."""
    mailed(home, ALICE, "multiple", "".join(f"{line}\r\n" for line in lines), number=number)
    return letters(home)[-1].subject


def test_as_many_lines_as_allowed_are_carried_out(home: Home) -> None:
    assert send(home, *["help"] * MOST_LINES) == f"{MOST_LINES} of {MOST_LINES} done"
    assert send(home, *["help"] * (MOST_LINES + 1)) == "not understood"


def test_one_mail_answers_all_lines(home: Home) -> None:
    send(home, "list", "help", "oust games")
    assert len(letters(home)) == 1


def test_lines_behind_one_that_is_refused_are_not_attempted(home: Home) -> None:
    assert send(home, "signup alice wonderland", "nonsense", "signup bob lookingglass") == (
        "1 of 3 done"
    )
    assert count_waiting(home) == 1


def test_a_mail_that_comes_twice_does_nothing_twice(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", ALICE)
    challenges = ["oust challenge alice bob -size=5"] * 2
    send(home, *challenges, number=2)
    send(home, *challenges, number=2)
    assert board_numbers(home) == [1, 2]


def test_a_line_whose_answer_goes_elsewhere_is_done_all_the_same(home: Home) -> None:
    line = "signup alice wonderland bob@example.net"
    for _ in range(2):
        assert send(home, line) == "1 of 1 done"
    assert [address for address, _ in codes(home)] == ["bob@example.net"] * 2


@pytest.mark.parametrize("inner", ["multiple", "MULTIPLE", "mult"])
def test_the_lines_hold_no_further_lines(inner: str, home: Home) -> None:
    assert send(home, "signup alice wonderland", inner) == "not understood"
    assert count_waiting(home) == 0


def test_a_code_comes_in_a_mail_of_its_own_that_can_be_answered(home: Home) -> None:
    assert send(home, "signup alice wonderland", "help") == "2 of 2 done"
    ((address, code),) = codes(home)
    assert address == ALICE
    assert [letter["Reply-To"] for letter in letters(home)] == [
        f"pbmserv+verify.{code}@example.com",
        None,
    ]
    assert code not in letters(home)[-1].as_text

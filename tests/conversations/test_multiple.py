"""Several commands in one mail, each of them a line of its text."""

import re

from pbm_oust.service.several import MOST_LINES
from pbm_oust.store.home import Home
from tests.letters.test_attached_records import ended
from tests.support.accounts import make_account
from tests.support.games import history_of
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, mailed
from tests.support.outbox import letters
from tests.support.steps import work_of


def send(home: Home, *lines: str, number: int = 1) -> str:
    """Send the lines as one mail, and return the Subject of the latest letter."""
    mailed(home, ALICE, "multiple", "".join(f"{line}\r\n" for line in lines), number=number)
    return letters(home)[-1].subject


def test_as_many_lines_as_allowed_are_carried_out(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    assert send(home, *["help"] * MOST_LINES) == f"{MOST_LINES} of {MOST_LINES} done"
    assert send(home, *["help"] * (MOST_LINES + 1)) == "not understood"


def test_a_password_is_tried_once_for_all_commands_of_a_mail(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    lines = ["settings alice wonderland"] * MOST_LINES
    assert work_of(lambda: send(home, *lines)).scrypts == 1


def test_records_for_which_there_is_no_room_beside_other_answers_can_be_asked_for(
    home: Home,
) -> None:
    game = ended(700)
    lay_histories(home, {1: history_of(game).decode()}, "churn")
    mailed(home, ALICE, "multiple", "churn show 1\r\n" * 9)
    letter = letters(home)[-1]
    assert len(letter.data) < 90 * 1024
    assert letter.text.count(f"The game has {len(game.records)} records") == 9
    assert letter.words.count("To get them, send: churn show 1") == 9
    mailed(home, ALICE, "multiple", "churn show 1\r\nhelp\r\n")
    assert "The whole game:" in letters(home)[-1].text


def test_lines_for_which_there_is_no_room_are_counted(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    send(home, *["help settings challenge seek"] * MOST_LINES)
    letter = letters(home)[-1]
    assert len(letter.data) < 90 * 1024
    assert re.search(r"\d+ more lines are left out here", letter.words)

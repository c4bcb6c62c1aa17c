"""A From alone speaks for nobody: forged mails start no board and write to nobody else."""

from collections import Counter
from datetime import timedelta

import pytest

from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.accounts import all_codes, make_account
from tests.support.histories import board_numbers
from tests.support.home_by_mail import ALICE, BOB, NOON, mailed
from tests.support.outbox import letters

tabled = tables.tabled(__file__)

OTHER = "alice@elsewhere.example"
FORGED = 60
WAITING = 3
WORDS = "I give up, you win."


@pytest.fixture(autouse=True)
def _begun(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE, OTHER)
    make_account(home, "bob", "lookingglass", BOB)
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")


def forged(home: Home, line: str) -> Counter[str]:
    """Send a line as Alice, again and again; return how many letters go to each address."""
    before = len(letters(home))
    for number in range(FORGED):
        mailed(home, ALICE, line.format(number), WORDS)
    return Counter(letter.to for letter in letters(home)[before:])


@tabled("line")
def test_forged_challenges_start_nothing_and_ask_only_their_player(line: str, home: Home) -> None:
    told = forged(home, line)
    assert board_numbers(home) == [1]
    assert told == {ALICE: WAITING + 1, OTHER: WAITING}
    assert len(home.ask(all_codes)) == WAITING
    assert not any(f"alice writes:\n\n  {WORDS}" in letter.text for letter in letters(home))


def test_forged_challenges_of_several_commands_ask_only_their_player(home: Home) -> None:
    lines = "\n".join(["oust challenge alice bob", "churn challenge bob alice"] * 5)
    told = mailed(home, ALICE, "multiple", lines)
    assert {letter.to for letter in told} == {ALICE, OTHER}
    assert board_numbers(home) == [1]
    assert board_numbers(home, "churn") == []
    assert len(home.ask(all_codes)) == WAITING


@pytest.mark.slow
def test_guessed_passwords_start_nothing_and_end_in_a_limit(home: Home) -> None:
    counts = forged(home, "oust challenge alice bob guessed-{}")
    # Five answers, and a letter that no more will come; both players are warned once, at all their
    # addresses.
    assert counts == {ALICE: 5 + 1 + 1, OTHER: 1, BOB: 1}
    assert board_numbers(home) == [1]
    home.write_tally(NOON)
    mailed(home, ALICE, "oust challenge alice bob wonderland")
    assert board_numbers(home) == [1]
    mailed(home, ALICE, "oust challenge alice bob wonderland", at=NOON + timedelta(hours=1))
    assert board_numbers(home) == [1, 2]

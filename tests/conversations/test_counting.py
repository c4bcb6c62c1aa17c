"""While games are being counted for ratings, letters say so, and nobody waits for the counting."""

from pathlib import Path

import pytest

from pbm_oust.rules import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.ratings import count_marked, mark
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed

OUST = KINDS["oust"]
COUNTING = "Games are being counted at present, so these ratings may change."
LATER = (
    "Games are being counted for ratings. To see in a few minutes what this one\n"
    "did to them, send:  oust ratings alice bob"
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home in which four games are over and are to be counted anew."""
    challenge = (ALICE, "oust challenge alice bob wonderland -size=5")
    move = "oust move {} {} {} {}"
    mails = [
        mail
        for board in (1, 2, 3, 4)
        for mail in (
            challenge,
            (ALICE, move.format(board, "alice", "wonderland", "C3")),
            (BOB, move.format(board, "bob", "lookingglass", "A1")),
            (ALICE, move.format(board, "alice", "wonderland", "resign")),
        )
    ]
    made = home_of(tmp_path / "home", ALICE, BOB, mails=[*mails, challenge])
    made.database.write(lambda transaction: mark(transaction, OUST))
    return made


@pytest.mark.parametrize("line", ["oust standings", "oust ratings alice"])
def test_lists_of_ratings_say_that_they_may_change(line: str, home: Home) -> None:
    (letter,) = mailed(home, ALICE, line)
    assert COUNTING in letter.text.replace("\n", " ")
    count_marked(home.database)
    (letter,) = mailed(home, ALICE, line)
    assert COUNTING not in letter.text.replace("\n", " ")


def test_a_final_letter_says_how_to_learn_what_the_game_did(home: Home) -> None:
    letters = mailed(home, ALICE, "oust move 5 alice wonderland resign")
    assert len(letters) == 2
    for letter in letters:
        assert LATER in letter.text
        assert "Ratings:" not in letter.text
    count_marked(home.database)
    (letter,) = mailed(home, ALICE, "oust ratings alice bob")
    assert "oust 5 lost against bob" in letter.text

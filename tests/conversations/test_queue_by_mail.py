"""What was settled ahead, by mail: machines that stop, mails that come again, and passes."""

from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.histories import history_text, lay_histories, moves_of
from tests.support.home_by_mail import ALICE, BOB, copy_of, home_of, mailed

MOVE = "oust move 1 alice wonderland A1"
QUEUE = "oust queue 1 bob lookingglass if A1 then C3"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Return a home with a board on which alice is to move."""
    challenge = (ALICE, "oust challenge alice bob wonderland -size=3 -noswap")
    return home_of(tmp_path_factory.mktemp("begun"), ALICE, BOB, mails=[challenge])


@pytest.fixture
def home(begun: Home, tmp_path: Path) -> Home:
    return copy_of(begun, tmp_path / "home")


def send(home: Home, sender: str, line: str, number: int = 0) -> dict[str, str]:
    """Send a mail and return the letters it leads to, by whom they are for, in one line each."""
    sent = mailed(home, sender, line, number=number)
    return {letter.to: f"{letter.subject} {letter.words}" for letter in sent}


def test_a_handed_over_side_does_not_take_what_was_queued_with_it(home: Home) -> None:
    make_account(home, "carol", "rabbithole", "carol@example.org")
    send(home, BOB, QUEUE)
    at, key = "2026-11-20T12:00:00Z", "0123456789abcdef"
    adopted = f"   1 * {'adopt o carol':25} {at} {key}\n"
    lay_histories(home, {1: history_text(home) + adopted})
    send(home, ALICE, MOVE)
    assert moves_of(home) == ["* adopt o carol", "x A1"]


MUST_PASS = ["A2", "C3", "B1", "A3", "A1,B3", "C2,A3"]


@pytest.mark.parametrize("setting", ["on", "off"])
def test_the_server_passes_for_who_has_settled_that_it_should(setting: str, home: Home) -> None:
    send(home, BOB, f"settings bob lookingglass autopass {setting}")
    for nth, words in enumerate(MUST_PASS):
        if nth % 2:
            send(home, BOB, f"oust move 1 bob lookingglass {words}")
        else:
            send(home, ALICE, f"oust move 1 alice wonderland {words}")
    letters = send(home, ALICE, "oust move 1 alice wonderland B3")
    if setting == "off":
        assert moves_of(home)[-1] == "x B3"
        assert "you must pass" in letters[BOB]
        return
    assert moves_of(home)[-2:] == ["x B3", "o pass"]
    assert "bob had no placement, so the server passed for bob." in letters[ALICE]
    assert "You had no placement, so the server passed for you." in letters[BOB]
    assert letters[ALICE].startswith("oust 1 #9: your turn, alice")

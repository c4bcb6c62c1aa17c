"""What players have queued, as it is kept."""

from pathlib import Path

from tests.support.accounts import account_of
from tests.support.home_by_mail import ALICE, BOB, Talk


def test_nothing_queued_is_kept_for_a_board_that_is_over(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    talk.send(BOB, "oust queue 1 bob lookingglass if A1 then E5")
    assert account_of(talk.home, "bob").queue
    talk.send(ALICE, "oust resign 1 alice wonderland")
    assert not account_of(talk.home, "bob").queue

"""What somebody who watches a board reads of an offer that is not made to him."""

from pathlib import Path

from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk


def test_only_the_other_player_is_told_how_to_answer_an_offer(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB, CAROL)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    talk.send(CAROL, "oust watch 1 carol rabbithole")
    talk.send(ALICE, "oust move 1 alice wonderland propose")
    watched = talk.letter_to(CAROL).words
    assert "alice proposes a draw, and bob has not answered yet." in watched
    assert "accept" not in watched
    assert "oust move 1 bob PASSWORD accept" in talk.letter_to(BOB).words

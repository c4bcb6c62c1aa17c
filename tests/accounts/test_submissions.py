"""Moves that were submitted, as accounts keep them."""

from pbm_oust.accounts.items import Submission, submitted_on
from pbm_oust.board.record import Deed, Place
from tests.support.games import new_game


def test_what_was_submitted_belongs_to_its_board() -> None:
    mine = Submission.of("oust", 17, 1, Place(("D4",)))
    others = [Submission.of("churn", 17, 1, Deed.PASS), Submission.of("oust", 18, 1, Deed.PASS)]
    game = new_game("square 5x5")
    assert submitted_on([*others, mine], game) == mine
    assert submitted_on(others, game) is None

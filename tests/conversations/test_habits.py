"""Lines of people who know other servers, or none, and what becomes of them."""

from tests.support import tables
from tests.support.accounts import account_of
from tests.support.home_by_mail import ALICE, BOB, Talk

tabled = tables.tabled(__file__)


@tabled("line", "outcome")
def test_a_line_in_another_order_is_understood(line: str, outcome: str, talk: Talk) -> None:
    talk.send(ALICE, line)
    assert talk.outcome.startswith(outcome)


@tabled("line", "grid")
def test_a_grid_may_be_written_as_lists_show_it(line: str, grid: str, talk: Talk) -> None:
    talk.send(ALICE, line.replace(" unrated", " -unrated"))
    assert not talk.outcome.startswith("refused"), talk.text_to(ALICE)
    talk.send(ALICE, "list")
    assert grid in talk.text_to(ALICE) or grid in talk.outcome


@tabled("line", "right")
def test_what_cannot_be_done_as_it_is_written_is_answered_with_the_line(
    line: str, right: str, talk: Talk
) -> None:
    talk.send(ALICE, line)
    assert talk.outcome.startswith("refused")
    assert right in talk.text_to(ALICE)


def test_an_address_that_is_guessed_ends_no_letters(talk: Talk) -> None:
    talk.send(ALICE, "broadcast alice wonderland", "Hello all")
    ending = talk.letter_to(BOB)["List-Unsubscribe"] or ""
    wrong = ending.removeprefix("<mailto:").partition("?")[0].replace("bob", "carol")
    robotic = ["Auto-Submitted: auto-generated"]
    assert talk.send("robot@mail.example", "unsubscribe", to=wrong, headers=robotic) == []
    assert account_of(talk.home, "carol").settings == ()

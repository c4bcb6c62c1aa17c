"""Lines of people who know other servers, or none, and what becomes of them."""

import re

from pbm_oust.accounts.document import account_lines
from tests.support import tables
from tests.support.accounts import account_of
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, CAROL, Talk
from tests.support.outbox import Letter

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


# Letters that one may end by an address in their head, as mail programs do


ROBOTIC = ("Auto-Submitted: auto-generated", "Precedence: bulk")


def way_out(letter: Letter) -> str:
    """Return the address that ends letters like this one."""
    match = re.fullmatch(r"<mailto:(\S+)\?subject=unsubscribe>", str(letter["List-Unsubscribe"]))
    assert match
    assert letter["List-Unsubscribe-Post"] is None
    return match[1]


def leave(talk: Talk, letter: Letter, sender: str = "robot@mail.example") -> list[str]:
    """Send what a mail program sends to end letters, and return what comes of it."""
    return talk.send(sender, "unsubscribe", to=way_out(letter), headers=ROBOTIC)


def lines(talk: Talk, userid: str) -> list[str]:
    return [each for each in account_lines(account_of(talk.home, userid)) if ":" in each]


def test_what_goes_to_everybody_ends_for_whose_letter_it_was(talk: Talk) -> None:
    talk.send(ALICE, "broadcast alice wonderland", "Hello all")
    assert leave(talk, talk.letter_to(BOB)) == [f"{BOB}: your settings, bob"]
    assert "Setting: broadcasts off" in lines(talk, "bob")
    talk.send(ALICE, "broadcast alice wonderland", "Hello again")
    assert [letter.to for letter in talk.letters] == [ALICE, CAROL]


def test_a_board_is_watched_no_longer(talk: Talk) -> None:
    talk.send(CAROL, "oust watch 1 carol rabbithole")
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    leave(talk, talk.letter_to(CAROL))
    assert talk.outcome == "done: unwatch"
    talk.send(BOB, "oust move 1 bob lookingglass A1")
    assert [letter.to for letter in talk.letters] == [BOB, ALICE]


def test_no_daily_mail_comes_any_more_and_none_for_each_turn(talk: Talk) -> None:
    talk.send(BOB, "settings bob lookingglass mail digest")
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    talk.now = talk.now.replace(day=21, hour=7)
    talk.sweep()
    leave(talk, talk.letter_to(BOB))
    assert "Setting: mail off" in lines(talk, "bob")
    talk.send(BOB, "oust move 1 bob lookingglass A1")
    assert [letter.to for letter in talk.letters] == [BOB, ALICE]
    talk.send(ALICE, "oust move 1 alice wonderland E5")
    assert [letter.to for letter in talk.letters] == [ALICE]


def test_an_address_that_is_guessed_ends_nothing(talk: Talk) -> None:
    talk.send(ALICE, "broadcast alice wonderland", "Hello all")
    right = way_out(talk.letter_to(BOB))
    wrong = right.replace("bob", "carol")
    assert talk.send("robot@mail.example", "unsubscribe", to=wrong, headers=ROBOTIC) == []
    assert "Setting: broadcasts off" not in lines(talk, "carol")


def test_only_letters_that_one_may_end_say_how(talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    assert talk.letter_to(BOB)["List-Unsubscribe"] is None
    assert ADDRESS in str(talk.letter_to(BOB)["From"])

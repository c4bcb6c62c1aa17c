"""What is done for a letter about a board, counted: so much and no more, on every machine."""

from collections import Counter

import pytest

from pbm_oust.accounts.account import Account
from pbm_oust.grammar.wish import example
from pbm_oust.letters.letters import Letters
from pbm_oust.play.notices import BoardNotice, News, Reader
from pbm_oust.play.request import Request
from pbm_oust.rules.position import choices
from tests.support.games import new_game, play
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON
from tests.support.steps import calls_of

GAME = play(new_game("square 11x11"), "x C3", "o D5", "x E2", "o D3")
ACCOUNT = Account(GAME.player_to_move, "any", (ALICE,), NOON)
REQUEST = Request("", "", BOB, "any")
LETTERS = Letters(ADDRESS, lambda: NOON, lambda: b"secret")
READER = Reader((ALICE,), GAME.player_to_move, account=ACCOUNT)
NOTICE = BoardNotice(READER, News.PLAYED, GAME)


@pytest.fixture(scope="module")
def work() -> Counter[tuple[str, str]]:
    """Return the calls that write a letter in which every free point is linked."""
    (draft,) = LETTERS.write(NOTICE, REQUEST)
    assert draft.content.count(b"?subject=") == GAME.position.placements().bit_count() > 100
    LETTERS.write(NOTICE, REQUEST)
    return calls_of(lambda: LETTERS.write(NOTICE, REQUEST))


def test_a_letter_is_written_without_the_email_package(work: Counter[tuple[str, str]]) -> None:
    of_package = {file for file, _ in work if file.startswith("email/")}
    assert of_package <= {"email/utils.py"}, "only dates are written by it"


def test_a_letter_fills_in_one_template_and_begins_no_other(
    work: Counter[tuple[str, str]],
) -> None:
    assert {file for file, name in work if name == "root"} == {"mail/board.txt"}
    assert not any(name in ("make_module", "compile") for _, name in work)


def test_where_stones_may_go_is_found_once_for_all_letters() -> None:
    choices.cache_clear()
    example.cache_clear()
    work = calls_of(lambda: [LETTERS.write(NOTICE, REQUEST) for _ in range(2)])
    assert work["rules/oust.py", "placements"] == 1
    assert work["rules/oust.py", "capturing"] == 1


def test_a_letter_makes_each_token_once(work: Counter[tuple[str, str]]) -> None:
    assert work["accounts/asks.py", "token_for"] == 2, "one for Reply-To and links, one for its id"


def test_the_work_for_a_link_is_none(work: Counter[tuple[str, str]]) -> None:
    assert work["urllib/parse.py", "quote"] <= 3
    ours = {each: number for each, number in work.items() if not each[0].startswith("jinja2/")}
    assert max(ours.values()) < GAME.position.placements().bit_count() / 2

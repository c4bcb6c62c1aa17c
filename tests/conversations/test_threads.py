"""All mail about a board is one thread, by the rules of Thunderbird and of Gmail."""

import pytest

from tests.support.home_by_mail import ALICE, BOB
from tests.support.threads import Rule, Threads, by_gmail, by_jwz, by_thunderbird
from tests.support.whole_game import Correspondence, game_and_another_board

PLAYERS = [ALICE, BOB]


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Correspondence:
    """Return a game whose Subjects say what happened, and another board that has just begun."""
    return game_and_another_board(tmp_path_factory.mktemp("news"))


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Correspondence:
    """Return the same with one Subject for all mail about a board."""
    return game_and_another_board(tmp_path_factory.mktemp("board"), "board")


def sizes(threads: Threads) -> list[int]:
    return [len(thread) for thread in threads]


@pytest.mark.parametrize("rule", [by_jwz, by_thunderbird])
@pytest.mark.parametrize("player", PLAYERS)
def test_programs_that_go_by_references_show_a_board_as_one_thread(
    player: str, rule: Rule, news: Correspondence
) -> None:
    box = news.boxes[player]
    assert len(box) > 15
    assert sizes(rule(box)) == [len(box) - 1, 1]


@pytest.mark.parametrize("rule", [by_jwz, by_thunderbird])
@pytest.mark.parametrize("player", PLAYERS)
def test_one_subject_for_a_board_changes_nothing_for_these(
    player: str, rule: Rule, board: Correspondence
) -> None:
    box = board.boxes[player]
    assert sizes(rule(box)) == [len(box) - 1, 1]


@pytest.mark.parametrize("player", PLAYERS)
def test_gmail_shows_a_board_as_one_conversation_where_its_subject_stays(
    player: str, board: Correspondence
) -> None:
    box = board.boxes[player]
    assert sizes(by_gmail(box)) == [len(box) - 1, 1]
    assert {str(letter["Subject"]).removeprefix("Re: ") for letter in box} == {
        "oust 1: alice - bob",
        "oust 2: bob - alice",
    }


@pytest.mark.parametrize("player", PLAYERS)
def test_gmail_shows_each_letter_by_itself_where_subjects_say_what_happened(
    player: str, news: Correspondence
) -> None:
    box = news.boxes[player]
    assert len(by_gmail(box)) > len(box) / 2


def test_what_letters_refer_to_is_no_letter_of_anybody(news: Correspondence) -> None:
    letters = [letter for box in news.boxes.values() for letter in box]
    assert all("<oust.1@example.com>" in each["References"] for each in news.boxes[BOB][:-1])
    assert "<oust.1@example.com>" not in {letter["Message-ID"] for letter in letters}

"""Lists and drawn boards have an end, and say what they leave out."""

import re
from pathlib import Path

import pytest

from pbm_oust.play.notices import MOST_DRAWN, MOST_LISTED
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.histories import lay_histories, short_history
from tests.support.home_by_mail import ALICE, BOB, copy_of, home_of, mailed
from tests.support.outbox import Letter

tabled = tables.tabled(__file__)

MORE = 7
ACTIVE = range(1, MOST_LISTED + MORE + 1)
OVER = range(101, 101 + MOST_LISTED + MORE)


def history(board: int, x: str = "alice", *, is_over: bool = False) -> str:
    """Return a history; the lower its number, the later its moves."""
    at = f"{23 - board // 60:02d}:{59 - board % 60:02d}:00"
    ended = f"2026-11-03T{at}Z" if is_over else ""
    terms = "nagtime=7 forfeittime=21"
    return short_history(board, f"2026-11-02T{at}Z", ended, x=x, terms=terms)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = home_of(tmp_path_factory.mktemp("full"), ALICE, BOB)
    histories = {board: history(board) for board in ACTIVE}
    histories |= {board: history(board, f"x{board}", is_over=True) for board in OVER}
    lay_histories(home, histories)
    return home


@pytest.fixture
def home(full: Home, tmp_path: Path) -> Home:
    return copy_of(full, tmp_path / "home")


def asked(home: Home, line: str, text: str = "", sender: str = ALICE) -> Letter:
    (letter,) = mailed(home, sender, line, text)
    return letter


def rows(letter: Letter) -> int:
    """Return how many lines of a letter name a board of a list."""
    return len(re.findall(r"\boust \d+ +square 5x5 ", letter.text))


def drawn(letter: Letter) -> int:
    """Return how many boards a letter draws."""
    return len(re.findall(r"A B C D E\n *5", letter.text))


@pytest.mark.parametrize("line", ["oust games", "oust games alice", "oust history"])
def test_a_list_ends_and_says_how_many_more_there_are(line: str, home: Home) -> None:
    letter = asked(home, line)
    assert rows(letter) == MOST_LISTED
    assert f"\n{MORE} " in letter.text
    assert f"{MOST_LISTED + MORE} boards" in letter.subject


def test_a_list_leaves_out_the_boards_on_which_nothing_has_happened_for_longest(home: Home) -> None:
    text = asked(home, "oust games").text
    assert "oust 1 " in text
    assert f"oust {ACTIVE[-1]} " not in text


@tabled("line", "following")
def test_a_list_names_the_command_for_its_next_page(line: str, following: str, home: Home) -> None:
    assert f"To see more, send: {following} " in f"{asked(home, line).words} "


@tabled("line", "which")
def test_pages_make_the_whole_list(line: str, which: str, home: Home) -> None:
    boards = {"active": [*ACTIVE], "over": [*OVER], "all": [*ACTIVE, *OVER]}[which]
    listed, lengths, page = list[int](), list[int](), 1
    while len(listed) < len(boards):
        found = re.findall(
            r"\boust (\d+) (?:\(|won|lost| +square)", asked(home, f"{line} -page={page}").text
        )
        assert found, page
        listed += map(int, found)
        lengths.append(len(found))
        page += 1
    assert sorted(listed) == sorted(boards)
    assert lengths[:-1] == [MOST_LISTED] * (len(lengths) - 1)
    beyond = asked(home, f"{line} -page={page}")
    assert f"There is no page {page}: the list has {page - 1} pages." in beyond.words
    assert "To see more" not in beyond.words


def test_standings_go_on_with_the_next_place(home: Home) -> None:
    first, second = (asked(home, f"oust standings -page={page}").text for page in (1, 2))
    assert f"\n  {MOST_LISTED}. " in first
    assert f"\n  {MOST_LISTED + 1}. " in second
    players = re.findall(r"^ +\d+\. +(\S+)", first + second, re.M)
    assert len(players) == len(set(players)) == len(OVER) + 1


@pytest.mark.parametrize("value", ["=0", "=two", "=10000", "", "=-1"])
def test_a_page_is_a_number(value: str, home: Home) -> None:
    letter = asked(home, f"oust games -page{value}")
    assert "Pages are numbers from 1 on." in letter.words


def test_a_page_that_is_cut_off_for_want_of_room_comes_again(home: Home) -> None:
    letter = asked(home, "multiple", "oust history\r\noust games -page=2\r\n")
    assert "To see more, send: oust games -page=2" in letter.words


def test_the_list_of_all_names_the_lists_of_each_game(home: Home) -> None:
    words = asked(home, "list").words
    for name in ("games", "history"):
        assert f"To list those of Oust, send: oust {name} To list those of Churn" in words


def test_a_list_of_all_ends_twice(home: Home) -> None:
    letter = asked(home, "list")
    assert rows(letter) == 2 * MOST_LISTED
    assert letter.text.count(f"\n{MORE} more are not listed") == 2


def test_standings_end(home: Home) -> None:
    letter = asked(home, "oust standings")
    assert sum(" x1" in line for line in letter.text.splitlines()) == MOST_LISTED
    assert f"{MORE + 1} more players are not listed" in letter.words


def test_ratings_of_many_players_explain_only_some_games(home: Home) -> None:
    letter = asked(home, "oust ratings bob alice x101")
    assert letter.text.count("against") == MOST_LISTED
    assert f"{MORE + 1} more games are not explained here" in letter.words


@tabled("line")
def test_one_answer_draws_only_some_boards(line: str, home: Home) -> None:
    letter = asked(home, line)
    assert drawn(letter) == MOST_DRAWN
    assert "more are not drawn here" in letter.words


def test_a_stranger_is_shown_one_board_a_mail(home: Home) -> None:
    for line in ("oust show alice", "oust show 1 2 3", "all show alice bob all"):
        letter = asked(home, line, sender="eve@example.org")
        assert drawn(letter) == 1


def test_several_commands_share_what_one_answer_has_room_for(home: Home) -> None:
    letter = asked(home, "multiple", "oust games\r\noust history\r\noust games bob\r\n")
    assert letter.subject == "3 of 3 done"
    assert rows(letter) == MOST_LISTED
    letter = asked(home, "multiple", "oust show alice\r\noust show 1\r\noust show 2 3\r\n")
    assert letter.subject == "3 of 3 done"
    assert drawn(letter) == MOST_DRAWN - 1
    assert "The board is not drawn here: one mail draws only some." in letter.words


def test_a_player_who_moves_often_in_one_mail_is_told_of_every_move(home: Home) -> None:
    moves = "".join(f"oust move {board} bob lookingglass A1\r\n" for board in range(1, 15))
    mailed(home, BOB, "multiple", moves)
    letter = asked(home, "multiple", "".join(f"oust show {board}\r\n" for board in range(1, 15)))
    assert letter.subject == "14 of 14 done"
    assert drawn(letter) == MOST_DRAWN - 1

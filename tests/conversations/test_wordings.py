"""What people write in answer to a board mail, and what becomes of it."""

from datetime import timedelta

import pytest

from tests.support import tables
from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, BOB, Talk

TABLES = tables.of(__file__)
tabled = tables.tabled(__file__)
PLAYED = [text for (text,) in TABLES["one move among words that change nothing"]]
"""Answers that say one move, among words that change nothing."""

OFFERED = {text: lines for text, *lines in TABLES["lines that are offered"]}
"""Answers of which nothing is done, and the lines that are offered instead."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Talk:
    return Talk.begin(tmp_path_factory.mktemp("home"), ALICE, BOB)


def begin(talk: Talk) -> tuple[int, str]:
    """Start a board, some hours later; return its number, and the address for Alice's answer."""
    talk.now += timedelta(hours=3)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    letter = talk.letter_to(ALICE)
    return int(letter.subject.split()[1]), str(letter["Reply-To"])


def answer(talk: Talk, board: int, to: str, text: str, subject: str = "") -> None:
    talk.send(ALICE, subject or f"Re: oust {board} #1: your turn, alice", text, to=to)


def moves(talk: Talk, board: int) -> list[str]:
    return moves_of(talk.home, board)


@pytest.mark.parametrize("text", PLAYED)
def test_one_move_among_friendly_words_is_played_and_the_words_are_passed_on(
    text: str, played: Talk
) -> None:
    board, to = begin(played)
    answer(played, board, to, text)
    assert moves(played, board) == ["x D4"]
    assert "I read your answer as D4. What else you wrote goes to bob." in played.text_to(ALICE)
    first = text.splitlines()[0].rstrip()
    assert f"alice writes:\n\n  {first}" in played.text_to(BOB)


@pytest.mark.parametrize("text", OFFERED)
def test_where_a_move_is_not_sure_nothing_happens_and_lines_are_offered(
    text: str, played: Talk
) -> None:
    board, to = begin(played)
    answer(played, board, to, text)
    assert moves(played, board) == []
    assert [letter.to for letter in played.letters] == [ALICE]
    offered = "".join(f"  {line}\n" for line in OFFERED[text])
    head = "with one of these lines:" if len(OFFERED[text]) > 1 else "with:"
    assert f"Answer this mail {head}\n\n{offered}\n" in played.text_to(ALICE)
    hint = "Write your password in place of PASSWORD."
    assert (hint in played.text_to(ALICE)) == ("PASSWORD" in offered)


def test_a_subject_and_a_text_with_different_moves_are_refused_with_both(played: Talk) -> None:
    board, to = begin(played)
    answer(played, board, to, "E5", subject="D4")
    assert "Its Subject says one move, and its text another one." in played.text_to(ALICE)
    assert "  D4\n  E5\n" in played.text_to(ALICE)
    assert moves(played, board) == []


@tabled("text")
@pytest.mark.parametrize("move", ["D4", "resign"])
def test_what_may_not_be_the_players_own_is_offered_and_not_played(
    text: str, move: str, played: Talk
) -> None:
    board, to = begin(played)
    answer(played, board, to, text.replace("D4", move))
    assert moves(played, board) == []
    assert f"Answer this mail with:\n\n  {move}\n" in played.text_to(ALICE)


@tabled("text")
def test_a_move_above_or_below_all_quotes_is_played(text: str, played: Talk) -> None:
    board, to = begin(played)
    answer(played, board, to, text)
    assert moves(played, board) == ["x D4"]

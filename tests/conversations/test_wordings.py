"""What people write in answer to a board mail, and what becomes of it."""

from datetime import timedelta

import pytest

from tests.support import tables
from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, BOB, Talk

TABLES = tables.of(__file__)
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


def test_placements_that_follow_each_other_are_offered_as_one_turn(played: Talk) -> None:
    board, _ = begin(played)
    for sender, signed in (
        (ALICE, "alice wonderland B3"),
        (BOB, "bob lookingglass C3"),
        (ALICE, "alice wonderland E1"),
        (BOB, "bob lookingglass A1"),
    ):
        played.send(sender, f"oust move {board} {signed}")
    letter = played.letter_to(ALICE)
    answer(played, board, str(letter["Reply-To"]), "B4 (capture), then E3")
    assert "  B4,E3\n  B4\n  E3\n" in played.text_to(ALICE)
    assert len(moves(played, board)) == 4


def test_a_french_player_is_told_in_french_how_an_answer_was_read(played: Talk) -> None:
    played.send(ALICE, "settings alice wonderland language fr")
    try:
        board, to = begin(played)
        answer(played, board, to, "D4 ou E5")
        assert "  D4\n  E5\n" in played.text_to(ALICE)
        assert "par une de ces lignes" in played.text_to(ALICE)
        answer(played, board, to, "Bonjour Bob, je joue D4, merci.\n")
        assert "J'ai lu votre r\u00e9ponse comme D4." in played.letter_to(ALICE).words
    finally:
        played.send(ALICE, "settings alice wonderland language en")
    assert moves(played, board) == ["x D4"]


def test_a_subject_and_a_text_with_different_moves_are_refused_with_both(played: Talk) -> None:
    board, to = begin(played)
    answer(played, board, to, "E5", subject="D4")
    assert "Its Subject says one move, and its text another one." in played.text_to(ALICE)
    assert "  D4\n  E5\n" in played.text_to(ALICE)
    assert moves(played, board) == []


def test_a_command_below_a_move_is_named_to_its_writer(played: Talk) -> None:
    board, to = begin(played)
    answer(played, board, to, "D4\nThat was quick.\nresign")
    assert moves(played, board) == ["x D4"]
    assert "Below your move stands resign, which was not carried out." in played.text_to(ALICE)
    assert "  That was quick.\n  resign\n" in played.text_to(BOB)
    board, to = begin(played)
    answer(played, board, to, "D4\nThat was quick.")
    assert "Below your move" not in played.text_to(ALICE)


@pytest.mark.parametrize(("text", "is_named"), [("resign", True), ("Hello!", False), ("D4", False)])
def test_a_command_in_the_text_below_a_subject_is_named_too(
    text: str, is_named: bool, played: Talk
) -> None:
    board, _ = begin(played)
    played.send(ALICE, f"oust move {board} alice wonderland D4", text)
    assert moves(played, board) == ["x D4"]
    assert ("Below your move stands resign" in played.text_to(ALICE)) == is_named


QUOTES = {
    "an unmarked line between quoted ones": "> oust 1\nD4\n> It is your turn.\n",
    "right below a quote": "> It is your turn, for example:\nD4\n",
    "a bar without an attribution": "| D4\n",
    "an angle without an attribution": "\u203a D4\n",
    "below a line that says who wrote": "bob wrote:\nD4\n",
    "the letter without any marks": "x: alice 1/1   o: bob 1/1\n\n  D4\n",
    "what a letter sets in": "> bob writes:\n\n  D4\n",
}


@pytest.mark.parametrize("text", QUOTES.values(), ids=list(QUOTES))
@pytest.mark.parametrize("move", ["D4", "resign"])
def test_what_may_not_be_the_players_own_is_offered_and_not_played(
    text: str, move: str, played: Talk
) -> None:
    board, to = begin(played)
    answer(played, board, to, text.replace("D4", move))
    assert moves(played, board) == []
    assert f"Answer this mail with:\n\n  {move}\n" in played.text_to(ALICE)


@pytest.mark.parametrize(
    "text",
    [
        "D4\n\n> resign\nE5\n> pass\n",
        "D4\n| resign\n",
        "> It is your turn.\n> resign\n\nD4\n",
        "On Friday, 20 November 2026, bob wrote:\n\n> resign\n>\n> E5\n\nD4\n",
        "Hello!\n\n> resign\n\nD4\n",
    ],
)
def test_a_move_above_or_below_all_quotes_is_played(text: str, played: Talk) -> None:
    board, to = begin(played)
    answer(played, board, to, text)
    assert moves(played, board) == ["x D4"]


def test_commands_of_a_mail_with_several_are_never_taken_from_a_quote(played: Talk) -> None:
    board, _ = begin(played)
    line = f"oust move {board} alice wonderland D4"
    played.send(ALICE, "multiple alice wonderland", f"oust show {board}\n> x\n{line}\n> y\n")
    assert moves(played, board) == []

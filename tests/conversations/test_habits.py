"""Lines of people who know other servers, or none, and what becomes of them."""

from pathlib import Path

import pytest

from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path, ALICE, BOB, CAROL)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    return talk


def moves(talk: Talk) -> list[str]:
    return moves_of(talk.home)


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("oust help", "answered"),
        ("oust help move", "answered"),
        ("oust list", "answered"),
        ("oust aide", "answered"),
        ("standings oust", "answered"),
        ("games oust alice", "answered"),
        ("show oust 1", "answered"),
        ("chall oust alice carol wonderland", "done: challenge"),
        ("challenge oust alice carol wonderland -size=7", "done: challenge"),
        ("oust propose 1 alice wonderland", "done: move"),
        ("oust move 1 alice wonderland#1 C3", "done: move"),
        ("oust move 1 alice wonderland C3 #1", "done: move"),
        ("oust move 1#1 alice wonderland C3", "done: move"),
        ("oust resign 1 alice wonderland #1", "done: move"),
        ("oust decline 1 alice wonderland#1", "done: move"),
    ],
)
def test_a_line_in_another_order_is_understood(line: str, outcome: str, talk: Talk) -> None:
    talk.send(ALICE, line)
    assert talk.outcome.startswith(outcome)


@pytest.mark.parametrize(
    ("line", "grid"),
    [
        ("oust seek alice wonderland hex 4", "hex 4"),
        ("oust seek alice wonderland hexagonal 4", "hex 4"),
        ("oust seek alice wonderland 7x7 unrated", "square 7x7"),
        ("oust seek alice wonderland square 7x9", "square 7x9"),
        ("oust seek alice wonderland size 5", "square 5x5"),
        ("oust seek alice wonderland -size 5", "square 5x5"),
        ("oust seek alice wonderland 9", "square 9x9"),
        ("churn seek alice wonderland hex 4", "hex 4"),
        ("churn seek alice wonderland 4", "hex 4"),
        ("churn seek alice wonderland 3,3,5", "hex 3,3,5"),
        ("churn seek alice wonderland hexagon 4, 4, 6", "hex 4,4,6"),
        ("oust seek alice wonderland 3,3,5", "hex 3,3,5"),
        ("oust seek alice wonderland -hex 3,3,5,3,3,5", "hex 3,3,5"),
        ("oust challenge alice bob wonderland -size=3,3,5", "hex 3,3,5"),
        ("oust challenge alice bob wonderland 7x7", "square 7x7"),
    ],
)
def test_a_grid_may_be_written_as_lists_show_it(line: str, grid: str, talk: Talk) -> None:
    talk.send(ALICE, line.replace(" unrated", " -unrated"))
    assert not talk.outcome.startswith("refused"), talk.text_to(ALICE)
    talk.send(ALICE, "list")
    assert grid in talk.text_to(ALICE) or grid in talk.outcome


def test_deeds_of_a_turn_are_commands_of_their_own(talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland A1")
    talk.send(BOB, "oust swap 1 bob lookingglass")
    talk.send(ALICE, "oust pass 1 alice wonderland")
    assert talk.outcome == "refused: may_not_pass" or "pass" in talk.outcome
    talk.send(BOB, "oust undo 1 bob lookingglass #4")
    assert "x A1" in moves(talk)
    assert "o swap" in moves(talk)


def test_the_number_of_a_record_is_no_part_of_the_password_and_still_guards(talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland#7 C3")
    assert talk.outcome.startswith("refused: other_record")
    talk.send(ALICE, "oust resign 1 alice wonderland #7")
    assert moves(talk) == []


def test_a_challenge_that_names_one_player_is_by_whoever_writes(talk: Talk) -> None:
    sent = talk.send(CAROL, "oust challenge bob -size=7")
    assert talk.outcome == "done: challenge" or "challenge" in talk.outcome
    assert [each.partition(":")[0] for each in sent] == [CAROL]
    assert "oust challenge carol bob" in talk.text_to(CAROL)
    talk.send("mallory@example.net", "oust challenge bob")
    assert talk.outcome == "refused: missing_word"


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("I forgot my password", "forgot alice"),
        ("Lost password!", "forgot alice"),
        ("J'ai oublié mon mot de passe", "forgot alice"),
        ("stop", "signoff alice PASSWORD"),
        ("Unsubscribe", "signoff alice PASSWORD"),
        ("standings", "  oust standings\n  churn standings\n"),
        ("list bob", "  oust games bob\n  churn games bob\n"),
        ("ratings", "oust ratings"),
        ("oust 1 C3", "oust move 1 alice PASSWORD C3"),
        ("oust 1 alice wonderland C3", "oust move 1 alice PASSWORD C3"),
    ],
)
def test_what_cannot_be_done_as_it_is_written_is_answered_with_the_line(
    line: str, right: str, talk: Talk
) -> None:
    talk.send(ALICE, line)
    assert talk.outcome.startswith("refused")
    assert right in talk.text_to(ALICE)


def test_a_stranger_is_not_told_whose_account_it_is(talk: Talk) -> None:
    talk.send("mallory@example.net", "I forgot my password")
    assert "forgot USERID" in talk.text_to("mallory@example.net")


def test_after_a_new_password_an_answer_gets_the_board_with_an_address_that_counts(
    talk: Talk,
) -> None:
    talk.send(ALICE, "oust show 1")
    talk.send(ALICE, "change password alice wonderland jabberwocky")
    sent = talk.send(ALICE, "Re: oust 1 #1: your turn, alice", "C3")
    assert sent == [f"{ALICE}: oust 1: not understood"]
    letter = talk.letter_to(ALICE)
    assert "If you answer this mail, it counts." in " ".join(letter.text.split())
    talk.send(ALICE, f"Re: {letter.subject}", "C3", to=str(letter["Reply-To"]))
    assert moves(talk) == ["x C3"]


def test_whoever_does_not_play_there_gets_no_board_with_an_address(talk: Talk) -> None:
    for sender in (CAROL, "mallory@example.net"):
        talk.send(sender, "Re: oust 1 #1: your turn, alice", "C3")
        assert talk.letter_to(sender)["Reply-To"] is None
        assert "oust 1.1" not in str(talk.letter_to(sender)["Message-ID"])

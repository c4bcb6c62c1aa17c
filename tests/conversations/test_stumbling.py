"""What once misled players: each test is named after what they saw."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.accounts import account_of
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path, ALICE, BOB, CAROL)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    return talk


def answer(talk: Talk, sender: str, text: str) -> list[str]:
    """Answer the letter that somebody has got last."""
    letter = talk.letter_to(sender)
    headers = f"Re: {letter['Subject']}\r\nIn-Reply-To: {letter['Message-ID']}"
    return talk.send(sender, headers, text, to=str(letter["Reply-To"]))


def test_the_challenged_player_reads_first_who_challenges_and_how_to_decline(talk: Talk) -> None:
    assert talk.letter_to(BOB).subject == "alice challenges you: oust 1"
    text = talk.text_to(BOB)
    assert text.startswith("alice challenges you to a game of Oust on the grid square 5x5.")
    assert text.index("answer this mail with:  decline") < text.index("x: alice 0/0")
    assert answer(talk, BOB, "decline") == [
        f"{BOB}: oust 1: over, never begun",
        f"{ALICE}: oust 1: over, never begun",
    ]


def test_a_challenge_that_is_answered_with_decline_in_french_is_declined(talk: Talk) -> None:
    assert answer(talk, BOB, "décline")[0] == f"{BOB}: oust 1: over, never begun"


def test_what_the_other_player_wrote_stands_at_the_top_of_the_last_letter_too(talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland A1", "Good luck, Bob.")
    assert talk.text_to(BOB).startswith("alice writes:\n\n  Good luck, Bob.\n\nalice played A1.")
    talk.send(ALICE, "oust resign 1 alice wonderland", "I have to go.")
    assert talk.text_to(BOB).startswith("alice writes:\n\n  I have to go.\n\nalice resigned.")


def test_who_wants_no_copies_of_their_own_moves_gets_none(talk: Talk) -> None:
    talk.send(ALICE, "settings alice wonderland mine off")
    assert talk.send(ALICE, "oust move 1 alice wonderland A1") == [
        f"{BOB}: oust 1 #2: your turn, bob"
    ]
    assert (
        talk.send(BOB, "oust move 1 bob lookingglass E5")[0] == f"{BOB}: oust 1 #3: alice to move"
    )
    assert talk.send(ALICE, "oust move 1 alice wonderland E5")[0] == (
        f"{ALICE}: oust 1: not legal, nothing was played"
    )
    assert (
        talk.send(ALICE, "oust resign 1 alice wonderland")[0] == f"{ALICE}: oust 1: over, bob wins"
    )


def test_who_wants_no_copies_is_told_when_the_turn_goes_on(talk: Talk) -> None:
    talk.send(ALICE, "settings alice wonderland mine off")
    for sender, line in (
        (ALICE, "alice wonderland A1"),
        (BOB, "bob lookingglass B2"),
        (ALICE, "alice wonderland C3"),
        (BOB, "bob lookingglass E5"),
    ):
        talk.send(sender, f"oust move 1 {line}")
    sent = talk.send(ALICE, "oust move 1 alice wonderland A2")
    assert sent[0] == f"{ALICE}: oust 1 #6: your turn, alice"
    assert "You played A2 (taking 1 stone: B2)." in talk.text_to(ALICE)


def test_digests_pause_during_a_vacation(talk: Talk) -> None:
    talk.send(BOB, "settings bob lookingglass mail digest")
    talk.send(ALICE, "oust move 1 alice wonderland A1")
    talk.now += timedelta(days=1)
    talk.sweep()
    assert [letter.to for letter in talk.letters] == [BOB]
    talk.send(BOB, f"vacation bob lookingglass {talk.now:%Y-%m-%d} 5")
    for _ in range(4):
        talk.now += timedelta(days=1)
        talk.sweep()
        assert talk.letters == []
    talk.now += timedelta(days=2)
    talk.sweep()
    assert [letter.to for letter in talk.letters] == [BOB]


def test_no_letter_offers_to_write_to_somebody_who_has_left(talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland A1")
    talk.send(ALICE, "delete alice wonderland")
    assert "alice has left this server." in talk.text_to(BOB)
    talk.send(BOB, "oust show 1")
    for text in (talk.text_to(BOB),):
        assert "alice has left this server." in text
        assert "goes to alice" not in text
        assert "rematch" not in text


def test_help_that_is_asked_for_in_french_comes_in_french_to_an_english_member(talk: Talk) -> None:
    assert talk.send(ALICE, "aide : oust")[0].startswith(f"{ALICE}: ")
    assert talk.letter_to(ALICE)["Content-Language"] == "fr"
    talk.send(ALICE, "help oust")
    assert talk.letter_to(ALICE)["Content-Language"] == "en"


def test_what_was_queued_on_a_finished_board_is_kept_no_longer(talk: Talk) -> None:
    talk.send(BOB, "oust queue 1 bob lookingglass if A1 then E5")
    assert account_of(talk.home, "bob").queue
    talk.send(ALICE, "oust resign 1 alice wonderland")
    assert not account_of(talk.home, "bob").queue


def test_the_list_of_finished_games_names_the_winner_after_a_swap(talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland A1")
    talk.send(BOB, "oust move 1 bob lookingglass swap")
    talk.send(ALICE, "oust resign 1 alice wonderland")
    talk.send(ALICE, "oust history alice")
    assert "bob (x) - alice (o)  bob resign" in talk.text_to(ALICE)

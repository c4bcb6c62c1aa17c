"""Open challenges that are joined by a tap on a link in a list, and Send."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.histories import board_numbers
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk
from tests.support.pages import Page, Tap, by_rfc

MALLORY = "mallory@example.net"


@pytest.fixture
def talk(place: Path) -> Iterator[Talk]:
    """Alice seeks somebody for Oust, and Bob for Churn."""
    talk = Talk.begin(place, ALICE, BOB, CAROL)
    talk.send(ALICE, "oust seek alice wonderland -size=5")
    talk.send(BOB, "churn seek bob lookingglass -size=3")
    yield talk
    talk.home.close()


def taps(talk: Talk, reader: str, line: str = "list") -> list[Tap]:
    """Return what a player can tap in a list."""
    talk.send(reader, line)
    page = talk.page_to(reader)
    return Page(page).taps(by_rfc) if page else []


def tap(talk: Talk, sender: str, tapped: Tap, subject: str = "") -> list[str]:
    return talk.send(sender, subject or tapped.subject, to=tapped.address)


def test_a_tap_joins_an_open_challenge_without_a_password(talk: Talk) -> None:
    oust, churn = taps(talk, CAROL)
    assert [oust.shown, churn.shown] == ["oust join 1", "churn join 1"]
    tap(talk, CAROL, oust)
    assert talk.outcome == "done: join"
    assert board_numbers(talk.home, "oust") == [1]
    assert sorted(letter.to for letter in talk.letters) == [ALICE, CAROL]


def test_it_counts_once(talk: Talk) -> None:
    oust, _ = taps(talk, CAROL)
    tap(talk, CAROL, oust)
    tap(talk, CAROL, oust)
    assert talk.outcome.startswith("refused")
    assert "oust join 1" in talk.text_to(CAROL)
    assert board_numbers(talk.home, "oust") == [1]


def test_nobody_can_tap_a_challenge_of_their_own(talk: Talk) -> None:
    assert [each.shown for each in taps(talk, ALICE)] == ["churn join 1"]
    assert taps(talk, ALICE, "list oust") == []


def test_strangers_and_players_who_want_text_get_no_links(talk: Talk) -> None:
    assert taps(talk, MALLORY) == []
    talk.send(CAROL, "settings carol rabbithole board text")
    assert taps(talk, CAROL) == []


def test_the_link_joins_this_challenge_as_this_player_and_nothing_else(talk: Talk) -> None:
    oust, churn = taps(talk, CAROL)
    for address in (
        oust.address.replace(".1.", ".2."),
        oust.address.replace(".oust.", ".churn."),
        oust.address.replace(".carol.", ".bob."),
        oust.address.replace(".carol.", ".nobody."),
    ):
        talk.send(CAROL, oust.subject, to=address)
        assert not talk.outcome.startswith("done")
    for subject in ("churn join 1", "oust join 2", "Re: list: 0 boards", "oust unseek 1"):
        tap(talk, CAROL, oust, subject)
        assert not talk.outcome.startswith("done")
    assert board_numbers(talk.home, "oust") == board_numbers(talk.home, "churn") == []
    tap(talk, CAROL, churn)
    assert board_numbers(talk.home, "churn") == [1]


def test_a_new_password_ends_the_link(talk: Talk) -> None:
    oust, _ = taps(talk, CAROL)
    talk.send(CAROL, "change password carol rabbithole teacupsaucer")
    tap(talk, CAROL, oust)
    assert not talk.outcome.startswith("done: join")
    assert board_numbers(talk.home, "oust") == []


def test_a_french_player_taps_french_words(talk: Talk) -> None:
    talk.send(CAROL, "settings carol rabbithole language fr")
    oust, _ = taps(talk, CAROL)
    tap(talk, CAROL, oust)
    assert board_numbers(talk.home, "oust") == [1]
    assert "sans mot de passe" in " ".join(taps_text(talk).split())


def taps_text(talk: Talk) -> str:
    """Return the page of a list as Carol sees it."""
    talk.send(CAROL, "liste")
    return Page(talk.page_to(CAROL)).text

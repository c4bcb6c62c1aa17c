"""Players who are not mailed every record, and those who only watch."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.account import MOST_WATCHED
from pbm_oust.accounts.bounces import MOST_DAYS, Bounce
from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.board import Game
from pbm_oust.board.notation import format_header
from pbm_oust.rules import KINDS
from pbm_oust.store.open_boards import read_game
from pbm_oust.store.verifications import note_bounce
from tests.support.accounts import account_of, change_account, damage_account
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, CAROL, Talk
from tests.support.mails import mail


@pytest.fixture
def talk(place: Path) -> Iterator[Talk]:
    """Return a talk with a home in which a board of Alice and Bob waits for Alice."""
    talk = Talk.begin(place, ALICE, BOB, CAROL)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    yield talk
    talk.home.close()


def game_of(talk: Talk) -> Game:
    return read_game(talk.home, KINDS["oust"], 1)


def test_who_has_settled_not_to_be_mailed_and_cannot_be_is_called_unreachable(talk: Talk) -> None:
    talk.send(BOB, "settings bob lookingglass mail digest")
    for days in range(MOST_DAYS):
        at = talk.now - timedelta(days=days)
        talk.home.do(note_bounce, BOB, Bounce.of(at, "5.1.1", f"<{days}@x>", "lost"))
    assert talk.send(ALICE, "oust move 1 alice wonderland C3") == [
        f"{ALICE}: oust 1 #2: bob to move"
    ]
    assert "Mail to bob is coming back" in talk.text_to(ALICE)


@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_watched_boards_that_are_over_make_room(talk: Talk) -> None:
    header = game_of(talk).header
    boards = range(2, MOST_WATCHED + 2)
    headers = {board: format_header(replace(header, board=board)) for board in boards}
    lay_histories(talk.home, headers)
    names = [f"oust {board}" for board in range(1, MOST_WATCHED + 1)]
    change_account(talk.home, "carol", lambda account: account.with_watched(names))
    line, name = f"oust watch {MOST_WATCHED + 1} carol rabbithole", f"oust {MOST_WATCHED + 1}"
    assert talk.send(CAROL, line) == [f"{CAROL}: {name}: not done"]
    talk.send(ALICE, "oust resign 1 alice wonderland")
    assert talk.send(CAROL, line) == [f"{CAROL}: {name}: watched"]
    watched = account_of(talk.home, "carol").watched_boards
    assert watched == (*names[1:], name)


def test_times_are_those_of_the_readers_zone(talk: Talk) -> None:
    talk.send(BOB, "settings bob lookingglass zone Asia/Kolkata")
    talk.home.do(note_bounce, BOB, Bounce.of(talk.now, "5.1.1", "<1@x>", "lost"))
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    assert "  2026-11-20 17:30 IST, lost (5.1.1)" in talk.text_to(BOB)


def test_a_damaged_account_leaves_the_mail_with_its_owner_and_changes_nothing(talk: Talk) -> None:
    damage_account(talk.home, "alice")
    with pytest.raises(Exception, match="the account alice in the database is damaged, queue"):
        talk.send(ALICE, "oust move 1 alice wonderland C3")
    assert not game_of(talk).records


def test_a_damaged_account_holds_up_no_move_of_the_other_player(talk: Talk) -> None:
    damage_account(talk.home, "bob")
    assert talk.send(ALICE, "oust move 1 alice wonderland C3") == [
        f"{ALICE}: oust 1 #2: bob to move",
        f"{BOB}: oust 1 #2: your turn, bob",
    ]
    with pytest.raises(Exception, match="the account bob in the database is damaged, queue"):
        talk.send(BOB, "settings bob lookingglass mail mine")


def test_letters_that_come_back_without_any_id_close_a_mailbox_too(talk: Talk) -> None:
    back, today = envelope_sender(ADDRESS, talk.home.key(), BOB), talk.now
    for day in (2, 1, 0):
        talk.now = today - timedelta(days=day)
        date = f"Date: {talk.now:%d %b %Y %H:%M:%S} -0000"
        text = f"I wasn't able to deliver your message.\r\n\r\n<{BOB}>:\r\nno mailbox (#5.1.1)\r\n"
        talk.hand_in(mail("From: MAILER-DAEMON@mail.example.net", date, text=text), "", back)
        assert talk.outcome == "returned"
    told = talk.send(ALICE, "oust move 1 alice wonderland C3")
    assert told == [f"{ALICE}: oust 1 #2: bob to move"]

"""`why` tells the players of a board which mail led to a record, and nobody else."""

from datetime import timedelta
from pathlib import Path

import pytest

from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.moving import Channel, Provenance, origin_of
from pbm_oust.play.renaming import merge_players
from pbm_oust.rules import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.message_keys import LIFETIME
from pbm_oust.store.open_boards import read_game
from pbm_oust.store.upkeep import forget_expired
from tests.support.accounts import make_account
from tests.support.histories import history_text, lay_histories
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, CAROL, NOON, home_of, mailed

MOVE = "oust move 1 alice wonderland C3"
MESSAGE_ID = "<a-move@alices-desk.example>"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = home_of(tmp_path / "home", ALICE, BOB, CAROL)
    mailed(made, ALICE, "oust challenge alice bob wonderland -size=5 -noswap")
    mailed(made, ALICE, MOVE, headers=[f"Message-ID: {MESSAGE_ID}"])
    return made


def origin(home: Home, number: int | None = None) -> Provenance:
    return origin_of(read_game(home, KINDS["oust"], 1), number, home)


def text(home: Home, sender: str, line: str) -> str:
    (letter,) = mailed(home, sender, line)
    return letter.text


def test_who_made_a_move_is_told_the_message_id_of_its_mail(home: Home) -> None:
    assert MESSAGE_ID in text(home, ALICE, "oust why 1#1 alice wonderland")


def test_the_other_player_is_told_when_it_came_but_neither_address_nor_message_id(
    home: Home,
) -> None:
    told = text(home, BOB, "oust why 1 bob lookingglass #1")
    assert "It came by a mail of alice, which arrived here on 20 November 2026, 12:00" in told
    assert "alices-desk" not in told
    assert ALICE not in told


def test_nobody_else_is_told_anything(home: Home) -> None:
    told = text(home, CAROL, "oust why 1#1 carol rabbithole")
    assert "carol does not play on board oust 1" in told
    assert "arrived" not in told
    told = text(home, CAROL, "oust why 1#1 alice rabbithole")
    assert "arrived" not in told


def test_a_mail_that_comes_again_stays_the_one_that_came_first(home: Home) -> None:
    first = origin(home, 1).cause
    mailed(home, ALICE, MOVE, headers=[f"Message-ID: {MESSAGE_ID}"], at=NOON + timedelta(hours=1))
    assert origin(home, 1).cause == first


def test_what_is_kept_of_a_mail_goes_after_a_year(home: Home) -> None:
    forget_expired(home, NOON + LIFETIME - timedelta(seconds=1))
    assert origin(home).way is Channel.MAIL
    forget_expired(home, NOON + LIFETIME)
    assert origin(home).way is Channel.UNKNOWN
    assert "no more is known about that" in text(home, BOB, "oust why 1 bob lookingglass")


def test_it_goes_with_the_account_of_who_wrote_it(home: Home) -> None:
    mailed(home, BOB, "oust move 1 bob lookingglass B2")
    mailed(home, ALICE, "forget alice wonderland really")
    assert origin(home, 1).way is Channel.UNKNOWN
    assert origin(home, 2).way is Channel.MAIL
    assert origin(home, 3).cause is None


def test_it_follows_a_player_who_is_merged_into_another(home: Home) -> None:
    make_account(home, "dora", "rabbithole", "dora@example.org")
    work = open_inbound(home, ADDRESS, lambda: NOON).work
    merge_players("alice", "dora", work)
    cause = origin(home, 1).cause
    assert cause
    assert cause.mail
    assert cause.mail.userid == "dora"


def test_a_history_put_in_place_of_another_has_none_of_its_mails(home: Home) -> None:
    key = origin(home, 1).record.message_key
    lay_histories(home, {1: history_text(home).replace(key, "0123456789abcdef")})
    assert origin(home, 1).way is Channel.UNKNOWN

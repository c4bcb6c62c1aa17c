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
    return home.ask(origin_of, read_game(home, KINDS["oust"], 1), number)


def text(home: Home, sender: str, line: str) -> str:
    (letter,) = mailed(home, sender, line)
    return letter.text


def test_what_is_kept_of_a_mail_goes_after_a_year(home: Home) -> None:
    forget_expired(home, NOON + LIFETIME - timedelta(seconds=1))
    assert origin(home).way is Channel.MAIL
    forget_expired(home, NOON + LIFETIME)
    assert origin(home).way is Channel.UNKNOWN
    assert "no more is known about that" in text(home, BOB, "oust why 1 bob lookingglass")


def test_it_follows_a_player_who_is_merged_into_another(home: Home) -> None:
    make_account(home, "dora", "rabbithole", "dora@example.org")
    work = open_inbound(home, ADDRESS, lambda: NOON).work
    work.carry_out(lambda on: merge_players(on, "alice", "dora"))
    cause = origin(home, 1).cause
    assert cause
    assert cause.mail
    assert cause.mail.userid == "dora"


def test_a_history_put_in_place_of_another_has_none_of_its_mails(home: Home) -> None:
    key = origin(home, 1).record.message_key
    lay_histories(home, {1: history_text(home).replace(key, "0123456789abcdef")})
    assert origin(home, 1).way is Channel.UNKNOWN

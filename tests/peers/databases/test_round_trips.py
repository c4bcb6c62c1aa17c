"""How often a mail waits for the server: counted on the wire, not timed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm_oust.board import Summary
from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.play.passwords import Passwords
from pbm_oust.play.request import Ending
from pbm_oust.rules import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import GameReader
from tests.support import tables
from tests.support.accounts import make_account
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, PASSWORDS, new_id
from tests.support.mails import mail
from tests.support.outbox import letters
from tests.support.postgresql import DatabaseServer
from tests.support.wire import Wire, counted

MOST_STATEMENTS, MOST_ROUND_TRIPS = 15, 15
"""Of a move."""
KNOWN = Passwords()
TABLES = tables.of(__file__)
ROUND_TRIPS = [
    (sender, line, Ending(outcome), int(most))
    for sender, line, outcome, most in TABLES["round trips"]
]
"""Mails and how often each waits for the server: once for each statement."""
MORE = 8
"""How many boards are added, each of which would be asked about one by one: as many as one player
may begin with one other in a day."""


@pytest.fixture
def wire(postgresql: DatabaseServer, tmp_path: Path) -> Iterator[Wire]:
    with counted(postgresql, tmp_path) as wire:
        yield wire


@pytest.fixture
def home(postgresql: DatabaseServer, wire: Wire, tmp_path: Path) -> Iterator[Home]:
    """A home with a board of alice and bob, on which each has moved."""
    url = postgresql.make_database().replace(str(postgresql.folder), str(wire.folder))
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "pbm_oust.toml").write_text(f'address = "{ADDRESS}"\nstore = "{url}"\n')
    home = Home(tmp_path / "home")
    home.has_relay = True
    home.prepare()
    for userid, address in (("alice", ALICE), ("bob", BOB)):
        make_account(home, userid, PASSWORDS[userid], address)
    for sender, line in TABLES["begun"]:
        take(home, sender, line)
    yield home
    home.close()


def take(
    home: Home, sender: str, line: str, outcome: Ending = Ending.DONE, to: str = ADDRESS
) -> None:
    """Hand in a mail with a line."""
    headers = (f"From: {sender}", f"Subject: {line}", new_id())
    inbound = open_inbound(home, ADDRESS, lambda: NOON, passwords=KNOWN)
    handled = inbound.take(mail(*headers, text=""), Envelope(sender, (to,)))
    assert handled.ending is outcome, handled


def test_an_answer_to_a_letter_takes_no_more_than_a_move(home: Home, wire: Wire) -> None:
    for sender, cell in ((ALICE, "H8"), (BOB, "B9"), (ALICE, "K2")):
        latest = [each for each in letters(home) if each.to == sender][-1]
        wire.reset()
        take(home, sender, cell, to=latest.headers["Reply-To"].rpartition("<")[2].rstrip(">"))
        assert wire.round_trips <= MOST_ROUND_TRIPS
        assert wire.statements <= MOST_STATEMENTS


def test_mails_take_few_round_trips(home: Home, wire: Wire) -> None:
    taken = list[tuple[str, int]]()
    for sender, line, outcome, most in ROUND_TRIPS:
        wire.reset()
        take(home, sender, line, outcome)
        taken.append((line, max(wire.round_trips, most)))
    assert taken == [(line, most) for _, line, _, most in ROUND_TRIPS]


def test_listing_boards_takes_no_more_with_more_boards(home: Home, wire: Wire) -> None:
    def round_trips() -> int:
        wire.reset()
        assert all(isinstance(each, Summary) for each in GameReader(home).entries(KINDS["oust"]))
        return wire.round_trips

    before = round_trips()
    for _ in range(MORE):
        take(home, ALICE, "oust challenge alice bob wonderland")
    assert round_trips() < before + MORE / 2

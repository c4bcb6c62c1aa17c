"""A game that goes on after the clock of the server was years ahead for a while."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.play.outcome import Outcome
from pbm_oust.service.sweep import sweep
from pbm_oust.store.home import Home
from pbm_oust.store.waiting import BoardName
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of, new_id
from tests.support.mails import mail
from tests.support.outbox import Letter, letters

DAY = timedelta(days=1)
YEARS = 3650 * DAY


class Server:
    """A home whose clock is set."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def take(self, at: datetime, sender: str, line: str) -> None:
        """Take a mail at some time."""
        data = mail(f"From: {sender}", f"Subject: {line}", new_id())
        handled = open_inbound(self.home, ADDRESS, lambda: at).take(
            data, Envelope(sender, (ADDRESS,))
        )
        assert handled.outcome is Outcome.DONE, handled

    def sweep(self, at: datetime) -> list[str]:
        """Do what is due at some time, and return what was done."""
        return [deed.what for deed in sweep(open_inbound(self.home, ADDRESS, lambda: at).work).done]

    def records(self) -> list[str]:
        """Return the side, the action and the time of each record of the board."""
        lines = self.home.history(BoardName("oust", 1)).decode().partition("\n\n")[2].splitlines()
        return [" ".join(line.split()[1:-1]) for line in lines if line.startswith(" ")]

    def latest_to(self, address: str) -> Letter:
        """Return the latest letter to an address."""
        return [each for each in letters(self.home) if each.to == address][-1]


@pytest.fixture
def server(tmp_path: Path) -> Server:
    """Where alice has moved while the clock was years ahead."""
    server = Server(home_of(tmp_path / "home", ALICE, BOB))
    server.take(NOON, ALICE, "oust challenge alice bob wonderland")
    server.take(NOON + YEARS, ALICE, "oust move 1 alice wonderland D4")
    return server


def test_moves_go_on_at_the_right_time_and_deadlines_count_from_then(server: Server) -> None:
    server.take(NOON + DAY, BOB, "oust move 1 bob lookingglass E6")
    assert [line.split()[-1] for line in server.records()] == [
        "2036-11-17T12:00:00Z",
        "2026-11-21T12:00:00Z",
    ]
    assert "2036" not in server.latest_to(ALICE).text
    assert server.sweep(NOON + 7 * DAY) == []
    assert server.sweep(NOON + 8 * DAY) == ["remind x"]
    assert Home(server.home.path).history(BoardName("oust", 1))


def test_who_was_to_move_meanwhile_is_reminded_and_then_loses_in_time(server: Server) -> None:
    assert server.sweep(NOON + DAY) == ["remind o"]
    assert server.sweep(NOON + 2 * DAY) == []
    assert server.sweep(NOON + 21 * DAY) == ["remind o"]
    assert server.sweep(NOON + 22 * DAY) == ["forfeit o"]
    assert server.records()[-1] == "* forfeit o 2026-12-12T12:00:00Z"


def test_a_clock_that_was_ahead_for_less_than_a_day_changes_no_order(tmp_path: Path) -> None:
    server = Server(home_of(tmp_path / "home", ALICE, BOB))
    server.take(NOON + DAY, ALICE, "oust challenge alice bob wonderland")
    server.take(NOON, ALICE, "oust move 1 alice wonderland D4")
    assert server.records() == ["x D4 2026-11-21T12:00:00Z"]

"""A game that goes on after the clock of the server was years ahead for a while."""

import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.play.request import Handled, Outcome
from pbm_oust.service.sweep import sweep
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of, new_id
from tests.support.mails import mail
from tests.support.outbox import Letter, letters

DAY = timedelta(days=1)
YEARS = 3650 * DAY


class Server:
    """A home whose clock is set."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def take(self, at: datetime, sender: str, line: str, text: str = "") -> None:
        """Take a mail at some time."""
        handled = self._handled(at, sender, line, text)
        assert handled.outcome is Outcome.DONE, handled

    def refuses(self, at: datetime, sender: str, line: str) -> bool:
        """Return whether a mail at some time is refused."""
        return self._handled(at, sender, line, "").outcome is Outcome.REFUSED

    def _handled(self, at: datetime, sender: str, line: str, text: str) -> Handled:
        data = mail(f"From: {sender}", f"Subject: {line}", new_id(), text=text)
        inbound = open_inbound(self.home, ADDRESS, lambda: at)
        return inbound.take(data, Envelope(sender, (ADDRESS,)))

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


@pytest.mark.parametrize("ahead", [30 * DAY, YEARS])
def test_a_reminder_of_a_wrong_clock_puts_off_no_deadline(ahead: timedelta, tmp_path: Path) -> None:
    server = Server(home_of(tmp_path / "home", ALICE, BOB))
    server.take(NOON, ALICE, "oust challenge alice bob wonderland")
    assert server.sweep(NOON + ahead) == ["remind x"]
    assert server.sweep(NOON + 6 * DAY) == []
    assert server.sweep(NOON + 7 * DAY) == ["remind x"]
    assert server.sweep(NOON + 27 * DAY) == ["remind x"]
    assert server.sweep(NOON + 28 * DAY) == ["forfeit x"]


def test_digests_go_on_after_the_clock_is_right(tmp_path: Path) -> None:
    server = Server(home_of(tmp_path / "home", ALICE, BOB))
    server.take(NOON, BOB, "settings bob lookingglass mail digest")
    server.take(NOON, ALICE, "oust challenge alice bob wonderland")
    server.take(NOON, ALICE, "oust move 1 alice wonderland D4")
    assert "digest" in server.sweep(NOON + YEARS)
    digests = [server.sweep(NOON + hours * DAY / 24) for hours in (20, 21, 43, 44)]
    assert digests == [["digest"], [], ["digest"], []]


def test_codes_count_from_when_the_clock_is_right(server: Server) -> None:
    server.take(NOON + YEARS, BOB, "forgot bob")
    code = re.findall(r"\b[a-z2-7]{16}\b", server.latest_to(BOB).text)[0]
    server.sweep(NOON)
    server.sweep(NOON + 2 * DAY)
    server.take(NOON + 2 * DAY, BOB, f"verify {code} newpassword")
    server.take(NOON + YEARS, BOB, "forgot bob")
    code = re.findall(r"\b[a-z2-7]{16}\b", server.latest_to(BOB).text)[0]
    server.sweep(NOON + 2 * DAY)
    server.sweep(NOON + 5 * DAY)
    assert server.refuses(NOON + 5 * DAY, BOB, f"verify {code} newpassword")


def test_who_wrote_to_everybody_ahead_may_do_so_again(server: Server) -> None:
    for number in range(3):
        server.take(NOON + YEARS, ALICE, "broadcast alice wonderland", f"Hello {number}.")
    server.take(NOON, ALICE, "broadcast alice wonderland", "Hello again.")


def test_a_clock_that_was_ahead_for_less_than_a_day_changes_no_order(tmp_path: Path) -> None:
    server = Server(home_of(tmp_path / "home", ALICE, BOB))
    server.take(NOON + DAY, ALICE, "oust challenge alice bob wonderland")
    server.take(NOON, ALICE, "oust move 1 alice wonderland D4")
    assert server.records() == ["x D4 2026-11-21T12:00:00Z"]

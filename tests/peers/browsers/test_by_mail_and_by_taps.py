"""Whole games of somebody who taps on a phone with somebody who has only a mail program."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.peers.browsers import chromium
from tests.peers.browsers.table import Seat, laid, letter_for
from tests.peers.browsers.view import PHONE, View
from tests.peers.mail_servers.host import open_folder
from tests.support.player import Player
from tests.support.waiting import wait_until


@dataclass(frozen=True)
class Script:
    """A game that alice begins, as x, with turns by her and bob one after the other."""

    kind: str
    option: str
    turns: str
    ending: str


OUST = Script("oust", "-size=7", "D4 swap D6 A1 F4 G7 F1 D5,E4,F3 A3 F2,A2", "bob wins as x")
"""Bob takes x over; his last turns but one, and his last, take two stones each."""
CHURN = Script("churn", "-size=2", "C3 B2 B1 A1 A2 B3 C2 A2", "bob wins as o")
"""The last placement but one takes a stone off the board; the last fills it."""


def is_told_the_end(player: Player) -> bool:
    """Return whether the latest letter to a player says that the game is over."""
    (*_, last) = player.post.letters_to(player.address).values()
    return "over" in last["Subject"]


@pytest.mark.parametrize(
    ("script", "tapping"),
    [(OUST, "bob"), (CHURN, "alice")],
    ids=["oust by taps of bob", "churn by taps of alice"],
)
def test_a_game_is_played_by_taps_and_by_mail(script: Script, tapping: str, tmp_path: Path) -> None:
    with (
        laid(tmp_path / "home") as table,
        open_folder() as folder,
        chromium.browsing(folder / "phone", View(PHONE)) as browser,
    ):
        players = [table.player(userid) for userid in ("alice", "bob")]
        (mailing,) = (each for each in players if each.userid != tapping)
        seat = Seat(table.player(tapping), browser)
        players[0].send(f"{script.kind} challenge alice bob wonderland {script.option}")
        for number, turn in enumerate(script.turns.split()):
            if players[number % 2] is mailing:
                mailing.answer(letter_for(mailing, number + 1), turn)
                continue
            seat.follow_link(number + 1)
            if turn == "swap":
                seat.press("Swap")
            else:
                seat.play(turn.split(","))
        wait_until(lambda: is_told_the_end(mailing), "the letter about the end")
        browser.get(f"{table.address}/{script.kind}/1")
        seat.see(script.ending)

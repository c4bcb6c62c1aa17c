"""Whole games by the links in letters: one player in Chromium, the other in Firefox."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from selenium.webdriver import Remote

from pbm_oust.rules import KINDS, Side, parse_grid
from tests.peers.browsers import chromium, firefox
from tests.peers.browsers.table import Seat, Table, laid, shown
from tests.peers.browsers.view import PHONE, View
from tests.peers.mail_servers.host import open_folder
from tests.support.kinds import Chance, shortest_game
from tests.support.letters import text_of
from tests.support.match import option
from tests.support.waiting import wait_until

SEEDS = range(200)


def shortest(grid: str, is_wanted: Callable[[Chance], bool]) -> Chance:
    """Return the shortest of many games of Oust that are like this."""
    games = (Chance(KINDS["oust"], parse_grid(grid), seed) for seed in SEEDS)
    return min(filter(is_wanted, games), key=lambda game: len(game.turns))


def has_chain(game: Chance) -> bool:
    """Return whether somebody places three stones or more in a turn."""
    return any(len(turn.split()) > 3 for turn in game.turns)


GAMES = {
    "chain": (shortest("square 4x4", has_chain), View()),
    "churn on phones": (shortest_game(KINDS["churn"]), View(PHONE)),
    "pass without scripts": (
        shortest("square 5x2", lambda game: game.has_pass),
        View(has_scripts=False),
    ),
}


class Match:
    """A game that two players play in their browsers, and that a third browser watches."""

    def __init__(self, chance: Chance, table: Table, seats: dict[str, Seat], watch: Remote) -> None:
        self.chance, self.table, self.watch = chance, table, watch
        self.seats = {Side.X: seats["alice"], Side.O: seats["bob"]}
        self.records = 0

    def begin(self) -> None:
        """Let alice challenge bob by mail, and the third browser look at the board."""
        kind = self.chance.kind.name
        line = f"{kind} challenge alice bob wonderland {option(self.chance)}"
        self.table.player("alice").send(line)
        wait_until(lambda: self.table.letters_to("alice@example.org"), "the board")
        self.watch.get(f"{self.table.address}/{kind}/1")

    def play(self, turn: str, words: str = "", chat: str = "") -> None:
        """Play a turn such as `x D4 E5` or `o pass` by the link in the latest letter.

        The words go with the move, the chat before it.
        """
        side, *cells = turn.split()
        seat = self.seats[Side(side)]
        seat.follow_link(self.records + 1)
        if chat:
            seat.write("text", chat)
            seat.press("Send")
            seat.see("Your words have been sent.")
        if cells == ["pass"]:
            seat.press("Pass")
        else:
            seat.play(cells, words)
        self.is_recorded()

    def is_recorded(self) -> None:
        """See the next record come in the browser that watches."""
        self.records += 1
        words = f"After record {self.records} of {self.records}"
        wait_until(lambda: words in shown(self.watch), words)


@pytest.fixture(params=GAMES)
def match(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Match]:
    """Lay a table, and let alice and bob sit down at it."""
    chance, view = GAMES[request.param]
    with ExitStack() as stack:
        table = stack.enter_context(laid(tmp_path / "home"))
        folder = stack.enter_context(open_folder())
        browsers = {
            "alice": stack.enter_context(chromium.browsing(folder / "alice", view)),
            "bob": stack.enter_context(firefox.browsing(folder / "bob", view)),
        }
        watch = stack.enter_context(chromium.browsing(folder / "carol"))
        seats = {name: Seat(table.player(name), found) for name, found in browsers.items()}
        yield Match(chance, table, seats, watch)


def test_a_game_is_played_to_its_end(match: Match) -> None:
    match.begin()
    first, second, third, *more = match.chance.turns
    match.play(first, words="Good luck!")
    match.play(second, chat="Thank you.")
    alice = match.seats[Side.X]
    alice.follow_link(match.records + 1)
    alice.press("Propose a draw")
    match.is_recorded()
    for turn in (third, *more):
        match.play(turn)
    result = match.chance.result
    assert result.winner
    colour = {Side.X: "blue", Side.O: "white"}[result.winner]
    ending = f"{match.seats[result.winner].player.userid} wins as {colour}"
    for seat in match.seats.values():
        seat.browser.refresh()
        seat.see(ending)
    assert ending in shown(match.watch)
    letters = {name: match.table.letters_to(f"{name}@example.org") for name in ("alice", "bob")}
    assert any("Good luck!" in text_of(letter) for letter in letters["bob"].values())
    assert any("Thank you." in text_of(letter) for letter in letters["alice"].values())

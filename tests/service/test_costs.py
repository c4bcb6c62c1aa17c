"""What a move costs the store, whatever else the home holds: statements, transactions, syncs."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.board import Game, Place
from pbm_oust.mail.inbound import envelope_of, open_inbound
from pbm_oust.play.passwords import Passwords
from pbm_oust.play.request import Ending
from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.costs import Costs, counting
from tests.support.games import history_of, new_game, play
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, PASSWORDS, mailed
from tests.support.kinds import Chance
from tests.support.mails import mail

GRID = "square 11x11"
LONG, SHORT = 60, 2
"""How many turns were played on boards before."""


def games_of(number: int, turns: int) -> list[Game]:
    """Return a board of alice and bob after each of its turns."""
    header = replace(new_game(GRID).header, board=number, x="alice", o="bob")
    games = [Game.start(header)]
    for turn in Chance(header.kind, header.grid, number).turns[: turns + 3]:
        games.append(play(games[-1], turn))
    return games


def cost_of_a_move(path: Path, turns: int, boards: int, others: int) -> Costs:
    """Return what a move costs after so many turns, beside so many boards and accounts."""
    with counting() as disk:
        home = Home(path, disk)
        home.has_relay = True
        home.prepare()
        for userid, address in (("alice", ALICE), ("bob", BOB)):
            make_account(home, userid, PASSWORDS[userid], address)
        for number in range(others):
            make_account(home, f"guest{number}", "rabbithole", f"guest{number}@example.org")
        played = {number: games_of(number, turns) for number in range(1, boards + 1)}
        lay_histories(
            home,
            {number: history_of(games[turns]).decode() for number, games in played.items()},
        )
        for number in range(others):
            mailed(home, f"guest{number}@example.org", "help")
        passwords = Passwords()
        move(home, played[1][turns + 1], passwords)
        move(home, played[1][turns + 2], passwords)
        disk.costs = Costs()
        move(home, played[1][turns + 3], passwords)
        return disk.costs


def move(home: Home, game: Game, passwords: Passwords) -> None:
    """Hand in the mail that leads to a game."""
    record = game.records[-1]
    assert record.side
    mover, wish = game.owner(record.side), record.wish
    cells = " ".join(wish.cells) if isinstance(wish, Place) else ""
    line = f"oust move {game.header.board} {mover} {PASSWORDS[mover]} {cells}"
    address = {"alice": ALICE, "bob": BOB}[mover]
    inbound = open_inbound(home, ADDRESS, lambda: NOON, passwords=passwords)
    headers = (f"From: {address}", f"Subject: {line}", f"Message-ID: <{game.next_number}@example>")
    handled = inbound.take(mail(*headers), envelope_of(address, [ADDRESS], "192.0.2.7"))
    assert handled.ending is Ending.DONE, handled


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Costs:
    return cost_of_a_move(tmp_path_factory.mktemp("usual") / "home", SHORT, boards=1, others=0)


def test_a_move_reads_and_writes_one_transaction(usual: Costs) -> None:
    assert (usual.reads, usual.commits, usual.syncs) == (0, 1, 0)


def test_a_move_takes_few_statements(usual: Costs) -> None:
    assert usual.statements <= 28


@pytest.mark.parametrize(
    ("turns", "boards", "others"), [(SHORT, 10, 0), (SHORT, 1, 8), (LONG, 1, 0)]
)
def test_a_move_costs_the_same_however_much_the_home_and_the_board_hold(
    turns: int, boards: int, others: int, usual: Costs, tmp_path: Path
) -> None:
    assert cost_of_a_move(tmp_path / "home", turns, boards, others) == usual

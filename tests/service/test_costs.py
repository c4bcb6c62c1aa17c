"""What a move costs the store, whatever else the home holds: statements, transactions, syncs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from pbm_oust.board.game import Game
from pbm_oust.board.record import Place, wish_of
from pbm_oust.mail.inbound import envelope_of, open_inbound
from pbm_oust.play.outcome import Outcome
from pbm_oust.store.disk import Disk
from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.games import history_of, new_game, play
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, PASSWORDS, mailed
from tests.support.kinds import Chance
from tests.support.mails import mail

GRID = "square 11x11"
LONG, SHORT = 60, 2
"""How many turns were played on boards before."""


@dataclass
class Costs:
    """What the thread did that handled a mail."""

    statements: int = 0
    reads: int = 0
    commits: int = 0
    syncs: int = 0
    steps: int = 0
    """Of the virtual machine that carries out statements: they show how much is read."""
    written: int = 0
    """Bytes in files."""


class CountingDisk(Disk):
    """A disk that counts what one thread writes and syncs."""

    def __init__(self) -> None:
        self.costs = Costs()
        self.thread = threading.get_ident()

    def step_sync(self, handle: int) -> None:
        self.costs.syncs += threading.get_ident() == self.thread
        super().step_sync(handle)

    def step_write(self, handle: int, data: bytes, at: int) -> int:
        written = super().step_write(handle, data, at)
        self.costs.written += written if threading.get_ident() == self.thread else 0
        return written

    def look_at(
        self, _cursor: apsw.Cursor, statement: str, _values: "apsw.Bindings | None"
    ) -> bool:
        """Count a statement."""
        if threading.get_ident() == self.thread:
            self.costs.statements += 1
            self.costs.reads += statement == "BEGIN"
            self.costs.commits += statement == "COMMIT"
        return True

    def look_back(self, event: dict[str, Any]) -> None:
        """Count the steps of a statement that has been carried out."""
        if threading.get_ident() == self.thread:
            self.costs.steps += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]


@contextmanager
def counting() -> Iterator[CountingDisk]:
    """Count what is asked of the databases that are opened meanwhile."""
    disk = CountingDisk()

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = disk.look_at
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, disk.look_back)

    apsw.connection_hooks.append(watch)
    try:
        yield disk
    finally:
        apsw.connection_hooks.remove(watch)


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
        home = Home(path, disk, has_relay=True)
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
        with home.settling_soon():
            move(home, played[1][turns + 1])
            move(home, played[1][turns + 2])
            disk.costs = Costs()
            move(home, played[1][turns + 3])
            return disk.costs


def move(home: Home, game: Game) -> None:
    """Hand in the mail that leads to a game."""
    record = game.records[-1]
    assert record.side
    mover, wish = game.owner(record.side), wish_of(record.action)
    cells = " ".join(wish.cells) if isinstance(wish, Place) else ""
    line = f"oust move {game.header.board} {mover} {PASSWORDS[mover]} {cells}"
    address = {"alice": ALICE, "bob": BOB}[mover]
    inbound = open_inbound(home, ADDRESS, lambda: NOON)
    headers = (f"From: {address}", f"Subject: {line}", f"Message-ID: <{game.next_number}@example>")
    handled = inbound.take(mail(*headers), envelope_of(address, [ADDRESS], "192.0.2.7"))
    assert handled.outcome is Outcome.DONE, handled


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Costs:
    return cost_of_a_move(tmp_path_factory.mktemp("usual") / "home", SHORT, boards=1, others=0)


def test_a_move_reads_one_snapshot_and_writes_and_syncs_one_transaction(usual: Costs) -> None:
    assert (usual.reads, usual.commits, usual.syncs) == (1, 1, 0)


def test_a_move_takes_few_statements(usual: Costs) -> None:
    assert usual.statements <= 30


@pytest.mark.parametrize(
    ("turns", "boards", "others"), [(SHORT, 10, 0), (SHORT, 1, 8), (LONG, 1, 0)]
)
def test_a_move_costs_the_same_however_much_the_home_and_the_board_hold(
    turns: int, boards: int, others: int, usual: Costs, tmp_path: Path
) -> None:
    assert cost_of_a_move(tmp_path / "home", turns, boards, others) == usual

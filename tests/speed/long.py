"""Moves on a board of few records and on one of many, and an import of the long one."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random

from pbm_oust.board import Header, Record
from pbm_oust.board.formats import parse_any
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import format_header, format_record, format_result
from pbm_oust.board.record import Placement
from pbm_oust.mail.inbound import Inbound, envelope_of, open_inbound
from pbm_oust.play.request import Ending
from pbm_oust.rules import KINDS, Position, parse_grid
from pbm_oust.rules.position import taken
from pbm_oust.store.configuration import parse_configuration
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import import_game
from tests.speed.sizes import prepare
from tests.support.accounts import make_account
from tests.support.histories import lay_histories
from tests.support.home_by_mail import NOON
from tests.support.mails import mail
from tests.support.server import ADDRESS
from tests.support.strategies import course

KIND, GRID = KINDS["churn"], parse_grid("hex 5")
SEED, LENGTH = 17, 8907
"""A random game, and how many turns it has."""
FEW, MANY = 20, 8000
PLAYERS = ("alice", "bob")
"""They play x and o."""
STARTED = datetime(2012, 11, 20, 12, 0, tzinfo=UTC)
PATIENCE = Terms(nagtime=99_999)
WARMING = 6


@cache
def steps(length: int = LENGTH) -> list[tuple[Position, int, Position]]:
    """Return the steps of the long game, or the first so many."""
    random = Random(SEED)
    start = KIND.start(GRID)
    return [*course(start, length, lambda at: random.choice([*GRID.each(at.placements())]))]


def turns(since: int) -> Iterator[tuple[int, str]]:
    """Yield the turns of the long game after the first so many: their places, and the cells."""
    for nth, (_, cell, _) in enumerate(steps()[since:], since):
        yield nth, GRID.format_cell(cell)


def long_history(records: int, board: int = 1, terms: Terms = PATIENCE) -> str:
    """Return the history of a board on which so many turns of the long game were played.

    Its ids and times are as hard to compress as those of real mails.
    """
    times, at = Random(board), STARTED
    lines = [format_header(Header(KIND, board, GRID, *PLAYERS, terms, STARTED))]
    for number, (before, cell, after) in enumerate(steps(records), 1):
        at += timedelta(seconds=times.randrange(80_000))
        done = Placement(GRID.format_cell(cell), taken(before, after).bit_count())
        key = sha256(f"{board} {number}".encode()).hexdigest()[:16]
        record = Record(number, before.to_move, (done,), at, key)
        lines.append(f"{format_record(record)}\n")
        if after.result:
            lines.append(f"{format_result(after.result)}\n")
    return "".join(lines)


@dataclass
class Long:
    """A home with a board of few records and one of many, on which it plays on."""

    home: Home
    inbound: Inbound
    turns: dict[int, Iterator[tuple[int, str]]]
    """The turns that are still to be played, by the numbers of the boards."""
    times: dict[int, list[float]] = field(default_factory=dict)
    """Seconds of processor time that each move took, with all that it led to."""

    def move(self, board: int) -> None:
        """Time a move."""
        nth, cell = next(self.turns[board])
        mover = PLAYERS[nth % 2]
        sender = f"{mover}@players.example"
        content = mail(
            f"From: {sender}",
            f"Subject: churn move {board} {mover} pass-of-{mover} {cell}",
            f"Message-ID: <{board}.{nth}@players.example>",
            text="\r\n",
        )
        envelope = envelope_of(sender, [ADDRESS], "192.0.2.7")
        begun = time.process_time()
        handled = self.inbound.take(content, envelope)
        self.times.setdefault(board, []).append(time.process_time() - begun)
        if handled.ending is not Ending.DONE:
            raise RuntimeError(f"move {nth} on board {board}: {handled}")


def long_home(path: Path) -> Long:
    """Make a home with board 1 of few records and board 2 of many."""
    home = Home(path)
    home.prepare()
    for userid in PLAYERS:
        make_account(home, userid, f"pass-of-{userid}", f"{userid}@players.example")
    lengths = {1: FEW, 2: MANY}
    lay_histories(
        home, {board: long_history(lengths[board], board) for board in lengths}, KIND.name
    )
    home.database.close()
    home = prepare(path)
    configuration = parse_configuration(home.read_configuration())
    inbound = open_inbound(home, ADDRESS, lambda: datetime.now(UTC), configuration.limits)
    return Long(home, inbound, {board: turns(lengths[board]) for board in lengths})


def import_long(path: Path) -> float:
    """Return the seconds of processor time to import the long board into a new home."""
    home = Home(path)
    home.prepare()
    for userid in PLAYERS:
        make_account(home, userid, f"pass-of-{userid}", f"{userid}@players.example")
    text = long_history(MANY)
    begun = time.process_time()
    import_game(parse_any(text), home, NOON)
    spent = time.process_time() - begun
    home.database.close()
    return spent

"""A home with many boards and players, from games by the real rules, made in minutes.

The games are some hundreds that were played at random, given to other players at other times.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing import Pool
from pathlib import Path
from random import Random

from msgspec.structs import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.board import Header
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import (
    format_action,
    format_header,
    format_result,
    format_time,
    record_line,
)
from pbm_oust.rules import KINDS, parse_grid
from pbm_oust.store.accounts import write_account
from pbm_oust.store.database import Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.rebuilding import rebuild
from tests.support.kinds import Chance

Progress = Callable[[int, int], None]

GRIDS = {
    "oust": ("square 7x7", "hex 4", "square 8x8", "square 9x9", "hex 5"),
    "churn": ("hex 3", "hex 3,4"),
}
GAMES_OF_GRID = 60
LARGEST = 150
"""No game that is used has more turns."""
SHARE_OVER = 0.9
BATCH = 500
PASSWORD = Secret("wonderland")
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
"""When the home is as it is made: boards that go on had their latest records in the days before."""
JOINED = NOW - timedelta(days=5 * 365)
"""When all players have signed up."""


@dataclass(frozen=True, slots=True)
class Source:
    """A game that boards are made from."""

    header: Header
    actions: tuple[tuple[str, str], ...]
    """Who made each record, and what it says."""
    result: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Some boards to be made."""

    folder: Path
    kind: str
    numbers: range
    players: int
    years: float
    seed: int


def make_many(
    home: Home, boards: int, players: int, progress: Progress, years: float, seed: int = 1
) -> None:
    """Fill a prepared home; a tenth of the boards goes on, the others ended in the last years."""
    numbers = range(1, boards // len(GRIDS) + 1)
    _write_all(home, dict.fromkeys(GRIDS, numbers), players, years, seed, progress)
    for first in range(0, players, BATCH):
        accounts = _accounts(range(first, min(first + BATCH, players)))
        home.do(_write, accounts)
    rebuild(home.database, home.boards, home.publisher, progress)


def lay_boards(home: Home, numbers: dict[str, range], players: int, years: float) -> None:
    """Add boards of each kind with these numbers to a home that has the players."""
    _write_all(home, numbers, players, years, 1, lambda _done, _all: None)
    rebuild(home.database, home.boards, home.publisher)


def _write_all(
    home: Home,
    numbers: dict[str, range],
    players: int,
    years: float,
    seed: int,
    progress: Progress,
) -> None:
    """Write the histories of boards."""
    batches = [
        Batch(home.path, kind, some[first : first + BATCH], players, years, seed)
        for kind, some in numbers.items()
        for first in range(0, len(some), BATCH)
    ]
    done, boards = 0, sum(map(len, numbers.values()))
    with Pool() as pool:
        for made in pool.imap_unordered(_write_boards, batches):
            done += made
            progress(done, boards)


def userid_of(number: int) -> str:
    """Return the userid of a player."""
    return f"player{number}"


def address_of(userid: str) -> str:
    """Return the address of a player."""
    return f"{userid}@players.example"


def _accounts(numbers: Iterable[int]) -> list[Account]:
    stored = hash_password(PASSWORD, bytes(16))
    return [
        Account(userid_of(number), stored, (address_of(userid_of(number)),), JOINED)
        for number in numbers
    ]


def _write(transaction: Transaction, accounts: Iterable[Account]) -> None:
    for account in accounts:
        write_account(transaction, account)


def _write_boards(batch: Batch) -> int:
    sources = _sources(batch.kind)
    for number in batch.numbers:
        text = _history(number, batch, sources, Random(f"{batch.seed} {batch.kind} {number}"))
        (batch.folder / batch.kind / f"{number}.txt").write_text(text)
    return len(batch.numbers)


_SOURCES: dict[str, list[Source]] = {}


def _sources(kind: str) -> list[Source]:
    """Return the games that boards of a kind are made from; each process plays them once."""
    if kind not in _SOURCES:
        _SOURCES[kind] = list(_played(kind))
    return _SOURCES[kind]


def _played(kind: str) -> Iterator[Source]:
    for name in GRIDS[kind]:
        for seed in range(GAMES_OF_GRID):
            chance = Chance(KINDS[kind], parse_grid(name), seed)
            if len(chance.turns) > LARGEST:
                continue
            game = chance.game()
            actions = tuple((record.by, format_action(record.action)) for record in game.records)
            result = format_result(game.result) if game.result else ""
            yield Source(game.header, actions, result)


def _history(number: int, batch: Batch, sources: list[Source], random: Random) -> str:
    """Return the history of a board."""
    source = random.choice(sources)
    x, o = random.sample(range(batch.players), 2)
    is_over = random.random() < SHARE_OVER
    actions = source.actions if is_over else source.actions[: len(source.actions) // 2]
    latest = NOW - timedelta(minutes=random.randrange(60, 3 * 24 * 60))
    if is_over:
        latest -= timedelta(minutes=random.randrange(int(batch.years * 365 * 24 * 60)))
    gap = timedelta(minutes=random.randrange(10, 600))
    started = latest - gap * len(actions)
    header = replace(
        source.header,
        board=number,
        x=userid_of(x),
        o=userid_of(o),
        terms=Terms(swap=False),
        started=started,
    )
    lines = [
        record_line(
            str(nth), by, action, format_time(started + gap * nth), f"{number:08x}{nth:08x}"
        )
        for nth, (by, action) in enumerate(actions, 1)
    ]
    if is_over:
        lines.append(source.result)
    return format_header(header) + "".join(f"{line}\n" for line in lines)

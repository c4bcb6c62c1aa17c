"""What a list costs does not depend on how much the home holds: statements, and files opened."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pbm_oust.play.room import MOST_LISTED
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.ratings import count_all
from tests.service.test_costs import counting
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed

BEGINNING = """pbm_oust history 1
Kind: oust
Board: {board}
Grid: square 5x5
X: {x}
O: {o}
Options: swap rated nagtime=7 forfeittime=21
Started: 2026-11-18T00:00:00Z

   1 x C3                        2026-11-19T00:00:00Z {board:016x}
"""
END = """   2 o resign                    2026-11-19T{board:02d}:00:00Z {board:015x}f
= x resign
"""
OWN = 4
"""How many boards alice and bob have; half of them are over."""
CLOCK_STEP = 0.2
"""Seconds; a history that was written less long ago is read again, for its time may be the same."""
FEW, MANY = MOST_LISTED + 10, 10 * (MOST_LISTED + 10)
"""How many boards others have, of those that go on and of those that are over."""
LINES = [
    "oust show 1",
    "oust games",
    "oust games all",
    "oust games alice next",
    "oust games alice bob all",
    "list",
    "oust standings",
    "oust ratings alice",
    "oust history alice",
    "oust history",
    "oust move 1 bob lookingglass Z99",
    "help",
]


@dataclass
class Opened:
    """The histories that were opened while somebody counts."""

    names: list[str] = field(default_factory=list)
    is_counting: bool = False

    def look_at(self, event: str, given: tuple[object, ...]) -> None:
        """Note a file that is opened."""
        if self.is_counting and event == "open" and str(given[0]).endswith(".txt"):
            self.names.append(str(given[0]))

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count within the body of the `with`."""
        self.names.clear()
        self.is_counting = True
        try:
            yield
        finally:
            self.is_counting = False


OPENED = Opened()
sys.addaudithook(OPENED.look_at)


def history(board: int, x: str, o: str, *, is_over: bool) -> str:
    """Return a history; those of others ended at different times of a day."""
    text = BEGINNING.format(board=board, x=x, o=o)
    return text + END.format(board=board % 24) if is_over else text


def costs(path: Path, others: int) -> dict[str, tuple[int, int]]:
    """Return how many statements and histories each line takes beside boards of others."""
    histories = {
        number: history(number, "alice", "bob", is_over=number > OWN // 2)
        for number in range(1, OWN + 1)
    }
    for number in range(OWN + 1, OWN + 1 + 2 * others):
        x, o = f"x{number % others}", f"o{number % others}"
        histories[number] = history(number, x, o, is_over=number % 2 == 0)
    made = home_of(path, ALICE, BOB)
    lay_histories(made, histories)
    for kind in KINDS.values():
        count_all(made.database, kind)
    made.database.close()
    time.sleep(CLOCK_STEP)
    with counting() as disk:
        home = Home(path, disk)
        found = dict[str, tuple[int, int]]()
        mailed(home, BOB, "help")
        for line in LINES:
            before = disk.costs.statements
            with OPENED.counted():
                letters = mailed(home, BOB if "bob" in line else ALICE, line)
            assert letters
            opened = [name for name in OPENED.names if name.startswith(str(path))]
            found[line] = disk.costs.statements - before, len(opened)
        home.database.close()
    return found


@pytest.mark.slow
def test_commands_cost_the_same_with_ten_times_the_boards(tmp_path: Path) -> None:
    few = costs(tmp_path / "few", FEW)
    assert costs(tmp_path / "many", MANY) == few
    assert all(opened <= 1 for _, opened in few.values()), few

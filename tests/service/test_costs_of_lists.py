"""What lists and sweeps cost does not depend on how much the home holds.

Statements are counted, the steps that the database takes for them, and files that are opened.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.room import MOST_LISTED
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.sweep import sweep
from pbm_oust.store.home import Home
from pbm_oust.store.ratings import count_all
from tests.service.test_costs import counting
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of, mailed
from tests.support.opened import opened_in

BEGINNING = """pbm_oust history 1
Kind: oust
Board: {board}
Grid: square 5x5
X: {x}
O: {o}
Options: swap rated nagtime={nagtime} forfeittime=900
Started: 2026-11-18T00:00:00Z

   1 x C3                        2026-11-19T00:00:00Z {board:016x}
"""
END = """   2 o resign                    2026-11-19T{board:02d}:00:00Z {board:015x}f
= x resign
"""
OWN = 4
"""How many boards alice and bob have; half of them are over."""
REMINDED = NOON + timedelta(days=8)
"""When reminders are due on their boards, and not yet on those of others."""
CLOCK_STEP = 0.2
"""Seconds; a history that was written less long ago is read again, for its time may be the same."""
FEW, MANY = MOST_LISTED + 10, 10 * (MOST_LISTED + 10)
"""How many boards others have, of those that go on and of those that are over."""
SLACK = 1.25
"""How much more the database may do among ten times the boards: its trees are deeper."""
STEPS_TO_COUNT = 4
COUNTS_LATE = "list"
"""This counts the boards that ended lately, however many others there are."""
LINES = [
    "oust show 1",
    "oust games",
    "oust games all",
    "oust games alice bob next",
    "oust games alice bob all",
    "list",
    "oust standings",
    "oust ratings alice",
    "oust history alice",
    "oust history",
    "oust move 1 bob lookingglass Z99",
    "help",
]


def history(board: int, x: str, o: str, *, is_over: bool) -> str:
    """Return a history; those of others ended at different times of a day."""
    text = BEGINNING.format(board=board, x=x, o=o, nagtime=7 if x == "alice" else 90)
    return text + END.format(board=board % 24) if is_over else text


@dataclass(frozen=True)
class Cost:
    """What a mail or a sweep takes."""

    statements: int
    histories: int
    """How many were opened, or folders listed."""
    steps: int = field(compare=False)
    """Of the database, in carrying out the statements."""


def costs(path: Path, others: int) -> dict[str, Cost]:
    """Return what each line, and a sweep, takes beside boards of others."""
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
        found = dict[str, Cost]()
        mailed(home, BOB, "help")

        def note(what: str, do: Callable[[], object]) -> None:
            before = replace(disk.costs)
            with opened_in(path) as opened:
                assert do()
            after = disk.costs
            statements, steps = after.statements - before.statements, after.steps - before.steps
            found[what] = Cost(statements, len(opened), steps)

        for line in LINES:
            note(line, partial(mailed, home, BOB if "bob" in line else ALICE, line))
        work = open_inbound(home, ADDRESS, lambda: REMINDED).work
        note("a sweep", lambda: len(sweep(work).done) == OWN // 2)
        home.database.close()
    return found


@pytest.mark.slow
def test_commands_cost_the_same_with_ten_times_the_boards(tmp_path: Path) -> None:
    few, many = costs(tmp_path / "few", FEW), costs(tmp_path / "many", MANY)
    assert many == few
    assert all(few[line].histories <= 1 for line in LINES), few
    assert few["a sweep"].histories <= OWN
    for what, cost in few.items():
        late = STEPS_TO_COUNT * (MANY - FEW) if what == COUNTS_LATE else 0
        assert many[what].steps <= SLACK * cost.steps + late, what

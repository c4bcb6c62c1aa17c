"""What lists and sweeps cost does not depend on how much the home holds.

Statements are counted, the steps that the database takes for them, and files that are opened.
"""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from pbm_oust.mail.inbound import open_inbound
from pbm_oust.service.sweep import sweep
from pbm_oust.store.openings import count_ended
from tests.support import tables
from tests.support.command_line import run
from tests.support.costs import FEW, MANY, OWN, SLACK, Cost, beside
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, mailed

REMINDED = NOON + timedelta(days=8)
"""When reminders are due on their boards, and not yet on those of others."""
STEPS_TO_COUNT = 4
COUNTS_LATE = "list"
"""This counts the boards that ended lately, however many others there are."""
LONGER = "oust history"
"""Its letter has more lines, up to a page, and so many bytes that these are counted."""
LINES = tables.words(__file__, "lines")

COMMANDS = [
    ["games", "list", "--player", "alice"],
    ["games", "list", "oust", "--player", "bob", "--which", "next"],
]
"""Command lines that show the boards of one player."""


def listed(path: Path, words: list[str]) -> bool:
    """Return whether a command line lists boards of alice and bob, and no others."""
    done = run(path, *words)
    boards = done.output.splitlines()[1:]
    return bool(boards) and all("alice  bob" in line for line in boards)


def costs(path: Path, others: int) -> dict[str, Cost]:
    """Return what each line, and a sweep, takes beside boards of others."""
    with beside(path, others) as here:
        mailed(here.home, BOB, "help")
        for line in LINES:
            here.note(line, partial(mailed, here.home, BOB if "bob" in line else ALICE, line))
        for words in COMMANDS:
            here.note(" ".join(words), partial(listed, path, words))
        count_ended(here.home.database, here.home.boards)  # all at once, as they came in files
        work = open_inbound(here.home, ADDRESS, lambda: REMINDED).work
        here.note("a sweep", lambda: len(sweep(work).done) == OWN // 2)
    return here.found


@pytest.mark.slow
def test_commands_cost_the_same_with_ten_times_the_boards(tmp_path: Path) -> None:
    few, many = costs(tmp_path / "few", FEW), costs(tmp_path / "many", MANY)
    few[LONGER] = replace(few[LONGER], statements=few[LONGER].statements + 1)
    assert many == few
    assert all(few[line].histories <= 1 for line in LINES), few
    assert all(few[" ".join(words)].histories <= OWN for words in COMMANDS), few
    assert few["a sweep"].histories <= OWN
    for what, cost in few.items():
        late = STEPS_TO_COUNT * (MANY - FEW) if what == COUNTS_LATE else 0
        assert many[what].steps <= SLACK * cost.steps + late, what

"""What a page costs does not depend on how many boards the home holds.

Statements are counted, the steps that the database takes for them, and histories that are opened.
"""

import asyncio
import time
from collections.abc import MutableMapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pbm_oust.accounts.calendar import format_calendar
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.ratings import count_all
from pbm_oust.web.addresses import of_calendar
from pbm_oust.web.app import make_app
from pbm_oust.web.ground import Ground
from tests.service.test_costs import counting
from tests.service.test_costs_of_lists import CLOCK_STEP, FEW, MANY, OWN, SLACK, Cost, history
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of
from tests.support.opened import opened_in

PATHS = (
    "/boards",
    "/boards?player=alice",
    "/history",
    "/history?player=alice",
    "/standings/oust",
    "/players/alice",
    "/players/alice/ratings/oust",
    "/players/alice.atom",
    "/history.atom",
    "/oust/1.atom",
)


def got(app: Any, path: str) -> int:
    """Ask an application for a path, and return the status of its answer."""
    plain, _, query = path.partition("?")
    statuses = list[int]()

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope = {
        "type": "http",
        "method": "GET",
        "path": plain,
        "query_string": query.encode(),
        "headers": [],
    }
    asyncio.run(app(scope, receive, send))
    return statuses[0]


def costs(path: Path, others: int) -> dict[str, Cost]:
    """Return what each page takes beside boards of others."""
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
        app = make_app(Ground(home, ADDRESS, lambda: NOON, "https://games.example.org"))
        got(app, "/")
        found = dict[str, Cost]()
        account = home.account("alice")
        assert account
        calendar = of_calendar(format_calendar(home.key(), account))
        for each, asked in [*zip(PATHS, PATHS, strict=True), ("calendar", calendar)]:
            before = replace(disk.costs)
            with opened_in(path) as opened:
                assert got(app, asked) == 200
            after = disk.costs
            statements, steps = after.statements - before.statements, after.steps - before.steps
            found[each] = Cost(statements, len(opened), steps)
        home.database.close()
    return found


@pytest.mark.slow
def test_pages_cost_the_same_with_ten_times_the_boards(tmp_path: Path) -> None:
    few, many = costs(tmp_path / "few", FEW), costs(tmp_path / "many", MANY)
    assert many == few
    for path, cost in few.items():
        assert many[path].steps <= SLACK * cost.steps, path

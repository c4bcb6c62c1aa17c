"""What a page costs does not depend on how many boards the home holds.

Statements are counted, the steps that the database takes for them, and histories that are opened.
"""

import asyncio
from collections.abc import MutableMapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pbm_oust.accounts.tags import format_calendar
from pbm_oust.store.accounts import whole_account
from pbm_oust.web.addresses import of_calendar
from pbm_oust.web.app import make_app
from pbm_oust.web.ground import Ground
from tests.support import tables
from tests.support.costs import FEW, MANY, SLACK, Cost, beside
from tests.support.cups import lay_cup
from tests.support.home_by_mail import ADDRESS, NOON

PATHS = tables.words(__file__, "paths")


async def status(app: Any, path: str) -> int:
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
    await app(scope, receive, send)
    return statuses[0]


def got(app: Any, path: str) -> int:
    """Ask an application for a path from outside its loop, and return the status."""
    return asyncio.run(status(app, path))


def is_there(app: Any, path: str) -> bool:
    """Return whether a page is where a path says."""
    return got(app, path) == 200


def costs(path: Path, others: int) -> dict[str, Cost]:
    """Return what each page takes beside boards of others."""
    with beside(path, others) as here:
        lay_cup(here.home, 1, ["alice", *(f"x{nth}" for nth in range(9))], (12,))
        app = make_app(Ground(here.home, ADDRESS, lambda: NOON, "https://games.example.org"))
        got(app, "/")
        account = here.home.ask(whole_account, "alice")
        assert account
        calendar = of_calendar(format_calendar(here.home.key(), account))
        for path_of_page in (*PATHS, calendar):
            name = "calendar" if path_of_page is calendar else path_of_page
            here.note(name, partial(is_there, app, path_of_page))
    return here.found


@pytest.mark.slow
def test_pages_cost_the_same_with_ten_times_the_boards(tmp_path: Path) -> None:
    few, many = costs(tmp_path / "few", FEW), costs(tmp_path / "many", MANY)
    assert many == few
    for path, cost in few.items():
        assert many[path].steps <= SLACK * cost.steps, path

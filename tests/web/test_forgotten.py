"""What pages say of somebody who has been forgotten."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.waiting import wait_until
from tests.support.website import website


@pytest.mark.slow
def test_who_is_forgotten_stands_on_pages_under_another_name(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    talk.now = datetime.now(UTC)
    for sender, line in (
        (ALICE, "oust challenge alice bob wonderland -size=5"),
        (ALICE, "oust move 1 alice wonderland C3"),
        (BOB, "oust resign 1 bob lookingglass"),
    ):
        talk.send(sender, line)
    with website(tmp_path / "home") as pages:
        paths = ("/", "/history", "/players/bob", "/oust/1", "/standings/oust")
        assert all("alice" in pages.get(path).text for path in paths)
        talk.send(ALICE, "forget alice wonderland really")
        talk.sweep()
        wait_until(lambda: "alice" not in pages.get("/").text, "the front page written again")
        for path in paths:
            text = pages.get(path).text
            assert "alice" not in text, path
            assert "gone-1" in text, path
        assert pages.get("/players/alice").status == 404
        assert pages.get("/players/gone-1").status == 200
    talk.home.database.close()

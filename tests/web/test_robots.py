"""Robots are told what to leave alone, as the standard library's reader understands it."""

from pathlib import Path
from urllib.robotparser import RobotFileParser

from tests.support.home_by_mail import home_of
from tests.support.website import website


def test_robots_leave_pages_of_players_alone_and_may_read_the_rest(tmp_path: Path) -> None:
    home_of(tmp_path / "home")
    with website(tmp_path / "home") as pages:
        got = pages.get("/robots.txt")
    assert got.headers["content-type"] == "text/plain; charset=utf-8"
    read = RobotFileParser()
    read.parse(got.text.splitlines())
    for path in (
        "/",
        "/oust/17",
        "/players/alice",
        "/history?page=2",
        "/help/move",
        "/oust/tournament/1",
    ):
        assert read.can_fetch("robot", path), path
    for path in ("/me", "/me/oust/1", "/play/oust.1.2.alice.x", "/code/x", "/sign-in"):
        assert not read.can_fetch("robot", path), path
    assert "Disallow: /oust/*/\n" in got.text

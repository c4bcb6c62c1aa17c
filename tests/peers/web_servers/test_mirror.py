"""Pages as files: what wget makes of a running server, as the document says."""

import os
import re
import shlex
import subprocess
from datetime import UTC, datetime
from html import unescape
from urllib.parse import unquote, urljoin

import pytest

from tests.peers.browsers.view import package
from tests.support import tables
from tests.support.document import block
from tests.support.home_by_mail import ALICE, BOB, home_of
from tests.support.waiting import PATIENCE
from tests.support.website import website

MAILS = tables.of(__file__)["mails"]
LINK = re.compile(r'\s(?:href|src)="([^"#]+)')
FORMED = re.compile(r"/(sign-in|sign-up|me|try|explore|search)\b|\?lang=")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What wget fetches of a home with a board in play and one that is over, by its path."""
    path = tmp_path_factory.mktemp("mirror")
    home = home_of(path / "home", ALICE, BOB, mails=MAILS, at=datetime.now(UTC))
    home.configuration.write_text('web_address = "https://games.example.org"\n')
    home.database.close()
    with website(home.path) as site:
        address = f"http://127.0.0.1:{site.port}/"
        places = {"https://games.example.org/": address, "/srv/www": str(path)}
        command = block("mirror", places)
        words = shlex.split(command.replace("\\\n", " "))
        path_there = f"{package('wget') / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=10 * PATIENCE, env={"PATH": path_there}
        )
    assert not done.returncode, done.stderr
    folder = path / "boards"
    found = [each for each in folder.rglob("*") if each.is_file()]
    return {
        str(each.relative_to(folder)): each.read_text().replace(address, "live:")
        for each in found
        if each.suffix != ".png"
    }


def test_boards_past_positions_lists_and_help_are_files(files: dict[str, str]) -> None:
    for path in ("index.html", "oust/1.html", "oust/1/0.html", "oust/2/1.html", "history.html"):
        assert "<!DOCTYPE html>" in files[path]
    assert "After record 2 of 2" in files["oust/2.html"]
    assert files["oust/1.sgf"].startswith("(;FF[4]")
    assert {"players/alice.html", "standings/oust.html", "rules/churn.html"} <= {*files}
    assert {"help/move.html", "oust/1.atom", "oust/1.json"} <= {*files}


def test_links_lead_to_files_and_what_only_a_server_does_to_the_server(
    files: dict[str, str],
) -> None:
    led = set[str]()
    for path, text in files.items():
        if path.endswith(".html"):
            led |= {urljoin(f"/{path}", unquote(unescape(link))) for link in LINK.findall(text)}
    inside = {link[1:] for link in led if link.startswith("/")}
    assert inside
    assert {path for path in inside if not path.endswith(".png")} <= {*files}
    outside = {link.removeprefix("live:") for link in led if link.startswith("live:")}
    assert {"me", "me/oust/1", "sign-up", "try", "oust/1/2/explore"} <= outside
    assert all(FORMED.search(f"/{link}") for link in outside)
    assert not [path for path in files if FORMED.search(f"/{path}")]

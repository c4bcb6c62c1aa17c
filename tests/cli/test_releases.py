"""Homes of all releases are brought up to date, and the program says the same of them as then.

`scripts/keep_home` has made them with the programs of the releases.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from pbm_oust.mail.inbound import Envelope
from pbm_oust.store.database import EARLIER, LATEST
from pbm_oust.store.home import Home
from pbm_oust.store.sqlite import SqliteDatabase
from tests.support.command_line import done, run
from tests.support.home_by_mail import ADDRESS, taken
from tests.support.mails import mail
from tests.support.server import PROGRAM, ROOT, running

HOMES = {path.name.removesuffix(".tar.xz"): path for path in ROOT.glob("tests/data/homes/*.tar.xz")}


@pytest.fixture(params=sorted(HOMES))
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A home as a release left it."""
    shutil.unpack_archive(HOMES[request.param], tmp_path / "home", filter="fully_trusted")
    return tmp_path / "home"


@pytest.fixture
def said(home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the release said of the home, by the words of the command; it is that moment again."""
    kept: dict[str, Any] = json.loads((home / "said.json").read_text())
    monkeypatch.setattr(SqliteDatabase, "time", lambda _: kept["at"])
    found: dict[str, Any] = kept["said"]
    return found


def version_of(home: Path) -> int:
    connection = apsw.Connection(str(home / "pbm_oust.db"))
    version = connection.pragma("user_version")
    connection.close()
    return int(str(version))


@pytest.fixture
def version(home: Path) -> int:
    """The version of its tables, if they are not those of today."""
    found = version_of(home)
    if found == LATEST:
        pytest.skip("its tables are those of today")
    return found


def histories(home: Path) -> dict[str, str]:
    """Return the texts of all histories by their names."""
    return {str(path.relative_to(home)): path.read_text() for path in home.glob("*/[0-9]*.txt")}


def differences(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """Yield where a document lacks something that was there; it may have more fields."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            yield from differences(value, after.get(name), f"{where}.{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{where}[{number}]")
    elif before != after:
        yield f"{where}: {before} was said, and now {after}"


def test_each_release_has_left_a_home() -> None:
    released = re.findall(r"^## (\S+) \(20", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert set(released) == set(HOMES)


def test_the_program_says_the_same_of_it_as_its_own_did(home: Path, said: dict[str, Any]) -> None:
    assert version_of(home) in {*EARLIER, LATEST}
    written = histories(home)
    assert len(written) >= 9
    done(home, "home", "upgrade")
    for words, before in said.items():
        after = json.loads(done(home, *words.split(), "--json"))
        assert list(differences(before, after)) == [], words
    assert "BAD" not in done(home, "doctor")
    done(home, "games", "verify")
    done(home, "tournaments", "verify")
    assert histories(home) == written


def test_the_game_goes_on(home: Path, said: dict[str, Any]) -> None:
    done(home, "home", "upgrade")
    at = datetime.fromtimestamp(json.loads((home / "said.json").read_text())["at"], UTC)
    sent = mail("From: bob@example.org", "Subject: oust move 3 bob lookingglass C3")
    outcome, _ = taken(Home(home), sent, Envelope("bob@example.org", (ADDRESS,)), at)
    assert outcome == "done: move"
    assert "E5" in done(home, "games", "history", "oust", "3")  # alice had it in her queue


def test_a_server_brings_it_up_to_date_and_keeps_it_as_it_was(
    home: Path, version: int, tmp_path: Path
) -> None:
    with running(home) as server:
        assert version_of(home) == LATEST
        server.stop()
    (kept,) = (tmp_path / "home.before").iterdir()
    assert f"brought up to date; as it was before, it is in {kept}" in server.log
    assert version_of(kept) == version
    assert kept.stat().st_mode & 0o077 == 0
    done(tmp_path / "again", "restore", str(kept))
    assert histories(tmp_path / "again") == histories(kept) == histories(home)


def test_it_waits_for_the_operator_who_wants_that(home: Path, version: int) -> None:
    (home / "pbm_oust.toml").write_text('upgrade = "by hand"\n')
    refused = subprocess.run(
        [PROGRAM, "--home", str(home), "serve"], capture_output=True, text=True
    )
    assert refused.returncode == 2
    assert f"--home {home} home upgrade" in refused.stderr
    assert version_of(home) == version
    done(home, "home", "upgrade")
    assert not home.with_name("home.before").exists()


def test_it_stays_as_it_is_where_no_backup_can_be_made(home: Path, version: int) -> None:
    home.with_name("home.before").write_text("in the way")
    refused = run(home, "serve", "--smtp", "127.0.0.1:0")
    assert refused.exit_code == 2
    assert "stays as it is, because no backup of it could be made beside it" in refused.output
    assert version_of(home) == version

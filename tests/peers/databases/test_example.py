"""The roles of the example with containers, made as PostgreSQL's image does."""

import os
import subprocess
from pathlib import Path

from tests.docs.test_examples import FOLDER, SERVICES
from tests.peers.databases.conftest import Host
from tests.support.postgresql import database_server


def test_the_script_makes_roles_with_which_everything_works(tmp_path: Path) -> None:
    host = Host(tmp_path / "home")
    host.folder.mkdir(mode=0o700)
    with database_server() as server:
        names = {"GAMES_PASSWORD": "one", "GAMES_OWNER_PASSWORD": "other", "PGHOST": server.folder}
        path = f"{server.programs}:{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", FOLDER / "roles.sh"],
            env={**os.environ, **{name: str(value) for name, value in names.items()}, "PATH": path},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        settings = (FOLDER / "pbm_oust.toml").read_text().replace("@database/", "@/")
        place = f"?host={server.folder}"
        text = settings.replace("@/games", f"@/games{place}")
        (host.folder / "pbm_oust.toml").write_text(text)
        words = [word.replace("database/games", f"/games{place}") for word in words_of("upgrade")]
        upgraded = host.run(*words)
        assert upgraded.returncode == 0, upgraded.stderr
        added = ("players", "add", "alice", "alice@example.org", "--password", "wonderland")
        assert host.run(*added).returncode == 0
        assert b"alice" in host.run("players", "list").stdout


def words_of(service: str) -> list[str]:
    """Return the command line of a service."""
    return list(SERVICES[service]["command"])

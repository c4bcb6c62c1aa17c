"""A database that was dumped, and put back elsewhere, holds the whole home."""

import json
import subprocess
from pathlib import Path

import psycopg

from pbm_oust.store.configuration import Endpoint
from tests.peers.databases.conftest import Host, mailed
from tests.peers.databases.test_two_hosts import GAME, RECORDS, history_at, records
from tests.support.postgresql import DatabaseServer
from tests.support.sink import Sink


def test_a_home_is_put_back_from_a_dump(
    postgresql: DatabaseServer,
    hosts: tuple[Host, Host],
    relaying: tuple[Sink, Endpoint],
    tmp_path: Path,
) -> None:
    one, (relay, endpoint) = hosts[0], relaying
    settings = (one.folder / "pbm_oust.toml").read_text()
    away = settings.replace(str(endpoint), "127.0.0.1:1")
    (one.folder / "pbm_oust.toml").write_text(away)
    mails = [mailed(sender, line, number) for number, (sender, line) in enumerate(GAME)]
    for each in mails:
        assert one.run("deliver", given=each).returncode == 0
    waiting = len(json.loads(one.run("outbox", "list", "--json").stdout))
    url, restored_url = one.home().configured.store, postgresql.make_database()
    with psycopg.connect(url) as connection:  # a relay that works meanwhile has some of them
        connection.execute("UPDATE letters SET is_leaving = 1 WHERE id % 2 = 0")
    dump = tmp_path / "games.dump"
    run(postgresql, "pg_dump", "--format=custom", f"--file={dump}", url)
    run(postgresql, "pg_restore", "--exit-on-error", f"--dbname={restored_url}", str(dump))
    restored = Host(tmp_path / "restored")
    restored.folder.mkdir(mode=0o700)
    (restored.folder / "pbm_oust.toml").write_text(settings.replace(url, restored_url))
    assert restored.run("outbox", "hold").stdout == f"{waiting} letters held back\n".encode()
    verified = restored.run("games", "verify")
    assert (verified.returncode, b"oust 1: ok" in verified.stdout) == (0, True)
    assert records(history_at(restored)) == RECORDS
    assert history_at(restored) == history_at(one)
    assert restored.run("outbox", "flush").stdout == b"0 sent, 0 kept, 0 failed\n"
    assert restored.run("outbox", "resume").stdout == f"{waiting} letters released\n".encode()
    sent = f"{waiting} sent, 0 kept, 0 failed\n"
    assert restored.run("outbox", "flush").stdout == sent.encode()
    assert len(relay.taken) == waiting > 0
    assert b"done before" in restored.run("deliver", given=mails[-1]).stderr


def run(server: DatabaseServer, program: str, *words: str) -> None:
    """Run a program of PostgreSQL."""
    done = subprocess.run([server.programs / program, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

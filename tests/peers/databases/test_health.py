"""Whether mail can be taken, of a host whose database is on a server."""

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from pbm_oust.store.home import Home
from tests.peers.databases.conftest import Host
from tests.support.home_by_mail import ADDRESS
from tests.support.postgresql import DatabaseServer, database_server
from tests.support.waiting import wait_until
from tests.support.website import Website, website


@pytest.fixture
def own() -> Iterator[DatabaseServer]:
    """A server that may be ended, and keeps what is committed."""
    with database_server(is_durable=True) as server:
        yield server


def trouble_at(pages: Website) -> str:
    """Return what keeps mail away; empty if it may come."""
    got = pages.get("/healthz")
    trouble = str(json.loads(got.content)["trouble"] or "")
    assert got.status == (503 if trouble else 200)
    return trouble


def test_a_host_says_whether_it_takes_mail_as_its_database_comes_and_goes(
    own: DatabaseServer, tmp_path: Path
) -> None:
    host, url = Host(tmp_path), own.make_database()
    settings = f'address = "{ADDRESS}"\nstore = "{url}"\nrelay = "smtp://127.0.0.1:1"\n'
    (tmp_path / "pbm_oust.toml").write_text(settings)
    home = Home(tmp_path)
    home.prepare()
    home.close()
    with website(tmp_path) as pages:
        wait_until(lambda: trouble_at(pages) == "", "nothing keeps mail away")
        assert host.run("doctor", "--json").returncode == 0
        own.stop()
        wait_until(lambda: trouble_at(pages) == "unreachable", "the server is missed")
        said = host.run("doctor", "--json")
        assert (said.returncode, json.loads(said.stdout)["trouble"]) == (1, "unreachable")
        own.start()
        wait_until(lambda: trouble_at(pages) == "", "the server is there again")
        with psycopg.connect(url, autocommit=True) as connection:
            name = connection.info.dbname
            forbid = f"ALTER DATABASE {name} SET default_transaction_read_only = on"
            connection.execute(forbid.encode())
        assert json.loads(host.run("doctor", "--json").stdout)["trouble"] == "read_only"

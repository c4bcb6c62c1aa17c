"""What the doctor says about a database server, one mistake at a time."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import which

import psycopg
import pytest

from pbm_oust.store.upkeep import LONGEST_DUE
from tests.peers.databases.conftest import Host
from tests.store.posting import head, post
from tests.support.home_by_mail import ADDRESS
from tests.support.postgresql import DatabaseServer, database_server
from tests.support.server import PROGRAM


@pytest.fixture(scope="module")
def own() -> Iterator[DatabaseServer]:
    """A server that keeps what is committed."""
    with database_server(is_durable=True) as server:
        server.do("CREATE ROLE games LOGIN")
        yield server


@pytest.fixture
def url(own: DatabaseServer) -> str:
    return own.make_database()


@pytest.fixture
def host(url: str, tmp_path: Path) -> Host:
    """A host that connects as somebody who owns nothing."""
    one = Host(tmp_path / "home")
    one.folder.mkdir(mode=0o700)
    configure(one, url)
    home = one.home()
    home.prepare()
    home.close()
    rights = "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public"
    do(url, f"GRANT {rights} TO games", "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO games")
    configure(one, url.replace("postgres@", "games@"))
    return one


def configure(host: Host, url: str) -> None:
    """Let a host keep its home in the database that a URL names."""
    text = f'address = "{ADDRESS}"\nstore = "{url}"\nrelay = "smtp://127.0.0.1:1"\n'
    (host.folder / "pbm_oust.toml").write_text(text)


def do(url: str, *statements: str) -> None:
    """Carry out statements as those who look after the server."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def complaints(host: Host) -> list[str]:
    """Return what the doctor finds that is not in order, but for time zones: tests grow old."""
    done = host.run("doctor")
    found = done.stdout.decode().splitlines()
    lines = [
        line for line in found if not line.startswith(("ok ", "note  program: the time zones"))
    ]
    assert done.returncode == any(line.startswith("BAD") for line in lines), done.stderr
    return lines


def test_a_sound_server_is_named_with_what_it_promises(host: Host) -> None:
    assert complaints(host) == []
    lines = host.run("doctor").stdout.decode().splitlines()
    (line,) = [line for line in lines if line.startswith("ok    server: ")]
    assert line.startswith("ok    server: PostgreSQL 1")
    assert line.endswith(", UTF8, synchronous_commit is on")


def test_a_superuser_need_not_be(host: Host, url: str) -> None:
    configure(host, url)
    assert complaints(host) == [
        "note  server: we connect as a superuser; a role that owns nothing is enough"
    ]


def test_rights_that_are_missing(host: Host, url: str) -> None:
    do(url, "REVOKE UPDATE ON letters FROM games", "REVOKE USAGE ON letters_id_seq FROM games")
    assert complaints(host) == [
        "BAD   server: we may not read and write letters (and 1 more). "
        "Grant it: see Roles and rights in docs/several-hosts.md."
    ]


def test_a_database_that_is_read_only(host: Host, url: str, own: DatabaseServer) -> None:
    do(url, "ALTER ROLE games SET default_transaction_read_only = on")
    try:
        assert complaints(host) == [
            "BAD   server: transactions are read-only there. "
            "Set default_transaction_read_only to off for the database and its role."
        ]
    finally:
        do(url, "ALTER ROLE games RESET ALL")


def test_letters_that_do_not_leave(host: Host) -> None:
    home = host.home()
    post(home.database, head(ADDRESS), datetime.now(UTC) - LONGEST_DUE - timedelta(minutes=1))
    home.close()
    due = [line for line in complaints(host) if line.startswith("BAD")]
    assert len(due) == 1
    assert due[0].startswith("BAD   outbox: letters are due since ")


def test_a_database_in_another_encoding(own: DatabaseServer, tmp_path: Path) -> None:
    own.do("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' OWNER games")
    host = Host(tmp_path)
    configure(host, own.url("latin").replace("postgres@", "games@"))
    home = host.home()
    home.prepare()
    home.close()
    program = "pbm-oust" if which("pbm-oust") == str(PROGRAM) else PROGRAM
    assert complaints(host) == [
        "BAD   server: the encoding of the database is LATIN1. "
        "Make one with UTF8, and copy the home to a new folder TO whose configuration names it:  "
        f"{program} home copy {tmp_path} TO"
    ]


def test_a_server_that_may_lose_what_it_has_acknowledged(hosts: tuple[Host, Host]) -> None:
    assert (
        "BAD   server: fsync or full_page_writes is off, so mails that were acknowledged may be "
        "lost. Turn both on in the configuration of PostgreSQL."
    ) in complaints(hosts[0])


def test_a_server_that_is_away(host: Host, url: str) -> None:
    configure(host, url.replace("host=/", "host=/nowhere/"))
    lines = complaints(host)
    assert lines[0] == "note  server: not looked at, because it cannot be reached or used"
    (bad,) = [line for line in lines if line.startswith("BAD")]
    assert bad.startswith("BAD   database: the database ")
    backup = host.run("backup", str(host.folder.with_name("backup")))
    assert (backup.returncode, b"cannot be used" in backup.stderr) == (1, True)


def test_before_the_first_start_the_key_is_still_to_be_made(
    own: DatabaseServer, host: Host
) -> None:
    configure(host, own.make_tables())
    said = host.run("doctor").stdout.decode()
    assert "permissions: there is no key yet; the server makes one when it starts" in said
    assert "BAD   permissions" not in said

"""Who may change the tables, and servers that go on while others have been upgraded."""

import json
import shlex
import shutil
import smtplib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from pbm_oust.store.database import LATEST
from tests.cli.test_releases import HOMES, differences
from tests.peers.databases.conftest import Host, mailed, wrong
from tests.peers.databases.test_two_hosts import GAME, RECORDS, history_at, records
from tests.support.document import block
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, PASSWORDS
from tests.support.postgresql import DatabaseServer, database_server
from tests.support.server import Server, running
from tests.support.waiting import PATIENCE


@pytest.fixture
def own() -> Iterator[DatabaseServer]:
    """A server with the roles and the database of the document."""
    with database_server() as server:
        for statement in statements("several_hosts/roles.sql"):
            server.do(statement)
        with psycopg.connect(url_of("games_owner", server), autocommit=True) as connection:
            for statement in statements("several_hosts/rights.sql"):
                connection.execute(statement.encode())
        yield server


@pytest.fixture
def host(own: DatabaseServer, tmp_path: Path) -> Host:
    """A host whose server connects as somebody who owns nothing."""
    (tmp_path / "home").mkdir(mode=0o700)
    settings = f'address = "{ADDRESS}"\nrelay = "smtp://127.0.0.1:1"\n'
    store = f'store = "{url_of("games", own)}"\n'
    (tmp_path / "home" / "pbm_oust.toml").write_text(settings + store)
    return Host(tmp_path / "home")


def statements(name: str) -> list[str]:
    """Return the statements in a block of the document."""
    return [each.strip() for each in block(name, {}).split(";") if each.strip()]


def url_of(role: str, server: DatabaseServer) -> str:
    """Return the URL of the document's database for a role."""
    return server.url("games").replace("postgres@", f"{role}@")


def deliver(host: Host, number: int, sender: str, line: str) -> tuple[int, bytes]:
    """Let a host take a mail; return the exit status and what it said."""
    done = host.run("deliver", "--sender", sender, given=mailed(sender, line, number))
    return done.returncode, done.stderr


def do(host: Host, *words: str) -> bytes:
    """Run a command that goes well, and return what it printed."""
    done = host.run(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def add_players(host: Host) -> None:
    for address in (ALICE, BOB):
        userid = address.partition("@")[0]
        do(host, "players", "add", userid, address, "--password", PASSWORDS[userid])


def test_a_server_needs_no_right_but_to_read_and_write_rows(
    own: DatabaseServer, host: Host, tmp_path: Path
) -> None:
    status, said = deliver(host, 0, ALICE, "help")
    assert status == 75
    assert b"it has no tables yet, this program needs version" in said
    _, _, command = said.decode().partition("with a user who may as URL:  ")
    command = command.splitlines()[0].replace("URL", shlex.quote(url_of("games_owner", own)))
    subprocess.run(["sh", "-c", command], check=True, cwd="/")
    add_players(host)
    for number, (sender, line) in enumerate(GAME, 1):
        assert deliver(host, number, sender, line)[0] == 0
    assert records(history_at(host)) == RECORDS
    do(host, "sweep")
    do(host, "players", "rename", "bob", "robert")
    do(host, "home", "rebuild")
    do(host, "backup", str(tmp_path / "backup"))
    do(host, "home", "copy", str(host.folder), "--follow", str(tmp_path / "copy"), "--once")
    do(host, "games", "verify")
    assert wrong(host) == []
    with psycopg.connect(url_of("games", own), autocommit=True) as connection:
        for forbidden in (b"CREATE TABLE mine (number BIGINT)", b"DROP TABLE letters"):
            with pytest.raises(InsufficientPrivilege):
                connection.execute(forbidden)


def test_tables_of_an_earlier_version_wait_for_their_owner(own: DatabaseServer, host: Host) -> None:
    owner = url_of("games_owner", own)
    do(host, "home", "upgrade", "--owner", owner)
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("UPDATE pbm_oust_version SET version = version - 1")
    status, said = deliver(host, 1, ALICE, "help")
    assert status == 75
    told = f"its tables are of version {LATEST - 1}, this program needs".encode()
    assert told in said
    for words in ["home", "upgrade"], ["home", "upgrade", "--owner", owner], ["backup", "/nowhere"]:
        refused = host.run(*words)
        assert (refused.returncode, told in refused.stderr) == (1, True), words
    assert not host.folder.with_name("home.before").exists()


@pytest.mark.parametrize("release", sorted(HOMES))
def test_the_home_of_a_release_comes_along_through_files(
    release: str, own: DatabaseServer, host: Host, tmp_path: Path
) -> None:
    files = Host(tmp_path / "files")
    shutil.unpack_archive(HOMES[release], files.folder, filter="fully_trusted")
    kept = json.loads((files.folder / "said.json").read_text())
    do(files, "home", "upgrade")
    do(host, "home", "upgrade", "--owner", url_of("games_owner", own))
    do(host, "home", "copy", str(files.folder), str(host.folder))
    do(host, "outbox", "resume")
    for words, before in kept["said"].items():
        after = json.loads(do(host, *words.split(), "--json"))
        assert list(differences(before, after)) == [], words
    do(host, "games", "verify")
    assert wrong(host) == []
    assert deliver(host, 1, BOB, "oust move 3 bob lookingglass C3")[0] == 0
    assert b"E5" in do(host, "games", "history", "oust", "3")  # alice had it in her queue


def test_a_server_that_is_too_old_says_so_and_mail_comes_again(hosts: tuple[Host, Host]) -> None:
    one, other = hosts
    with running(one.folder) as server:
        assert send(server, 1, ALICE, "help") == 250
        with owning(one) as connection:
            connection.execute("UPDATE pbm_oust_version SET version = version + 1")
        assert send(server, 2, ALICE, "help") == 451
        status, said = deliver(other, 3, ALICE, "help")
        assert status == 75
        assert f"its tables are of version {LATEST + 1}, and this program knows".encode() in said
        with owning(one) as connection:
            connection.execute("UPDATE pbm_oust_version SET version = version - 1")
        assert send(server, 2, ALICE, "help") == 250
        server.stop()
    assert "Install the newer program" in server.log


def send(server: Server, number: int, sender: str, line: str) -> int:
    """Hand over a mail, and return the code of the answer."""
    with smtplib.SMTP("127.0.0.1", server.port, "localhost", PATIENCE) as smtp:
        try:
            smtp.sendmail(sender, ADDRESS, mailed(sender, line, number))
        except smtplib.SMTPDataError as error:
            return error.smtp_code
        return 250


def owning(host: Host) -> psycopg.Connection:
    """Connect to the database of a host as its owner."""
    return psycopg.connect(host.home().configured.store, autocommit=True)

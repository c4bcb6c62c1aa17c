"""A short trial of several hosts, in which everything fails once, and what lies between them."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm_oust.store.postgresql import PostgresqlDatabase
from tests.chaos.failures import Failure
from tests.chaos.network import Namespaces, Proxies
from tests.chaos.report import report
from tests.chaos.running import Plan, conduct
from tests.chaos.trial import ROOT
from tests.support.postgresql import DatabaseServer, server_folder, server_programs
from tests.support.waiting import PATIENCE, wait_until

HOLDING = """
import sys
from pbm_oust.store.postgresql import PostgresqlDatabase
from pbm_oust.store.postgresql import PostgresqlDatabase

database = PostgresqlDatabase(sys.argv[1], kept_seconds=6)
with database.leased(["outbox"]) as ours:
    print(*ours, flush=True)
    sys.stdin.read()
"""
WHILE = 0.3
"""Seconds in which what is not cut would come through long ago."""


def test_nothing_is_lost_or_doubled_when_servers_databases_and_wires_fail(tmp_path: Path) -> None:
    plan = Plan(mails=24, kills=len(Failure), tables=3, hosts=3, minutes=15)
    outcome = conduct(plan, tmp_path)
    assert outcome.is_right, report(outcome)
    counts = outcome.ledger.counts
    assert len(outcome.ledger.mails) == 24
    assert {each: counts[each.value] for each in Failure} == dict.fromkeys(Failure, 1)
    assert f"3 hosts, joined with their databases by {outcome.wire}" in report(outcome)


@pytest.fixture
def echoing(tmp_path: Path) -> Iterator[Path]:
    """The socket of a server that says again what it hears."""
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def echo() -> None:
            there, _ = listener.accept()
            with there:
                while heard := there.recv(100):
                    there.sendall(heard)

        thread = threading.Thread(target=echo)
        thread.start()
        yield path
        thread.join(PATIENCE)


def test_a_proxy_that_is_cut_lets_through_later_what_was_said(echoing: Path) -> None:
    proxies = Proxies(2, [echoing])
    with socket.create_connection(proxies.places(1)[0], timeout=PATIENCE) as client:
        client.sendall(b"one")
        assert client.recv(100) == b"one"
        proxies.cut(1)
        client.sendall(b"two")
        client.settimeout(WHILE)
        with pytest.raises(TimeoutError):
            client.recv(100)
        proxies.mend(0)
        with pytest.raises(TimeoutError):
            client.recv(100)
        proxies.mend(1)
        client.settimeout(PATIENCE)
        assert client.recv(100) == b"two"
    proxies.close()


def has(task: str, database: PostgresqlDatabase) -> bool:
    """Return whether a host can have a lease."""
    with database.leased([task]) as ours:
        return task in ours


def test_a_host_that_is_cut_off_loses_its_leases() -> None:
    try:
        network = Namespaces(1, [5432])
    except OSError as error:
        pytest.skip(f"no network namespaces: {error}")
    with server_programs() as programs, server_folder() as folder:
        settings = {"listen_addresses": network.listen_addresses}
        inside = network.beside_databases()
        database = DatabaseServer(
            programs, folder, is_durable=False, settings=settings, inside=inside
        )
        database.make()
        database.let_in("10.77.0.0/24")
        database.start()
        ((host, port),) = network.places(0)
        url = f"postgresql://postgres@{host}:{port}/postgres"
        holder = subprocess.Popen(
            [*network.inside(0), sys.executable, "-c", HOLDING, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        assert holder.stdout
        assert holder.stdout.readline() == b"outbox\n"
        other = PostgresqlDatabase(database.url("postgres"))
        assert not has("outbox", other)
        network.cut(0)
        wait_until(lambda: has("outbox", other), "the lease has ended")
        other.close()
        holder.communicate()
        database.stop()
        network.close()

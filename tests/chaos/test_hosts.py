"""A short trial of several hosts, in which everything fails once, and what lies between them."""

import subprocess
import sys
from pathlib import Path

from pbm_oust.store.postgresql import PostgresqlDatabase
from tests.chaos.ledger import Failure
from tests.chaos.network import Namespaces
from tests.chaos.report import report
from tests.chaos.running import Plan, conduct
from tests.chaos.trial import ROOT
from tests.support.postgresql import DatabaseServer, server_folder, server_programs
from tests.support.waiting import wait_until

HOLDING = """
import sys
from pbm_oust.store.postgresql import PostgresqlDatabase
from pbm_oust.store.postgresql import PostgresqlDatabase

database = PostgresqlDatabase(sys.argv[1])
database.kept_seconds = 6
with database.leased(["outbox"]) as ours:
    print(*ours, flush=True)
    sys.stdin.read()
"""


def test_nothing_is_lost_or_doubled_when_servers_databases_and_wires_fail(tmp_path: Path) -> None:
    plan = Plan(mails=24, kills=len(Failure), tables=3, hosts=3, minutes=15)
    outcome = conduct(plan, tmp_path)
    assert outcome.is_right, report(outcome)
    counts = outcome.ledger.counts
    assert len(outcome.ledger.mails) == 24
    assert {each: counts[each.value] for each in Failure} == dict.fromkeys(Failure, 1)
    assert report(outcome).startswith("3 hosts, ")


def has(task: str, database: PostgresqlDatabase) -> bool:
    """Return whether a host can have a lease."""
    with database.leased([task]) as ours:
        return task in ours


def test_a_host_that_is_cut_off_loses_its_leases() -> None:
    network = Namespaces(1, [5432])
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

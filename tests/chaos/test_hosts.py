"""A short trial of several hosts, in which everything fails once, and what lies between them."""

from pathlib import Path

from tests.chaos.ledger import Failure
from tests.chaos.report import report
from tests.chaos.running import Plan, conduct


def test_nothing_is_lost_or_doubled_when_servers_databases_and_wires_fail(tmp_path: Path) -> None:
    plan = Plan(mails=24, kills=len(Failure), tables=3, hosts=3, minutes=15)
    outcome = conduct(plan, tmp_path)
    assert outcome.is_right, report(outcome)
    counts = outcome.ledger.counts
    assert len(outcome.ledger.mails) == 24
    assert {each: counts[each.value] for each in Failure} == dict.fromkeys(Failure, 1)
    assert report(outcome).startswith("3 hosts, ")

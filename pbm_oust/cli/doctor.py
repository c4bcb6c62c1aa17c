"""`pbm-oust doctor`: what is wrong with the home, and what to do."""

from collections.abc import Iterator
from itertools import chain

import click

from pbm_oust.cli.operator import Operator, as_json, pass_operator, print_json
from pbm_oust.cli.terminal import say
from pbm_oust.doctor.boards import check_accounts, check_boards
from pbm_oust.doctor.finding import Finding, Verdict
from pbm_oust.doctor.home import (
    check_configuration,
    check_database,
    check_host,
    check_house,
    check_server,
)
from pbm_oust.doctor.letters import check_letters, check_limits, check_relay
from pbm_oust.store.configuration import BadConfiguration, Configuration
from pbm_oust.store.upkeep import described, find_trouble


@click.command()
@click.option("--relay", "with_relay", is_flag=True, help="Greet the relay, too.")
@as_json
@pass_operator
def doctor(operator: Operator, with_relay: bool, as_json: bool) -> None:
    """Say what is wrong with the home, and what to do.

    Prints a line for each finding. Replays every history, and changes nothing. Exit status 1 if
    something is wrong. As JSON it also says whether mail can be taken, as /healthz on the pages
    does.
    """
    findings = list(_examine(operator, with_relay))
    if as_json:
        found = [
            {"verdict": each.verdict.value, "about": each.about, "text": each.text}
            for each in findings
        ]
        trouble = find_trouble(operator.home_as_it_is, lasts=False)
        print_json({**described(trouble), "findings": found})
    else:
        for finding in findings:
            say(finding)
    if any(finding.verdict is Verdict.BAD for finding in findings):
        raise SystemExit(1)


def _examine(operator: Operator, with_relay: bool) -> Iterator[Finding]:
    home = operator.home_as_it_is
    try:
        configured = operator.read_configuration()
    except BadConfiguration:
        configured = Configuration()
    return chain(
        check_configuration(home),
        check_house(configured),
        check_server(home),
        check_database(home),
        check_boards(home, home.now()),
        check_accounts(home),
        check_letters(home, configured, home.now()),
        check_limits(home, home.now()),
        check_host(home, configured),
        check_relay(home, configured) if with_relay else (),
    )

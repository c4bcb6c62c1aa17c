"""`pbm-oust sweep`: doing what is due, from cron if no server runs."""

import click

from pbm_oust.cli.operator import Operator, as_json, pass_operator, print_json
from pbm_oust.cli.terminal import say
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.mail.relay import Relaying
from pbm_oust.service import sweep as sweeps
from pbm_oust.store.configuration import BadConfiguration
from pbm_oust.store.publishing import Walk


@click.command()
@as_json
@pass_operator
def sweep(operator: Operator, as_json: bool) -> None:
    """Do what is due: reminders, games lost on time, digests.

    A running server does the same every few minutes; both together do each thing once. Exit status
    1 if something could not be looked at, such as a damaged history; the rest is done.
    """
    home = operator.prepared_home()
    home.recover()
    home.remove_drafts()
    if not home.is_on_server:
        for name in Walk(home.publisher, home.database).whole():
            say(f"{name}: its file was not as it should be", err=True)
    swept = sweeps.sweep(open_inbound(home, operator.configuration.address, home.now).work)
    if as_json:
        done = [{"about": deed.about, "what": deed.what} for deed in swept.done]
        troubles = [{"about": each.about, "reason": each.reason} for each in swept.troubles]
        print_json({"done": done, "troubles": troubles})
    else:
        for deed in swept.done:
            say(f"{deed.about}: {deed.what}")
        for each in swept.troubles:
            say(f"Error: {each.about}: {each.reason}", err=True)
    hand_over(operator)
    if swept.troubles:
        raise SystemExit(1)


def hand_over(operator: Operator) -> None:
    """Hand the letters of the outbox to the relay, if there is one; they stay if it is down."""
    configuration = operator.configuration
    relay, address = configuration.relay, configuration.address
    if relay:
        try:
            Relaying(operator.home, relay, address, operator.home.database.time).flush()
        except (BadConfiguration, OSError) as error:
            say(f"letters stay in the outbox: {error}", err=True)

"""`pbm-oust broadcast`: the operator writes to the players."""

import sys

import click

from pbm_oust.cli.operator import Operator, Refused, pass_operator
from pbm_oust.cli.players import read_account
from pbm_oust.cli.terminal import say
from pbm_oust.cli.work import unit_of_work
from pbm_oust.commands.talk import announce
from pbm_oust.doctor.finding import counted
from pbm_oust.store.faults import AccountDamaged


@click.command()
@click.option("--text", help="What to write; read from standard input by default.")
@click.option(
    "--to",
    "userids",
    multiple=True,
    metavar="USERID",
    help="Write to this player only; may be repeated.",
)
@pass_operator
def broadcast(operator: Operator, text: str | None, userids: tuple[str, ...]) -> None:
    """Write to all players, or to those named with --to.

    Players who have turned such mails off get none, unless they are named. Nobody reads answers to
    such a mail, so say in it where to write.
    """
    text = sys.stdin.read() if text is None else text
    if not text.strip():
        raise click.UsageError("there is nothing to write; give it by --text or standard input")
    to = [userid.lower() for userid in userids] or None
    for userid in to or ():
        read_account(operator, userid)
    try:
        count = announce(text, to, unit_of_work(operator))
    except AccountDamaged as error:
        raise Refused(str(error)) from None
    say(f"written to {counted(count, 'player')}")

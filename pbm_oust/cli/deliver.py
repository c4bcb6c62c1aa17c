"""`pbm-oust deliver`: one mail from a pipe.

It hands the mail to the server of the home, if one runs, and imports little for that.
"""

import gc
import os
import sys
from pathlib import Path

import click

from pbm_oust.cli.main import Done, uncollected
from pbm_oust.cli.terminal import tell
from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.delivery import Reply, hand_over, handed

_NO_SUCH_RECIPIENT = "5.1.1"
"""RFC 3463, section 3.2."""


@click.command()
@click.option("--sender", metavar="ADDRESS", help="The envelope sender; empty for the null sender.")
@click.option("--recipient", metavar="ADDRESS", help="The envelope recipient.")
@click.pass_context
def deliver(context: click.Context, sender: str | None, recipient: str | None) -> None:
    """Take one message from standard input, for a pipe or .forward.

    Exit status as in sysexits.h: 0 done, 65 not readable, 67 not our recipient, 75 try again.
    """
    home = Path(context.find_root().params["home"])
    data = sys.stdin.buffer.read(LARGEST_MAIL + 1)
    mail = handed(data, sender, recipient)
    reply = hand_over(home, mail)
    if reply is None:
        with uncollected():
            from pbm_oust.cli.unserved import take

        gc.freeze()  # What has been imported stays: it is never garbage.
        raise Done(take(home, mail))
    tell(reply.text)
    raise Done(_status(reply))


def _status(reply: Reply) -> int:
    """Return the exit status that a reply of the server means."""
    if reply.code < 300:
        return os.EX_OK
    if reply.code < 500:
        return os.EX_TEMPFAIL
    return os.EX_NOUSER if reply.text.startswith(_NO_SUCH_RECIPIENT) else os.EX_DATAERR

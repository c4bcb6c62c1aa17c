"""`pbm-oust deliver`: one mail from a pipe.

The command hands the mail to the server of the home, if one runs, and imports little for that. If
none runs, it does all that the mail leads to.
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbm_oust.cli.terminal import tell
from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.delivery import Handed, SmtpReply, hand_over, handed

if TYPE_CHECKING:
    from pbm_oust.cli.common import Operator
    from pbm_oust.store.home import Home

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
    mail = handed(sys.stdin.buffer.read(LARGEST_MAIL + 1), sender, recipient)
    if reply := hand_over(home, mail):
        tell(reply.text)
        raise SystemExit(_status(reply))
    raise SystemExit(_take(home, mail))


def _status(reply: SmtpReply) -> int:
    """Return the exit status that a reply of the server means."""
    if reply.code < 300:
        return os.EX_OK
    if reply.code < 500:
        return os.EX_TEMPFAIL
    return os.EX_NOUSER if reply.text.startswith(_NO_SUCH_RECIPIENT) else os.EX_DATAERR


def _take(path: Path, mail: Handed) -> int:
    """Take a mail for a home without a server, and return the exit status.

    One for somebody else is kept by its sender while no address is configured: the configuration
    may be about to be saved. Letters go to the relay at once, if there is one.
    """
    from pbm_oust.accounts.address import is_same_address
    from pbm_oust.cli.common import Operator
    from pbm_oust.cli.logs import log, start_log
    from pbm_oust.mail.inbound import KeptBySender, envelope_of, not_ours
    from pbm_oust.mail.reading import UnreadableMail
    from pbm_oust.store.configuration import USUAL_ADDRESS

    start_log()
    operator = Operator(path)
    try:
        address = operator.configuration.address
        for recipient in mail.recipients:
            if not is_same_address(recipient, address):
                tell(not_ours(recipient, address))
                return os.EX_NOUSER if address != USUAL_ADDRESS else os.EX_TEMPFAIL
        inbound = operator.inbound()
        home = inbound.work.home
        home.recover()
        leave = _way_out(operator, home)
        inbound.take(mail.data, envelope_of(mail.sender, mail.recipients))
        home.write_tally(home.now())
        try:  # the mail is done, whatever becomes of its letters
            leave()
        except Exception as error:  # noqa: BLE001 - the outermost edge
            log.warning("letters stay in the outbox: %s", error)
    except UnreadableMail as error:
        tell(f"not readable: {error}")
        return os.EX_DATAERR
    except KeptBySender:
        return os.EX_TEMPFAIL
    except (OSError, click.ClickException) as error:
        log.error("kept by the sender: %s", error)
        return os.EX_TEMPFAIL
    except Exception:  # noqa: BLE001 - the outermost edge
        log.exception("kept by the sender: a fault in the program")
        return os.EX_TEMPFAIL
    finally:
        operator.close()
    return os.EX_OK


def _way_out(operator: "Operator", home: "Home") -> Callable[[], None]:
    """Return what lets letters leave: into the Maildir, or to the relay, as the server does.

    Those that wait by now have waited through an outage, if there is one.
    """
    from pbm_oust.store.upkeep import turn_letters_into_files

    relay = operator.configuration.relay
    if relay is None:
        return partial(turn_letters_into_files, home)
    from pbm_oust.mail.sender import Outage  # few homes with a pipe have a relay

    outage, relaying = Outage(home), operator.relaying(relay)

    def leave() -> None:
        try:
            outage.flush(relaying)
        except OSError as error:
            outage.goes_on(error)

    return leave

"""A mail for a home without a server: the process that brings it does all that it leads to."""

import logging
import os
from pathlib import Path

import click

from pbm_oust.accounts.address import is_same_address
from pbm_oust.cli.log import start_log
from pbm_oust.cli.operator import Operator
from pbm_oust.cli.terminal import tell
from pbm_oust.mail.delivery import Handed
from pbm_oust.mail.inbound import KeptBySender, envelope_of, not_ours, open_inbound
from pbm_oust.mail.reading import UnreadableMail
from pbm_oust.store.configuration import USUAL_ADDRESS
from pbm_oust.store.upkeep import turn_letters_into_files

log = logging.getLogger("pbm_oust")


def take(home: Path, mail: Handed) -> int:
    """Take a mail, and return an exit status as in sysexits.h. Letters go to the relay at once."""
    start_log()
    operator = Operator(home)
    try:
        status = _take(operator, mail)
        if status == os.EX_OK:
            _send_letters(operator)
    finally:
        operator.close()
    return status


def _take(operator: Operator, mail: Handed) -> int:
    """Take a mail. One for somebody else is kept by its sender while no address is configured.

    The configuration may be about to be saved.
    """
    try:
        address = operator.configuration.address
        for recipient in mail.recipients:
            if not is_same_address(recipient, address):
                tell(not_ours(recipient, address))
                return os.EX_NOUSER if address != USUAL_ADDRESS else os.EX_TEMPFAIL
        home = operator.prepared_home()
        home.recover()
        inbound = open_inbound(home, address, home.now, operator.configuration.limits)
        inbound.take(mail.data, envelope_of(mail.sender, mail.recipients))
        home.write_tally(home.now())
    except UnreadableMail as error:
        tell(f"not readable: {error}")
        return os.EX_DATAERR
    except KeptBySender:
        return os.EX_TEMPFAIL
    except (OSError, click.ClickException) as error:
        log.error("kept by the sender: %s", error)
        return os.EX_TEMPFAIL
    except Exception:
        log.exception("kept by the sender: a fault in the program")
        return os.EX_TEMPFAIL
    return os.EX_OK


def _send_letters(operator: Operator) -> None:
    """Hand letters to the relay, if there is one; the mail is done, whatever becomes of them."""
    relay = operator.configuration.relay
    try:
        if relay is None:
            turn_letters_into_files(operator.home)
            return
        from pbm_oust.mail.relay import Relaying  # most homes with a pipe have no relay

        address = operator.configuration.address
        Relaying(operator.home, relay, address, operator.home.database.time).flush()
    except Exception as error:  # noqa: BLE001 - the outermost edge
        log.warning("letters stay in the outbox: %s", error)

"""`pbm-oust serve`, `deliver` and `mail`: mail in, and mail to a running server."""

import asyncio
import logging
import os
import smtplib
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from email.message import EmailMessage
from email.utils import make_msgid

import click

from pbm_oust.accounts.tags import without_tokens
from pbm_oust.cli.completion import complete_command
from pbm_oust.cli.log import start_log
from pbm_oust.cli.operator import ADDRESS, ENDPOINT, RELAY, Operator, Refused, now, pass_operator
from pbm_oust.cli.terminal import say, say_text
from pbm_oust.grammar.words import MASK
from pbm_oust.mail.connection import SIZE_LIMIT
from pbm_oust.mail.crew import Crew, Member
from pbm_oust.mail.handler import takes
from pbm_oust.mail.inbound import KeptBySender, envelope_of, open_inbound
from pbm_oust.mail.listener import CannotListen
from pbm_oust.mail.ports import Ports
from pbm_oust.mail.reading import UnreadableMail
from pbm_oust.mail.relay import Relaying, reply_text
from pbm_oust.mail.server import Server
from pbm_oust.mail.signing import read_signer
from pbm_oust.store import own_socket
from pbm_oust.store.configuration import BadConfiguration, Configuration, Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.posted import read_letters

log = logging.getLogger("pbm_oust")

MOST_PROCESSES = 64

_READY = 220
"""What a server says first (RFC 5321, section 4.2)."""


@click.command()
@click.option("--smtp", type=ENDPOINT, help="Listen for SMTP at HOST:PORT.")
@click.option("--lmtp", type=ENDPOINT, help="Listen for LMTP at HOST:PORT or unix:PATH.")
@click.option("--relay", type=RELAY, help="Hand letters to smtp://HOST:PORT.")
@click.option("--address", type=ADDRESS, help="The address that takes commands.")
@click.option(
    "--processes",
    type=click.IntRange(1, MOST_PROCESSES),
    default=1,
    show_default=True,
    help="How many processes share the work.",
)
@pass_operator
def serve(
    operator: Operator,
    smtp: Endpoint | None,
    lmtp: Endpoint | None,
    relay: Endpoint | None,
    address: str | None,
    processes: int,
) -> None:
    """Take mail and answer it, until told to stop.

    Options override pbm_oust.toml in the home, where smtp = "" turns SMTP off. Without a relay,
    letters stay in the outbox, a Maildir in the home. SIGHUP makes the server read the file again.
    """

    def configure() -> Configuration:
        configured = operator.read_configuration()
        chosen = replace(
            configured,
            address=address or configured.address,
            smtp=smtp or configured.smtp,
            lmtp=lmtp or configured.lmtp,
            relay=relay or configured.relay,
        )
        if not (chosen.smtp or chosen.smtps or chosen.lmtp):
            raise BadConfiguration("nowhere to listen: give --smtp or --lmtp")
        return chosen

    def announce(configuration: Configuration, listening: Iterable[Endpoint]) -> None:
        places = " and ".join(map(str, listening))
        say(f"Serving {configuration.address} at {places}; home {operator.path}.")
        log.info("listening at %s", places)

    start_log()
    operator.prepared_home()
    try:
        if processes == 1:
            asyncio.run(Server(operator.home, configure, now, announce).run())
        else:
            operator.close()
            _serve_together(operator, processes, configure, announce)
    except (CannotListen, BadConfiguration) as error:
        say(f"Error: {error}", err=True)
        raise SystemExit(2) from None


def _serve_together(
    operator: Operator,
    processes: int,
    configure: Callable[[], Configuration],
    announce: Callable[[Configuration, Iterable[Endpoint]], None],
) -> None:
    """Serve with several processes, until told to stop."""
    ports = Ports()
    configuration = ports.fix(configure())

    def work(member: Member) -> int:
        home = Home(operator.path)
        server = Server(home, lambda: ports.fix(configure()), now, lambda *_: None, member=member)
        try:
            asyncio.run(server.run())
        except (CannotListen, BadConfiguration) as error:
            say(f"Error: {error}", err=True)
            return 2
        finally:
            home.database.close()
        return 0

    places = [configuration.smtp, configuration.smtps, configuration.lmtp]
    crew = Crew(processes, work, lambda: announce(configuration, filter(None, places)))
    raise SystemExit(crew.run())


@click.command()
@click.option("--sender", help="The envelope sender; empty for the null sender.")
@click.option("--recipient", help="The envelope recipient.")
@pass_operator
def deliver(operator: Operator, sender: str | None, recipient: str | None) -> None:
    """Take one message from standard input, for a pipe or .forward.

    Exit status as in sysexits.h: 0 done, 65 not readable, 67 not our recipient, 75 try again.
    """
    start_log()
    try:
        address = operator.configuration.address
        if recipient is not None and not takes(recipient, address):
            say(f"{without_tokens(recipient, MASK)} is not {address}", err=True)
            raise SystemExit(os.EX_NOUSER)
        data = sys.stdin.buffer.read(SIZE_LIMIT + 1)
        if len(data) > SIZE_LIMIT:
            raise UnreadableMail(f"the message is larger than {SIZE_LIMIT} bytes")
        home = operator.prepared_home()
        home.recover()
        inbound = open_inbound(home, address, now, operator.configuration.limits)
        inbound.take(data, envelope_of(sender, [recipient] if recipient else []))
        home.write_tally(now())
    except UnreadableMail as error:
        say(f"not readable: {error}", err=True)
        raise SystemExit(os.EX_DATAERR) from None
    except KeptBySender:
        raise SystemExit(os.EX_TEMPFAIL) from None
    except (OSError, click.ClickException) as error:
        log.error("kept by the sender: %s", error)
        raise SystemExit(os.EX_TEMPFAIL) from None
    except Exception:
        log.exception("kept by the sender: a fault in the program")
        raise SystemExit(os.EX_TEMPFAIL) from None
    if operator.configuration.relay:
        try:
            signer = read_signer(operator.configuration)
            relay = operator.configuration.relay
            Relaying(operator.home, relay, address, time.time, signer).flush()
        except Exception as error:  # noqa: BLE001 - the message is done, whatever becomes of letters
            log.warning("letters stay in the outbox: %s", error)


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--from", "sender", type=ADDRESS, required=True, help="Who sends the command.")
@click.option("--smtp", type=ENDPOINT, help="Where to send it instead: HOST:PORT.")
@click.option("--text", default="", help="The text of the mail.")
@click.argument(
    "subject", metavar="SUBJECT", nargs=-1, required=True, shell_complete=complete_command
)
@pass_operator
def mail(
    operator: Operator, sender: str, smtp: Endpoint | None, text: str, subject: tuple[str, ...]
) -> None:
    """Mail a command to the running server and print its answer.

    The server takes it that the mail is from --from, because whoever owns the home says so. That
    does not hold for a mail that is sent with --smtp. Exit status 1 if the command was refused.
    """
    line = " ".join(subject)
    if len(line.splitlines()) > 1:
        raise click.UsageError("a Subject is one line; the text of the mail goes into --text")
    message = EmailMessage()
    message["From"] = sender
    message["To"] = operator.configuration.address
    message["Subject"] = line
    message["Date"] = now()
    message["Message-ID"] = make_msgid(domain="localhost")
    message.set_content(text)
    server = f"the server at {smtp}" if smtp else "the server of this home"
    try:
        with _connected(operator, smtp) as client:
            client.send_message(message)
    except smtplib.SMTPResponseException as error:
        said = f"{error.smtp_code} {reply_text(error.smtp_error)}"
        raise Refused(f"{server} did not take the mail: {said}") from None
    except OSError as error:
        raise Refused(f"{server} did not take the mail: {error}") from None
    answers = [
        letter
        for letter in read_letters(operator.home)
        if letter.header("In-Reply-To") == message["Message-ID"]
    ]
    if not answers and operator.configuration.relay:
        say("The answer is not in the outbox; it has been handed to the relay.")
    elif not answers:
        raise Refused(
            f"there is no answer in {operator.home.outbox.path}; is it the server's home?"
        )
    for letter in answers:
        say(f"Subject: {letter.header('Subject')}")
        say_text(f"\n{letter.text}\n")
    if any(letter.header("X-Pbm-Oust") == "refusal" for letter in answers):
        raise SystemExit(1)


def _connected(operator: Operator, endpoint: Endpoint | None) -> smtplib.SMTP:
    """Return a connection to an endpoint, or else to the home's own socket. Raises OSError."""
    client = smtplib.SMTP(local_hostname="localhost")
    if endpoint:
        code, said = client.connect(endpoint.host, endpoint.port)
    else:
        client.sock = own_socket.connect(operator.home.path)
        if client.sock is None:
            raise Refused(f"no server is running for the home {operator.path}; start it with serve")
        code, said = client.getreply()
    if code != _READY:
        client.close()
        raise smtplib.SMTPConnectError(code, said)
    return client

"""`pbm-oust mail`: a command to a running server, and its answer."""

import smtplib
from contextlib import suppress
from email.message import EmailMessage
from email.utils import make_msgid

import click

from pbm_oust.cli.operator import (
    ADDRESS,
    ENDPOINT,
    Operator,
    Refused,
    complete_command,
    now,
    pass_operator,
)
from pbm_oust.cli.terminal import say, say_text
from pbm_oust.mail import own_socket
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import command_line
from pbm_oust.store.letters import parse_content, text_of

_READY = 220
"""What a server says first (RFC 5321, section 4.2)."""


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
    except smtplib.SMTPRecipientsRefused as error:
        ((code, reply),) = error.recipients.values()
        raise Refused(
            f"{server} did not take the mail for {operator.configuration.address}: {code} "
            f"{_reply_text(reply)}; address in {operator.home.configuration} must be the server's"
        ) from None
    except smtplib.SMTPResponseException as error:
        said = f"{error.smtp_code} {_reply_text(error.smtp_error)}"
        raise Refused(f"{server} did not take the mail: {said}") from None
    except OSError as error:
        raise Refused(f"{server} did not take the mail: {error}") from None
    answers = list[EmailMessage]()
    for name in operator.home.outbox.letters():
        with suppress(NoSuchFile):
            letter = parse_content(operator.home.outbox.read(name))
            if letter["In-Reply-To"] == message["Message-ID"]:
                answers.append(letter)
    if not answers and operator.configuration.relay:
        say("The answer is not in the outbox; it has been handed to the relay.")
    elif not answers:
        raise Refused(
            f"there is no answer in {operator.home.outbox.path}; is it the server's home?"
        )
    for letter in answers:
        say(f"Subject: {letter['Subject']}")
        say_text(f"\n{text_of(letter)}\n")
    if any(letter["X-Pbm-Oust"] == "refusal" for letter in answers):
        raise SystemExit(1)


def _connected(operator: Operator, endpoint: Endpoint | None) -> smtplib.SMTP:
    """Return a connection to an endpoint, or else to the home's own socket. Raises OSError."""
    client = (smtplib.SMTP if endpoint else smtplib.LMTP)(local_hostname="localhost")
    if endpoint:
        code, said = client.connect(endpoint.host, endpoint.port)
    else:
        client.sock = own_socket.connect(operator.home.path, own_socket.FOR_OWNER)
        if client.sock is None:
            start = command_line(operator.path, "serve")
            raise Refused(
                f"no server is running for the home {operator.path}; "
                f"start one in another terminal:  {start}"
            )
        code, said = client.getreply()
    if code != _READY:
        client.close()
        raise smtplib.SMTPConnectError(code, said)
    return client


def _reply_text(text: bytes | str) -> str:
    """Return the text of a reply of a mail server; smtplib has it in either type."""
    return text.decode("ascii", "replace") if isinstance(text, bytes) else text

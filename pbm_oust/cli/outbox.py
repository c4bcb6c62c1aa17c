"""`pbm-oust outbox` and `mail`: letters that wait, and a command by mail with its answer."""

import smtplib
from collections.abc import Callable, Iterable
from contextlib import suppress
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from functools import partial
from typing import Any

import click

from pbm_oust.cli import common
from pbm_oust.cli.terminal import Output, say, say_data, say_text
from pbm_oust.doctor import counted
from pbm_oust.mail import own_socket
from pbm_oust.store.configuration import BadConfiguration, Endpoint
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import DatabaseFault, command_line
from pbm_oust.store.letters import (
    Letter,
    LetterState,
    hold_letters,
    parse_content,
    remove_letters,
    text_of,
)
from pbm_oust.store.outbox import CannotWrite, name_of
from pbm_oust.store.upkeep import release_letters
from pbm_oust.store.verifications import bounces_of, forget_bounces


@common.command("list", has_json=True)
def list_(operator: common.Operator, output: Output) -> None:
    """List letters that wait, are held back, or failed."""
    columns = {"LETTER": "name", "STATE": "state", "TO": "to", "SUBJECT": "subject"}
    outbox = operator.home.outbox
    output.items(list(map(outbox.titled, outbox.listed())), _summary, columns)


@common.command()
@click.argument("name")
@click.option("--raw", is_flag=True, help="Print it as it goes to the relay.")
def show(operator: common.Operator, name: str, raw: bool) -> None:
    """Print a letter. The beginning of its name is enough."""
    outbox = operator.home.outbox
    whole_name = _only(list(map(name_of, outbox.listed())), name, "letters")
    try:
        message = parse_content(outbox.read(whole_name))
    except NoSuchFile:
        raise common.Refused(f"the letter {whole_name} has just been sent") from None
    except CannotWrite as fault:
        raise common.Refused(f"the letter {whole_name} cannot be written: {fault}") from None
    if raw:
        say_data(message.as_bytes())
        return
    for header in ("From", "To", "Subject", "Date"):
        say(f"{header}: {message[header]}")
    say_text(f"\n{text_of(message)}")


@common.command()
@click.option("--relay", type=common.RELAY, help="Where to hand letters over: smtp://HOST:PORT.")
def flush(operator: common.Operator, relay: Endpoint | None) -> None:
    """Hand all letters that wait to the relay now."""
    relay = relay or operator.configuration.relay
    if relay is None:
        raise click.UsageError("no relay is configured; name one with --relay")
    operator.prepared_home()
    try:
        flushed = operator.relaying(relay).flush(all_letters=True)
    except BadConfiguration as error:
        raise click.UsageError(str(error)) from None
    except DatabaseFault:
        raise
    except OSError as error:
        raise common.Refused(f"the relay {relay} does not take letters: {error}") from None
    say(f"{flushed.sent} sent, {flushed.kept} kept, {flushed.failed} failed")
    if flushed.kept or flushed.failed:
        raise SystemExit(1)


@common.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME..")
def retry(operator: common.Operator, names: tuple[str, ...]) -> None:
    """Send failed letters again. The beginning of a name is enough."""
    home = operator.home

    def retried(name: str) -> None:
        home.outbox.retry(name, home.now())

    failed = home.outbox.letters(LetterState.FAILED)
    _do_to_each(failed, names, "failed letters", retried, "{} waits for the relay")


@common.command()
@click.argument("names", nargs=-1, metavar="[NAME..]")
@click.option("--failed", "all_failed", is_flag=True, help="Remove all letters that failed.")
def remove(operator: common.Operator, names: tuple[str, ...], *, all_failed: bool) -> None:
    """Remove letters that failed, are held back or cannot be written.

    The beginning of a name is enough for each.
    """
    outbox = operator.home.outbox
    if all_failed == bool(names):
        raise click.UsageError("name letters, or remove all that failed with --failed")
    if all_failed:
        failed = [each.id for each in outbox.listed(LetterState.FAILED)]
        operator.home.do(remove_letters, failed)
        say(f"removed {counted(len(failed), 'letter')}")
        return
    aside = outbox.letters(LetterState.HELD, LetterState.FAILED)
    aside += [name_of(each) for each in outbox.listed() if each.is_put_aside]
    aside = [*dict.fromkeys(aside)]
    _do_to_each(aside, names, "failed or held letters", outbox.remove, "removed {}")


@common.command()
def hold(operator: common.Operator) -> None:
    """Hold back the letters that wait, until you resume them.

    After the database was put back to an earlier moment, some of them may have left since. Do this
    while no server runs: it may still send letters that it is handing over.
    """
    waiting = partial(hold_letters, states=[LetterState.WAITING])
    say(f"{counted(operator.home.database.write(waiting), 'letter')} held back")


@common.command()
@click.argument("address", type=common.ADDRESS, required=False)
def resume(operator: common.Operator, address: str | None) -> None:
    """Let the letters go that a restore holds back.

    With ADDRESS: write again to an address from which letters came back. A mail from that address
    does the same.
    """
    if address is None:
        released = release_letters(operator.home, operator.home.now())
        say(f"{counted(released, 'letter')} released")
        return
    returned = operator.home.ask(bounces_of, address)
    if not returned.bounces:
        raise common.Refused(f"no letters came back from {address}")
    operator.home.do(forget_bounces, address)
    say(f"{address} gets letters again")


def _do_to_each(
    names: list[str], beginnings: Iterable[str], what: str, deed: Callable[[str], None], done: str
) -> None:
    """Do something to the letters whose names have these beginnings, and say so of each.

    Raises Refused as `_only` does, or if somebody else has removed one meanwhile.
    """
    for name in dict.fromkeys([_only(names, beginning, what) for beginning in beginnings]):
        try:
            deed(name)
        except NoSuchFile:
            raise common.Refused(f"the letter {name} is no longer there") from None
        say(done.format(name))


def _only(names: list[str], beginning: str, what: str) -> str:
    """Return the name with this beginning. Raises Refused unless there is exactly one."""
    found = [name for name in names if name.startswith(beginning)]
    if len(found) != 1:
        raise common.Refused(f"{len(found)} {what} have names that begin with {beginning}")
    return found[0]


def _summary(letter: Letter) -> dict[str, Any]:
    state = LetterState.WAITING if letter.state is LetterState.FILE else letter.state
    return {
        "name": name_of(letter),
        "to": letter.head.recipient,
        "subject": letter.head.subject,
        "date": format_datetime(letter.posted),
        "message_id": letter.head.message_id,
        "state": state.value,
    }


_READY = 220
"""The code of a server's greeting (RFC 5321, section 4.2)."""


@common.command(context_settings={"ignore_unknown_options": True})
@click.option("--from", "sender", type=common.ADDRESS, required=True, help="Who sends the command.")
@click.option("--smtp", type=common.ENDPOINT, help="Where to send it instead: HOST:PORT.")
@click.option("--text", default="", help="The text of the mail.")
@click.argument(
    "subject", metavar="SUBJECT", nargs=-1, required=True, shell_complete=common.complete_command
)
def mail(
    operator: common.Operator,
    sender: str,
    smtp: Endpoint | None,
    text: str,
    subject: tuple[str, ...],
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
    message["Date"] = operator.home.now()
    message["Message-ID"] = make_msgid(domain="localhost")
    message.set_content(text)
    server = f"the server at {smtp}" if smtp else "the server of this home"
    try:
        with _connected(operator, smtp) as client:
            client.send_message(message)
    except smtplib.SMTPRecipientsRefused as error:
        (reply,) = error.recipients.values()
        raise common.Refused(
            f"{server} did not take the mail for {operator.configuration.address}: "
            f"{_said(*reply)}; address in {operator.home.configuration} must be the server's"
        ) from None
    except smtplib.SMTPResponseException as error:
        said = _said(error.smtp_code, error.smtp_error)
        raise common.Refused(f"{server} did not take the mail: {said}") from None
    except OSError as error:
        raise common.Refused(f"{server} did not take the mail: {error}") from None
    answers = list[EmailMessage]()
    for name in operator.home.outbox.letters():
        with suppress(NoSuchFile, CannotWrite):
            letter = parse_content(operator.home.outbox.read(name))
            if letter["In-Reply-To"] == message["Message-ID"]:
                answers.append(letter)
    if not answers and operator.configuration.relay:
        say("The answer is not in the outbox; it has been handed to the relay.")
    elif not answers:
        raise common.Refused(
            f"there is no answer in {operator.home.outbox.path}; is it the server's home?"
        )
    for letter in answers:
        say(f"Subject: {letter['Subject']}")
        say_text(f"\n{text_of(letter)}\n")
    if any(letter["X-Pbm-Oust"] == "refusal" for letter in answers):
        raise SystemExit(1)


def _connected(operator: common.Operator, endpoint: Endpoint | None) -> smtplib.SMTP:
    """Return a connection to an endpoint, or else to the home's own socket. Raises OSError."""
    client = (smtplib.SMTP if endpoint else smtplib.LMTP)(local_hostname="localhost")
    if endpoint:
        code, said = client.connect(endpoint.host, endpoint.port)
    else:
        client.sock = own_socket.connect(operator.home.path, own_socket.FOR_OWNER)
        if client.sock is None:
            start = command_line(operator.path, "serve")
            raise common.Refused(
                f"no server is running for the home {operator.path}; "
                f"start one in another terminal:  {start}"
            )
        code, said = client.getreply()
    if code != _READY:
        client.close()
        raise smtplib.SMTPConnectError(code, said)
    return client


def _said(code: int, text: bytes | str) -> str:
    """Return the reply of a mail server; smtplib has its text in either type."""
    return f"{code} {text.decode('ascii', 'replace') if isinstance(text, bytes) else text}"

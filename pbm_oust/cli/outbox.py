"""`pbm-oust outbox`: listing and showing letters, and handing them to the relay."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from email.utils import format_datetime
from typing import Any

import click

from pbm_oust.cli.operator import (
    ADDRESS,
    RELAY,
    Operator,
    Refused,
    as_json,
    pass_operator,
    print_json,
    print_table,
)
from pbm_oust.cli.terminal import say, say_data, say_text
from pbm_oust.doctor.finding import counted
from pbm_oust.mail.relay import Relaying
from pbm_oust.store.configuration import BadConfiguration, Endpoint
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.letters import Letter, State, hold_waiting, parse_content, text_of
from pbm_oust.store.outbox import name_of
from pbm_oust.store.upkeep import release_letters
from pbm_oust.store.verifications import bounces_of, forget_bounces


@click.command("list")
@as_json
@pass_operator
def list_(operator: Operator, as_json: bool) -> None:
    """List letters that wait, are held back, or failed."""
    letters = list(map(_summary, operator.home.outbox.listed()))
    if as_json:
        print_json(letters)
    elif letters:
        columns = ("name", "state", "to", "subject")
        rows = ([letter[column] for column in columns] for letter in letters)
        print_table(("LETTER", "STATE", "TO", "SUBJECT"), rows)


@click.command()
@click.argument("name")
@click.option("--raw", is_flag=True, help="Print it as it goes to the relay.")
@pass_operator
def show(operator: Operator, name: str, raw: bool) -> None:
    """Print a letter. The beginning of its name is enough."""
    outbox = operator.home.outbox
    whole_name = _only(list(map(name_of, outbox.listed())), name, "letters")
    try:
        message = parse_content(outbox.read(whole_name))
    except NoSuchFile:
        raise Refused(f"the letter {whole_name} has just been sent") from None
    if raw:
        say_data(message.as_bytes())
        return
    for header in ("From", "To", "Subject", "Date"):
        say(f"{header}: {message[header]}")
    say_text(f"\n{text_of(message)}")


@click.command("flush")
@click.option("--relay", type=RELAY, help="Where to hand letters over: smtp://HOST:PORT.")
@pass_operator
def flush(operator: Operator, relay: Endpoint | None) -> None:
    """Hand all letters that wait to the relay now."""
    relay = relay or operator.configuration.relay
    if relay is None:
        raise click.UsageError("no relay is configured; name one with --relay")
    try:
        address = operator.configuration.address
        relaying = Relaying(operator.prepared_home(), relay, address, operator.home.database.time)
        flushed = relaying.flush(all_letters=True)
    except BadConfiguration as error:
        raise click.UsageError(str(error)) from None
    except DatabaseFault:
        raise
    except OSError as error:
        raise Refused(f"the relay {relay} does not take letters: {error}") from None
    say(f"{flushed.sent} sent, {flushed.kept} kept, {flushed.failed} failed")
    if flushed.kept or flushed.failed:
        raise SystemExit(1)


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME..")
@pass_operator
def retry(operator: Operator, names: tuple[str, ...]) -> None:
    """Send failed letters again. The beginning of a name is enough."""
    failed = operator.home.outbox.aside(State.FAILED)
    for name in _each(failed, names, "failed letters"):
        with _still_there(name):
            operator.home.outbox.retry(name, operator.home.now())
        say(f"{name} waits for the relay")


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME..")
@pass_operator
def remove(operator: Operator, names: tuple[str, ...]) -> None:
    """Remove letters that failed or are held back. The beginning of a name is enough."""
    outbox = operator.home.outbox
    for name in _each(outbox.aside(State.HELD, State.FAILED), names, "failed or held letters"):
        with _still_there(name):
            outbox.remove(name)
        say(f"removed {name}")


@click.command()
@pass_operator
def hold(operator: Operator) -> None:
    """Hold back the letters that wait, until you resume them.

    After the database was put back to an earlier moment, some of them may have left since. Do this
    while no server runs: it may still send letters that it is handing over.
    """
    say(f"{counted(operator.home.database.write(hold_waiting), 'letter')} held back")


@click.command()
@click.argument("address", type=ADDRESS, required=False)
@pass_operator
def resume(operator: Operator, address: str | None) -> None:
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
        raise Refused(f"no letters came back from {address}")
    operator.home.do(forget_bounces, address)
    say(f"{address} gets letters again")


def _each(names: list[str], beginnings: Iterable[str], what: str) -> list[str]:
    """Return the names with these beginnings, each once. Raises Refused as `_only` does."""
    return list(dict.fromkeys(_only(names, beginning, what) for beginning in beginnings))


@contextmanager
def _still_there(name: str) -> Iterator[None]:
    """Refuse what the body does with a letter if somebody else has done so meanwhile."""
    try:
        yield
    except NoSuchFile:
        raise Refused(f"the letter {name} is no longer there") from None


def _only(names: list[str], beginning: str, what: str) -> str:
    """Return the name with this beginning. Raises Refused unless there is exactly one."""
    found = [name for name in names if name.startswith(beginning)]
    if len(found) != 1:
        raise Refused(f"{len(found)} {what} have names that begin with {beginning}")
    return found[0]


def _summary(letter: Letter) -> dict[str, Any]:
    state = State.WAITING if letter.state is State.FILE else letter.state
    return {
        "name": name_of(letter),
        "to": letter.head.recipient,
        "subject": letter.head.subject,
        "date": format_datetime(letter.posted),
        "message_id": letter.head.message_id,
        "state": state.value,
    }

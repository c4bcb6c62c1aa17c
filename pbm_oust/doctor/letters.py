"""Letters on their way, the relay that takes them, and limits that left mails unanswered."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from pbm_oust.accounts.address import is_address, normal_address
from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.board.notation import format_time
from pbm_oust.doctor.finding import RESTORE, Examiner, Finding, counted, status
from pbm_oust.mail.relay import connected
from pbm_oust.store.accounts import is_known
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.database import Snapshot
from pbm_oust.store.faults import DatabaseFault, ValueDamaged, command_line
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Letter, State
from pbm_oust.store.limits import SETTABLE, Counted, number_counted
from pbm_oust.store.outbox import name_of
from pbm_oust.store.upkeep import LONGEST_DUE
from pbm_oust.store.verifications import addresses_asked

LONGEST_WAIT = timedelta(days=1)
"""How long a letter may wait for the relay before the operator should look."""
LONGEST_STAGE = timedelta(hours=1)

_on_outbox = Examiner("outbox")


def check_letters(home: Home, configuration: Configuration, now: datetime) -> Iterator[Finding]:
    """Yield findings about the letters in the outbox."""
    try:
        listed = home.outbox.listed()
        waiting = [each for each in listed if each.state in (State.WAITING, State.FILE)]
        held = [each for each in listed if each.state is State.HELD]
        failed = [each for each in listed if each.state is State.FAILED]
        findings = [
            *_without_reader(home, [*waiting, *held]),
            *_late(home, waiting, configuration, now),
            *_held(home, held),
            *_failed(home, failed),
            *_unfinished(home, now),
        ]
    except ValueDamaged as damage:
        yield _on_outbox.bad(str(damage), RESTORE)
        return
    except DatabaseFault:
        yield _on_outbox.note("not looked at, because the database cannot be read")
        return
    since = format_time(min((letter.posted for letter in waiting), default=now))
    oldest = f", the oldest since {since}" if waiting else ""
    yield from _on_outbox.all_or(f"{counted(len(waiting), 'letter')} waiting{oldest}", findings)


def _without_reader(home: Home, letters: Iterable[Letter]) -> Iterator[Finding]:
    """Yield the letters that reach nobody, and those to unknown addresses."""
    for letter in letters:
        name, recipient = name_of(letter), letter.head.recipient
        if not is_address(recipient):
            yield _on_outbox.bad(
                f"the letter {name} goes to {recipient!r}, which is no address",
                "Look at it",
                command_line(home.path, "outbox", "show", name),
            )
        elif not (letter.head.is_answer or home.ask(_has_reader, recipient)):
            yield _on_outbox.note(f"the letter {name} goes to {recipient}, which no account has")


def _has_reader(snapshot: Snapshot, address: str) -> bool:
    """Return whether an account has an address, or a code was mailed there."""
    return is_known(snapshot, address) or normal_address(address) in addresses_asked(snapshot)


def _late(
    home: Home, letters: list[Letter], configuration: Configuration, now: datetime
) -> Iterator[Finding]:
    oldest = min((letter.posted for letter in letters), default=now)
    due = min((letter.next_try for letter in letters), default=now)
    to_relay = (each.next_try for each in letters if each.state is State.WAITING)
    last = max(to_relay, default=now)
    if last > now + LONGEST_WAIT:
        yield _on_outbox.note(
            f"letters wait until {format_time(last)}, as a clock was ahead when they were written; "
            "they leave all the same, at once with: pbm-oust outbox flush"
        )
    if configuration.relay and oldest < now - LONGEST_WAIT:
        yield _on_outbox.bad(
            f"letters wait for the relay since {format_time(oldest)}",
            "See whether it answers",
            command_line(home.path, "doctor", "--relay"),
        )
    elif configuration.relay and due < now - LONGEST_DUE:
        yield _on_outbox.bad(
            f"letters are due since {format_time(due)} and do not leave",
            "See whether a server runs, and whether the relay answers",
            command_line(home.path, "doctor", "--relay"),
        )


def _held(home: Home, letters: list[Letter]) -> Iterator[Finding]:
    if letters:
        yield _on_outbox.note(
            f"{counted(len(letters), 'letter')} held back since a backup was restored; to let go "
            "what is held back",
            command_line(home.path, "outbox", "resume"),
        )


def _failed(home: Home, letters: list[Letter]) -> Iterator[Finding]:
    if letters:
        latest, name = letters[-1], name_of(letters[-1])
        yield _on_outbox.bad(
            f"{counted(len(letters), 'letter')} failed, the latest to {latest.head.recipient}",
            "Look at it, and then use retry or remove in the place of show",
            command_line(home.path, "outbox", "show", name),
        )


def _unfinished(home: Home, now: datetime) -> Iterator[Finding]:
    """Yield what is left in outbox/tmp; a running server finishes it within a minute."""
    found = ((path, status(path)) for path in (home.outbox.path / "tmp").glob("*"))
    before = (now - LONGEST_STAGE).timestamp()
    old = [path for path, is_there in found if is_there and is_there.st_mtime < before]
    if old:
        yield _on_outbox.bad(
            f"{counted(len(old), 'file')} in outbox/tmp, the first {old[0].name}, stay unfinished",
            "Start the server, which finishes letters; remove what is none",
        )


_on_relay = Examiner("relay")


def check_relay(home: Home, configuration: Configuration) -> Iterator[Finding]:
    """Yield what the relay says when we greet it and name ourselves; nothing is sent."""
    relay, address = configuration.relay, configuration.address
    if relay is None:
        yield _on_relay.bad(
            "no relay is set, so letters stay in the outbox",
            f"Set relay in {home.configuration.name}",
        )
        return
    try:
        with connected(relay, address) as smtp:
            code, text = smtp.mail(envelope_sender(address, home.key(), address))
            smtp.rset()
    except OSError as error:
        yield _on_relay.bad(
            f"{relay} does not answer: {error}", "See whether it runs and listens there"
        )
        return
    words = text.decode("ascii", "replace")
    if code == 250:
        yield _on_relay.ok(f"{relay} answers and takes letters from us")
    else:
        yield _on_relay.bad(
            f"{relay} does not take letters from us: {code} {words}",
            "Allow this host to send through it",
        )


_on_limits = Examiner("limits")


def check_limits(home: Home, now: datetime) -> Iterator[Finding]:
    """Yield a note about each limit that has left mails unanswered lately."""
    try:
        silenced = {
            word: home.ask(number_counted, Counted.SILENCES, word, now) for word in SETTABLE
        }
    except DatabaseFault:
        return
    for word, number in silenced.items():
        if number:
            yield _on_limits.note(f"{counted(number, 'mail')} within a day got no answer: {word}")

"""Checks around a home: server, relay, name servers, certificates, clock, backups, mail.

All of them connect to others, but only `mail` sends anything.
"""

import ctypes
import http.client
import json
import os
import socket
import ssl
import time
from base64 import b32encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from secrets import token_bytes
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pbm_oust.accounts.address import ascii_address, is_same_address
from pbm_oust.accounts.tags import Echo, envelope_sender, unread_address
from pbm_oust.board.notation import format_time
from pbm_oust.doctor import Check, Examiner, Finding, counted, first_of
from pbm_oust.mail.own_socket import FOR_OWNER, connect
from pbm_oust.mail.relay import RelayRefusal, connected, transmit
from pbm_oust.mail.tls import read_certificate
from pbm_oust.store.configuration import BadConfiguration, Endpoint
from pbm_oust.store.disk import user_name
from pbm_oust.store.message_keys import KeyOutcome, Occasion, outcome_of, time_of
from pbm_oust.store.sqlite import FILE_NAME
from pbm_oust.store.upkeep import HEALTH_PATH

if TYPE_CHECKING:
    from dns.resolver import Resolver

SECONDS = 10.0
"""The time for an answer."""


def check_service(on: Examiner) -> Iterator[Finding]:
    """Yield whether a server runs on the home, and greets wherever it should listen."""
    configuration = on.configuration
    listened = [
        each for each in (configuration.smtp, configuration.lmtp, configuration.smtps) if each
    ]
    try:
        connection = connect(on.home.path, FOR_OWNER)
    except OSError as error:
        yield on.bad(f"its socket in the home cannot be used: {error}", "Look at its permissions")
        return
    if connection is None and not listened:
        yield on.note("no server runs, and none has to: mail comes by deliver")
    elif connection is None:
        yield on.bad("no server runs on this home", "Start it, and see what its log says")
    else:
        connection.close()
        if configuration.proxies:
            listened = [each for each in listened if each == configuration.smtps]
        greets = f", and greets at {' and '.join(map(str, listened))}" if listened else ""
        yield from on.all_or(f"a server runs{greets}", _greetings(on, listened))


def _greetings(on: Examiner, places: Iterable[Endpoint]) -> Iterator[Finding]:
    """Yield the places without a mail server's greeting."""
    for place in places:
        try:
            said = _greeting(place, is_tls=place == on.configuration.smtps)
        except OSError as error:
            what = f"{place} does not answer: {error}"
            yield on.bad(what, "See what the log of the server says, and whether it was reloaded")
            continue
        if not said.startswith("220"):
            yield on.bad(f"{place} greets with {said!r}", "See what listens there")


def _greeting(place: Endpoint, *, is_tls: bool) -> str:
    """Return the first line of a mail server. Raises OSError."""
    with _connected(place) as connection:
        if is_tls:
            connection = _trusting_all().wrap_socket(connection)
        with closing(connection), connection.makefile("rb") as lines:
            return lines.readline(1000).decode("ascii", "replace").strip()


def _connected(place: Endpoint) -> socket.socket:
    """Return a connection to one of our own listeners. Raises OSError."""
    if not place.path:
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - we ask, and do not listen # nosec B104
        host = everywhere.get(place.host, place.host)
        return socket.create_connection((host, place.port), SECONDS)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(SECONDS)
    connection.connect(place.path)
    return connection


def _trusting_all() -> ssl.SSLContext:
    """Return a TLS context without verification; our certificate is checked elsewhere."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def check_relay(on: Examiner) -> Iterator[Finding]:
    """Yield the relay's replies to a greeting and to our name; nothing is sent.

    The relay is also asked whether it takes mail for a tagged form of our own address.
    """
    relay, address = on.configuration.relay, on.configuration.address
    if relay is None:
        remedy = f"Set relay in {on.home.configuration.name}"
        yield on.bad("no relay is set, so letters stay in the outbox", remedy)
        return
    tagged = unread_address(address)
    try:
        with connected(relay, address) as smtp:
            sending = smtp.mail(envelope_sender(address, on.home.key(), address))
            taking = smtp.rcpt(tagged) if sending[0] == 250 else sending
            smtp.rset()
    except OSError as error:
        yield on.bad(f"{relay} does not answer: {error}", "See whether it runs and listens there")
        return
    if sending[0] != 250:
        what = f"{relay} does not take letters from us: {_said(sending)}"
        yield on.bad(what, "Allow this host to send through it")
    elif taking[0] not in (250, 251):
        what = f"{relay} takes letters from us, but no mail to {tagged}: {_said(taking)}"
        yield on.bad(what, "Let it take our address, with whatever stands behind a +")
    else:
        yield on.ok(f"{relay} answers and takes letters from us")


def _said(reply: tuple[int, bytes]) -> str:
    return f"{reply[0]} {reply[1].decode('ascii', 'replace')}"


def check_pages(on: Examiner) -> Iterator[Finding]:
    """Yield whether the pages answer at their listener and at their public address."""
    configuration = on.configuration
    places = [str(configuration.web_address)] if configuration.web_address else []
    if web := configuration.web:
        places.insert(0, f"http://{web}")
    if places:
        ok = f"{' and '.join(places)} answer" if len(places) > 1 else f"{places[0]} answers"
        yield from on.all_or(ok, (each for place in places for each in _page(on, place)))


def _page(on: Examiner, place: str) -> Iterator[Finding]:
    try:
        with closing(_http(place)) as connection:
            connection.request("GET", HEALTH_PATH)
            answer = connection.getresponse()
            told = json.loads(answer.read(10_000))
            trouble = None if answer.status == 200 else str(told["text"]).removesuffix(".")
    except (OSError, http.client.HTTPException) as error:
        yield on.bad(f"{place} does not answer: {error}", "See whether it runs and listens there")
    except (ValueError, TypeError, KeyError):
        yield on.bad(f"{place} answers, but not as our pages do", "See what listens there")
    else:
        if trouble:
            yield on.bad(f"{place} says that no mail can be taken: {trouble}", "Mend that first")


def _http(place: str) -> http.client.HTTPConnection:
    """Return an unconnected client for pages at `https://HOST:PORT`."""
    parts = urlsplit(place)
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(parts.netloc, timeout=SECONDS, context=context)
    return http.client.HTTPConnection(parts.netloc, timeout=SECONDS)


SOON = timedelta(days=14)
"""The time before its end at which a certificate should have been renewed."""


def check_certificates(on: Examiner) -> Iterator[Finding]:
    """Yield the ends of the certificates of the mail listener and of the pages."""
    configuration = on.configuration
    if path := configuration.certificate:
        yield from _certificate(on, path, partial(_certificate_in, on))
    if configuration.web_address.startswith("https:"):
        place = configuration.web_address
        yield from _certificate(on, place, partial(_certificate_at, place))


def _certificate(on: Examiner, name: str, read: Callable[[], str]) -> Iterator[Finding]:
    """Yield faults of a certificate; `read` returns its end."""
    try:
        ends = datetime.fromtimestamp(ssl.cert_time_to_seconds(read()), UTC)
    except BadConfiguration:
        return  # the check of the configuration says so
    except ssl.SSLCertVerificationError as error:
        yield on.bad(f"{name}: {error.verify_message}", "Renew it")
    except OSError as error:
        yield on.note(f"{name}: not looked at: {error}")
    else:
        text = f"{name}: the certificate is good until {format_time(ends)}"
        yield on.bad(text, "Renew it") if ends < on.now + SOON else on.ok(text)


def _certificate_in(on: Examiner) -> str:
    """Return the end of the configured certificate. Raises OSError.

    Two ends in this process shake hands, and one shows its certificate to the other, which trusts
    nothing else.
    """
    serving = read_certificate(on.configuration)
    if serving is None:
        raise AssertionError("it is asked only where a certificate is named")
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname = False
    trusting.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    trusting.load_verify_locations(on.configuration.certificate)
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours, theirs = trusting.wrap_bio(back, there), serving.wrap_bio(there, back, server_side=True)
    for side in (ours, theirs, ours):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    return _last_moment(ours.getpeercert())


def _certificate_at(place: str) -> str:
    """Return the end of the certificate that pages show. Raises OSError."""
    parts = urlsplit(place)
    host = parts.hostname or ""
    with (
        socket.create_connection((host, parts.port or 443), SECONDS) as connection,
        ssl.create_default_context().wrap_socket(connection, server_hostname=host) as shown,
    ):
        return _last_moment(shown.getpeercert())


def _last_moment(certificate: Mapping[str, object] | None) -> str:
    return str((certificate or {})["notAfter"])


def check_mx(on: Examiner, resolver: "Resolver | None") -> Iterator[Finding]:
    """Yield findings about the route of mail to our address (MX)."""
    yield from _looked_up(on, resolver, _mx)


def check_spf(on: Examiner, resolver: "Resolver | None") -> Iterator[Finding]:
    """Yield findings about the permitted senders of mail from our address (SPF, RFC 7208)."""
    yield from _looked_up(on, resolver, _spf)


Ask = Callable[[str, str], list[str]]
"""Gives the records of a name, as text; none if it has none of that type."""


def _looked_up(
    on: Examiner,
    resolver: "Resolver | None",
    check: Callable[[Examiner, str, Ask], Iterator[Finding]],
) -> Iterator[Finding]:
    """Yield the findings of a check that asks name servers about the host of our address."""
    host = ascii_address(on.configuration.address).rpartition("@")[2]
    if host == "localhost" or resolver is None:
        why = "localhost is no name for others" if resolver else LACK
        yield on.note(f"not looked at: {why}")
        return
    import dns.exception
    import dns.resolver

    def ask(name: str, sort: str) -> list[str]:
        with suppress(dns.resolver.NoAnswer):
            return [each.to_text() for each in resolver.resolve(name, sort)]
        return []

    try:
        yield from check(on, host, ask)
    except dns.resolver.NXDOMAIN as error:
        name = error.canonical_name.to_text(omit_final_dot=True)
        yield on.bad(f"there is no name {name}", "Make its records, or mend address")
    except dns.exception.DNSException as error:
        yield on.note(f"the name servers do not answer: {error}")


LACK = "it takes one more library: pip install 'pbm_oust[dns]'"


def resolver_at(place: Endpoint | None) -> "Resolver | None":
    """Return a resolver for a name server, or for this host's; None if a library is missing."""
    if not find_spec("dns"):
        return None
    from dns.resolver import NoResolverConfiguration, Resolver

    try:
        resolver = Resolver(configure=place is None)
    except NoResolverConfiguration:
        resolver = Resolver(configure=False)
    if place:
        resolver.nameservers, resolver.port = [place.host], place.port
    resolver.lifetime = SECONDS
    return resolver


def _mx(on: Examiner, host: str, ask: Ask) -> Iterator[Finding]:
    exchanges = [each.split()[1].rstrip(".") for each in sorted(ask(host, "MX"), key=_preference)]
    if exchanges == [""]:
        yield on.bad(f"the MX of {host} says that it takes no mail", "Let it name a mail server")
        return
    for name in exchanges or [host]:
        through = f"mail for {host} goes to {name}"
        addresses = [*ask(name, "A"), *ask(name, "AAAA")]
        if not addresses:
            yield on.bad(f"{through}, which has no address", "Make a record A or AAAA")
        elif not any(map(_is_here, addresses)):
            text = f"{through} at {first_of(addresses)}, which is no address of this host"
            yield on.note(f"{text}; whether it leads here shows", "doctor", "--mail", "ADDRESS")
        else:
            yield on.ok(f"{through}, which is this host")


def _preference(record: str) -> int:
    return int(record.split()[0])


def _is_here(address: str) -> bool:
    """Return whether an address is one of this host, so that a socket can be bound to it."""
    family = socket.AF_INET if ip_address(address).version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as trial, suppress(OSError):
        trial.bind((address, 0))
        return True
    return False


def _spf(on: Examiner, host: str, ask: Ask) -> Iterator[Finding]:
    texts = ["".join(each.split('"')[1::2]) for each in ask(host, "TXT")]
    found = [text for text in texts if text.lower().split(" ")[0] == "v=spf1"]
    right = f'Make one record TXT of {host}, such as "v=spf1 mx -all"'
    if not found:
        yield on.bad(
            f"{host} does not say who may send its mail, so it may be taken for spam", right
        )
    elif len(found) > 1:
        yield on.bad(f"{host} has {len(found)} records of SPF, so that none counts", right)
    elif len(found[0].split()) == 2 and found[0].lower().endswith("-all"):
        yield on.bad(f"{host} says that nobody sends its mail: {found[0]}", right)
    else:
        yield on.ok(found[0])


UNSYNCHRONISED = 5
"""TIME_ERROR of adjtimex(2): nobody keeps the clock right."""
LARGEST_TIMEX = 1024
"""A buffer longer than the kernel's structure about its clock."""
FAR = timedelta(seconds=60)
"""The tolerated difference between two clocks."""


def check_clock(on: Examiner) -> Iterator[Finding]:
    """Yield whether the clock is right, by the kernel and a database server."""
    now = on.home.now()
    apart = abs(now - datetime.now(UTC))
    library = ctypes.CDLL(None, use_errno=True)
    if apart > FAR:
        what = f"the database server says {format_time(now)}"
        yield on.bad(f"{what}, which is {apart} from the clock of this host", "Set both clocks")
    elif library.adjtimex(ctypes.create_string_buffer(LARGEST_TIMEX)) == UNSYNCHRONISED:
        yield on.note("no time service keeps it right, such as systemd-timesyncd or chrony")
    else:
        yield on.ok("a time service keeps it right")


OLD = timedelta(days=2)
"""The age at which the latest backup is too old."""


def check_backups(on: Examiner) -> Iterator[Finding]:
    """Yield the age of the latest backup, if the configuration names a folder for backups."""
    folder = Path(on.configuration.backups)
    if not on.configuration.backups:
        yield on.note(f"not looked at: backups in {on.home.configuration.name} names no folder")
        return
    try:
        times = [at for each in folder.iterdir() if each.is_dir() and (at := _made(each))]
        # What a clock that was ahead has dated says nothing about the age.
        times = [at for at in times if at <= (on.now + FAR).timestamp()]
    except PermissionError:
        yield _noted(on, folder)
        return
    except OSError as error:
        if _is_new(on):
            yield on.note(f"there is no {folder} yet, and this home is not two days old")
            return
        what = f"{error.filename} cannot be read: {error.strerror}"
        yield on.bad(what, "Make it, or let us read it")
        return
    if not times and _is_new(on):
        yield on.note(f"there is none in {folder} yet, and this home is not two days old")
        return
    if not times:
        yield on.bad(f"there is none in {folder}", "Make one", "backup", str(folder / "today"))
        return
    latest = datetime.fromtimestamp(max(times), UTC)
    text = f"{counted(len(times), 'backup')} in {folder}, the latest of {format_time(latest)}"
    if latest < on.now - OLD:
        yield on.bad(text, "See why none was made since")
    else:
        yield on.ok(text)


def _noted(on: Examiner, folder: Path) -> Finding:
    """Return the age of the latest backup by what the database says, as we may not read them."""
    noted = on.home.ask(time_of, Occasion.BACKUP)
    closed = f"{user_name(os.geteuid())} may not read {folder}"
    if noted is None:
        return on.note(f"not looked at: {closed}; ask as whoever makes them")
    text = f"{closed}, but the latest was made at {format_time(noted)}"
    if noted < on.now - OLD:
        return on.bad(text, "See why none was made since")
    return on.ok(text)


def _is_new(on: Examiner) -> bool:
    """Return whether the home is so new that no backup may have been made of it."""
    with suppress(OSError):
        return on.home.key_path.stat().st_mtime > (on.now - OLD).timestamp()
    return True


def _made(backup: Path) -> float | None:
    """Return the time at which a backup was finished; if it is not ours, the time of its folder."""
    try:
        return (backup / FILE_NAME).stat().st_mtime
    except PermissionError:
        return backup.stat().st_mtime
    except FileNotFoundError:
        return None


BACK_SECONDS, ANSWER_SECONDS = 60.0, 600.0
"""The time for a letter to ourselves to come in, and for an answer of somebody else."""
LOOK_SECONDS = 0.2
TOLD = """\
This letter was sent by pbm-oust doctor, to find out whether mail leaves and arrives.

Please answer it. What you write does not matter, and nobody reads it.
"""


def check_mail(on: Examiner, recipient: str) -> Iterator[Finding]:
    """Send a letter, and yield findings until it, or an answer to it, comes back.

    A letter to our own address comes back by itself. Anybody else has to answer it.
    """
    relay, address = on.configuration.relay, on.configuration.address
    if relay is None:
        return  # the check of the relay says so
    is_own = is_same_address(recipient, address)
    try:
        echo = Echo.begin(on.home.key(), b32encode(token_bytes(10)).decode().lower())
        back = echo.address(address)
        to = ascii_address(back if is_own else recipient)
        with connected(relay, address) as smtp:
            refused = transmit(smtp, back, to, _letter(on, to, back), [])
    except OSError as error:
        yield on.bad(f"{relay} takes no letter: {error}", "See whether it runs and listens there")
        return
    if isinstance(refused, RelayRefusal):
        yield on.bad(f"{relay} refuses a letter to {to}: {refused.reason}", "See why in its log")
        return
    seconds = BACK_SECONDS if is_own else ANSWER_SECONDS
    what = "it comes back" if is_own else "you answer it there"
    yield on.ok(f"{relay} has taken a letter to {to}; waiting up to {seconds:.0f} s until {what}")
    begun = time.monotonic()
    while (outcome := on.home.ask(outcome_of, echo.message_key)) is None:
        if time.monotonic() > begun + seconds:
            what = f"nothing has come in within {seconds:.0f} s"
            yield on.bad(what, "Look for the letter in the queue and the log of the mail server")
            return
        time.sleep(LOOK_SECONDS)
    if outcome is KeyOutcome.DONE:
        yield on.ok(f"mail came in after {time.monotonic() - begun:.0f} s, with its tag")
    else:
        what = f"the letter to {to} was not delivered: a report about it came in"
        yield on.bad(what, "See why in the log of the mail server")


def _letter(on: Examiner, to: str, back: str) -> bytes:
    """Return a letter whose answer comes back to the doctor."""
    address = on.configuration.address
    letter = EmailMessage(SMTP)
    letter["From"], letter["To"], letter["Reply-To"] = address, to, back
    letter["Subject"] = "Does mail arrive? Please answer"
    letter["Date"] = format_datetime(on.now)
    letter["Message-ID"] = make_msgid(domain=address.rpartition("@")[2])
    letter["Auto-Submitted"] = "auto-generated"
    letter.set_content(TOLD)
    return letter.as_bytes()


def checks_outside(resolver: "Resolver | None", recipient: str | None) -> Mapping[str, Check]:
    """Return the checks around a home, by name."""
    checks: dict[str, Check] = {
        "service": check_service,
        "relay": check_relay,
        "pages": check_pages,
        "certificate": check_certificates,
        "mx": partial(check_mx, resolver=resolver),
        "spf": partial(check_spf, resolver=resolver),
        "clock": check_clock,
        "backups": check_backups,
    }
    if recipient:
        checks["mail"] = partial(check_mail, recipient=recipient)
    return checks

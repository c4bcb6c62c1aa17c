"""What the doctor finds around a home: server, relay, name servers, certificates, backups, mail."""

import json
import os
import re
import shutil
import smtplib
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbm_oust.accounts.tags import Echo
from pbm_oust.doctor import Examiner, Severity, outside
from pbm_oust.mail.inbound import envelope_of, open_inbound
from pbm_oust.play.request import Ending
from pbm_oust.store.configuration import Configuration, Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.message_keys import Occasion, note_occasion, outcome_of
from tests.support import certificates, tables
from tests.support.answering import serving_in_thread
from tests.support.command_line import done, run
from tests.support.home_by_mail import ALICE, home_of
from tests.support.names import name_server
from tests.support.ports import free_port
from tests.support.server import PROGRAM, Server, started
from tests.support.sink import Sink, listening_sink
from tests.support.waiting import wait_until

tabled = tables.tabled(__file__)

OWN = "pbmserv@example.org"
OPERATOR = "me@example.net"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = home_of(tmp_path / "home", ALICE)
    yield home
    home.close()


def configure(home: Home, *lines: str) -> None:
    home.configuration.write_text("\n".join([f'address = "{OWN}"', *lines]))


def about(home: Home, thing: str, *options: str) -> list[str]:
    """Return what the doctor says about a thing around a home, without its name."""
    lines = run(home, "doctor", "--outside", *options).output.splitlines()
    parted = [line.partition(f"{thing}: ") for line in lines if line[6:].startswith(f"{thing}: ")]
    return [f"{severity.strip()} {text}" for severity, _, text in parted]


@contextmanager
def serving(home: Home) -> Iterator[Server]:
    with started([PROGRAM, "--home", str(home.path), "serve"], home.path) as server:
        yield server


# The server


def test_a_server_runs_and_greets_wherever_it_should(home: Home) -> None:
    smtp, lmtp = free_port(), home.path.parent / "lmtp"
    configure(home, f'smtp = "127.0.0.1:{smtp}"', f'lmtp = "unix:{lmtp}"')
    with serving(home):
        said = about(home, "service")
        assert said == [f"ok a server runs, and greets at 127.0.0.1:{smtp} and unix:{lmtp}"]
        other = free_port()
        configure(home, f'smtp = "127.0.0.1:{other}"')
        (wrong,) = about(home, "service")
    assert wrong.startswith(f"BAD 127.0.0.1:{other} does not answer: [Errno 111] ")


@pytest.mark.slow
def test_a_server_that_begins_with_tls_greets_too(home: Home) -> None:
    port, pem = free_port(), certificates.FOLDER / "first.pem"
    configure(
        home,
        'smtp = ""',
        f'smtps = "127.0.0.1:{port}"',
        f'certificate = "{pem}"',
        f'certificate_key = "{pem.with_suffix(".key")}"',
    )
    with serving(home):
        assert about(home, "service") == [f"ok a server runs, and greets at 127.0.0.1:{port}"]


def test_nobody_serves_the_home(home: Home) -> None:
    configure(home)
    said = about(home, "service")
    assert said == ["BAD no server runs on this home. Start it, and see what its log says."]
    configure(home, 'smtp = ""')
    assert about(home, "service") == ["note no server runs, and none has to: mail comes by deliver"]


def test_something_else_listens_where_the_server_should(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "SECONDS", 0.5)
    configure(home, f'smtp = "127.0.0.1:{free_port()}"')
    with serving(home), answering(200, b"{}") as place:
        configure(home, f'smtp = "{place}"')
        (said,) = about(home, "service")
    assert said.startswith(f"BAD {place} ")


# The relay


class Particular(Sink):
    """Refuses what stands behind a +."""

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        return "550 5.1.1 no such mailbox" if "+" in address else "250 OK"


def test_a_relay_does_not_take_tagged_addresses(home: Home) -> None:
    with listening_sink(handler=Particular()) as (_, endpoint):
        configure(home, f'relay = "smtp://{endpoint}"')
        (said,) = about(home, "relay")
    assert said == (
        f"BAD {endpoint} takes letters from us, but no mail to pbmserv+noreply@example.org: "
        "550 5.1.1 no such mailbox. Let it take our address, with whatever stands behind a +."
    )


# Pages and certificates


@contextmanager
def answering(
    status: int, content: bytes, context: ssl.SSLContext | None = None
) -> Iterator[Endpoint]:
    """Answer each request for a page alike: what stands before the pages."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with serving_in_thread(server) as endpoint:
        yield endpoint


@pytest.mark.slow
def test_the_pages_of_a_server_answer(home: Home) -> None:
    web = free_port()
    configure(home, f'smtp = "127.0.0.1:{free_port()}"', f'web = "127.0.0.1:{web}"')
    with serving(home):
        right = [f"ok http://127.0.0.1:{web} answers"]
        wait_until(lambda: about(home, "pages") == right, "the pages, which start after the server")


@tabled("status", "content", "said", status=int)
def test_who_answers_in_the_place_of_the_pages(
    status: int, content: str, said: str, home: Home
) -> None:
    with answering(status, content.encode()) as place:
        configure(home, f'web_address = "http://{place}"')
        assert about(home, "pages") == [said.replace("PLACE", f"http://{place}")]


def test_pages_are_found_by_https_and_the_certificate_is_good(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b'{"takes_mail": true, "trouble": null, "text": null}'
    with answering(200, content, certificates.certificate()) as place:
        name = f"https://localhost:{place.port}"
        configure(home, f'web_address = "{name}"')
        (untrusted,) = about(home, "certificate")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates.FOLDER / "first.pem"))
        assert about(home, "pages") == [f"ok {name} answers"]
        trusted = about(home, "certificate")
    assert untrusted == f"BAD {name}: self-signed certificate. Renew it."
    assert trusted == [f"ok {name}: the certificate is good until 2120-01-01T00:00:00Z"]


@pytest.mark.parametrize(
    ("name", "now", "severity", "words"),
    [
        ("first", 2119, Severity.OK, "is good until 2120-01-01T00:00:00Z"),
        ("first", 2120, Severity.BAD, "is good until 2120-01-01T00:00:00Z. Renew it."),
        ("expired", 2026, Severity.BAD, "certificate has expired. Renew it."),
    ],
)
def test_a_certificate_for_mail_ends(
    name: str, now: int, severity: Severity, words: str, home: Home
) -> None:
    folder = certificates.FOLDER
    configured = Configuration(
        certificate=str(folder / f"{name}.pem"), certificate_key=str(folder / "first.key")
    )
    examiner = Examiner(home, "certificate", configured, datetime(now, 1, 1, tzinfo=UTC))
    (finding,) = outside.check_certificates(examiner)
    assert finding.severity is severity
    assert finding.text.endswith(words)


# Name servers


@tabled("records", "said")
def test_where_name_servers_lead_mail(records: str, said: str, home: Home) -> None:
    configure(home)
    with name_server(records.replace(" / ", "\n")) as place:
        found = about(home, "mx", "--resolver", str(place))
    assert [each.replace(f" --home {home.path}", "") for each in found] == said.split(" / ")


@tabled("records", "said")
def test_who_may_send_mail_of_ours(records: str, said: str, home: Home) -> None:
    configure(home)
    with name_server(records) as place:
        assert about(home, "spf", "--resolver", str(place)) == [said]


def test_nobody_knows_the_name_of_the_host(home: Home) -> None:
    home.configuration.write_text('address = "pbmserv@games.example.org"')
    with name_server("@ A 127.0.0.1") as place:
        said = about(home, "mx", "--resolver", str(place))
    assert said == ["BAD there is no name games.example.org. Make its records, or mend address."]


def test_a_name_server_that_is_away_is_no_fault_of_ours(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "SECONDS", 0.2)
    configure(home)
    (said,) = about(home, "spf", "--resolver", f"127.0.0.1:{free_port()}")
    assert said.startswith("note the name servers do not answer: ")


# The host


def test_the_clock_is_looked_at(home: Home) -> None:
    configure(home)
    (said,) = about(home, "clock")
    assert said in (
        "ok a time service keeps it right",
        "note no time service keeps it right, such as systemd-timesyncd or chrony",
    )


def _make_older(home: Home) -> None:
    """Let a home be three days old."""
    three_days_ago = time.time() - 3 * 24 * 3600
    os.utime(home.key_path, (three_days_ago, three_days_ago))


def test_backups_that_a_clock_ahead_has_dated_do_not_count(home: Home) -> None:
    folder = home.path.parent / "backups"
    folder.mkdir()
    configure(home, f'backups = "{folder}"')
    done(home, "backup", str(folder / "first"))
    (found,) = about(home, "backups")
    assert found.startswith(f"ok 1 backup in {folder}, the latest of ")
    later = time.time() + 30 * 24 * 3600
    os.utime(folder / "first" / "pbm_oust.db", (later, later))
    _make_older(home)
    (found,) = about(home, "backups")
    assert found.startswith(f"BAD there is none in {folder}. ")


LOOKING_AT_BACKUPS = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from pbm_oust.doctor import Examiner, outside
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.home import Home
configured = Configuration(backups=sys.argv[2])
on = Examiner(Home(Path(sys.argv[1])), "backups", configured, datetime.now(UTC))
print(*outside.check_backups(on), sep="\\n")
"""


def test_backups_that_others_may_not_look_at_are_no_fault(home: Home) -> None:
    folder = home.path.parent / "backups"
    folder.mkdir(mode=0)
    as_others = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    command = [sys.executable, "-c", LOOKING_AT_BACKUPS, str(home.path), str(folder)]
    closed = rf"\S+ may not read {folder}"
    made = rf"{closed}, but the latest was made at 2\S+Z"

    def said() -> str:
        words = [*(as_others if os.geteuid() == 0 else ()), *command]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    unknown = f"not looked at: {closed}; ask as whoever makes them"
    assert re.fullmatch(rf"note  backups: {unknown}\n", said())
    done(home, "backup", str(home.path.parent / "elsewhere"))
    assert re.fullmatch(rf"ok    backups: {made}\n", said())
    home.do(note_occasion, Occasion.BACKUP, datetime.now(UTC) - timedelta(days=3))
    assert re.fullmatch(rf"BAD   backups: {made}\. See why none was made since\.\n", said())


def test_backups_are_as_old_as_the_latest_of_them(home: Home) -> None:
    folder = home.path.parent / "backups"
    configure(home, f'backups = "{folder}"')
    new = about(home, "backups")
    _make_older(home)
    (missing,) = about(home, "backups")
    folder.mkdir()
    (none,) = about(home, "backups")
    home.key_path.touch()
    new += about(home, "backups")
    for name in ("first", "second"):
        done(home, "backup", str(folder / name))
    (folder / "unfinished").mkdir()
    for name, at in (("first", 1_700_000_000), ("second", 1_800_000_000)):
        os.utime(folder / name / "pbm_oust.db", (at, at))
    configured = Configuration(backups=str(folder))
    found = [
        next(outside.check_backups(Examiner(home, "backups", configured, now)))
        for now in (datetime(2027, 1, 16, tzinfo=UTC), datetime(2027, 1, 18, tzinfo=UTC))
    ]
    assert missing.startswith(f"BAD {folder} cannot be read: No such file or directory. ")
    assert none.startswith(f"BAD there is none in {folder}. Make one:  ")
    assert new == [
        f"note there is no {folder} yet, and this home is not two days old",
        f"note there is none in {folder} yet, and this home is not two days old",
    ]
    assert [each.severity for each in found] == [Severity.OK, Severity.BAD]
    assert found[0].text == f"2 backups in {folder}, the latest of 2027-01-15T08:00:00Z"


# A letter that comes back


class MailServer(Sink):
    """Hands mail for our host to the server of a home; the operator answers at once.

    If it `bounces`, a report comes back instead.
    """

    def __init__(self, port: int) -> None:
        super().__init__()
        self.port = port
        self.bounces = False

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        sender, (recipient,), content = envelope.mail_from, envelope.rcpt_tos, envelope.content
        if self.bounces:
            sender, recipient, content = "", str(sender), REPORT
        elif recipient == OPERATOR:
            assert isinstance(content, bytes)
            recipient, content = answered(content)
        if recipient.endswith("@example.org"):
            threading.Thread(target=self.hand_on, args=(sender, recipient, content)).start()
        return "250 OK"

    def hand_on(self, sender: str, recipient: str, content: bytes) -> None:
        with smtplib.SMTP("127.0.0.1", self.port) as smtp:
            smtp.sendmail(sender, recipient, content)


REPORT = (
    b"From: mailer-daemon@example.org\r\n"
    b'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
    b"--b\r\n\r\nIt was not delivered.\r\n--b--\r\n"
)


def answered(letter: bytes) -> tuple[str, bytes]:
    """Return where the operator's answer to a letter goes, and the answer."""
    (address,) = (
        line.partition(": ")[2]
        for line in letter.decode().splitlines()
        if line.startswith("Reply-To: ")
    )
    return address, f"From: {OPERATOR}\r\nTo: {address}\r\nSubject: Re: x\r\n\r\nYes.\r\n".encode()


@pytest.fixture
def mail_server(home: Home) -> Iterator[MailServer]:
    port = free_port()
    with listening_sink(handler=MailServer(port)) as (sink, endpoint):
        assert isinstance(sink, MailServer)
        configure(home, f'smtp = "127.0.0.1:{port}"', f'relay = "smtp://{endpoint}"')
        with serving(home):
            yield sink


@pytest.mark.parametrize(
    ("to", "until"),
    [(OWN, "60 s until it comes back"), (OPERATOR, "600 s until you answer it there")],
)
def test_a_letter_leaves_and_mail_comes_in(
    to: str, until: str, home: Home, mail_server: MailServer
) -> None:
    taken, came = about(home, "mail", "--mail", to)
    assert taken.startswith("ok 127.0.0.1:")
    assert taken.endswith(f"; waiting up to {until}")
    assert came.startswith("ok mail came in after ")
    assert home.outbox.listed() == []


def test_a_letter_that_cannot_be_delivered_comes_back_as_a_report(
    home: Home, mail_server: MailServer
) -> None:
    mail_server.bounces = True
    (_, failed) = about(home, "mail", "--mail", OPERATOR)
    assert failed == (
        f"BAD the letter to {OPERATOR} was not delivered: a report about it came in. "
        "See why in the log of the mail server."
    )


def test_a_letter_does_not_come_back_in_time(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "BACK_SECONDS", 0.5)
    with listening_sink() as (sink, endpoint):
        configure(home, f'relay = "smtp://{endpoint}"')
        (_, late) = about(home, "mail", "--mail", OWN)
        (letter,) = sink.taken
    assert late == (
        "BAD nothing has come in within 0 s. "
        "Look for the letter in the queue and the log of the mail server."
    )
    assert letter.mail_from == letter.rcpt_tos[0]


def test_a_relay_refuses_the_letter(home: Home) -> None:
    with listening_sink() as (_, endpoint):
        configure(home, f'relay = "smtp://{endpoint}"')
        (said,) = about(home, "mail", "--mail", "unknown@example.net")
    assert said == (
        f"BAD {endpoint} refuses a letter to unknown@example.net: 550 5.1.1 no such mailbox. "
        "See why in its log."
    )


def test_nobody_else_makes_the_doctor_believe_that_mail_came_in(home: Home) -> None:
    echo = Echo.begin(bytes(32), "abcdefghijklmnop")
    inbound = open_inbound(home, OWN, home.now)
    told = inbound.take(b"From: eve@example.org\r\n\r\n", envelope_of("", [echo.address(OWN)]))
    assert told.ending is Ending.SILENT
    assert home.ask(outcome_of, echo.message_key) is None


# All of it


def test_the_verdict_is_that_of_the_most_serious_finding(home: Home) -> None:
    def said(*options: str) -> tuple[object, int]:
        result = run(home, "doctor", "--json", *options)
        return json.loads(result.output)["verdict"], result.exit_code

    assert said() == ("ok", 0)
    shutil.rmtree(home.path / "churn")
    assert said() == ("note", 0)
    assert said("--outside") == ("BAD", 1)

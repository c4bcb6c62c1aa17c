"""Reports of letters that came back, as mail servers write them, and what only looks like one.

`reports` holds such mails, and in `reports.txt` what is read of each.
"""

import base64
from datetime import UTC, datetime
from email import message_from_bytes
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbm_oust.accounts.tags import Robotic, envelope_sender, parse_tag
from pbm_oust.mail.inbound import Inbound, envelope_of, open_inbound
from pbm_oust.mail.reports import FailedDelivery, read_report
from pbm_oust.store.home import Home
from pbm_oust.store.verifications import bounces_of
from tests.support import tables
from tests.support.mails import mail
from tests.support.tables import pairs

tabled = tables.tabled(__file__)

OWN, ALICE, BOB = "pbmserv@example.com", "alice@example.org", "bob@example.net"
KEY = bytes(range(32))
BACK = envelope_sender(OWN, KEY, BOB)
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

FOLDER = Path(__file__).with_name("reports")
MAILS = {path.stem: path.read_bytes() for path in FOLDER.glob("*.eml")}
READ = dict(pairs(FOLDER / "reports.txt"))
OF_SERVERS = ("postfix", "postfix_headers", "exim", "exim_headers", "exim_original", "exchange")
PLAIN = MAILS["plain"]


def read(data: bytes, sent_to: str = BACK) -> FailedDelivery | None:
    return read_report(message_from_bytes(data), sent_to, KEY)


def said(found: FailedDelivery | None) -> str:
    """Return what is read of a report, as in the table of them."""
    if not found:
        return "no report"
    return f"{found.recipient} {found.status} {found.letter} {found.subject}".rstrip()


def changed(data: bytes, field: str, value: str) -> bytes:
    """Return a report in which a field has another value, given as it stands behind the colon."""
    begin = f"\r\n{field}:".encode()
    before, found, behind = data.rpartition(begin)
    assert found, field
    _, end, rest = behind.partition(b"\r\n")
    return before + begin + value.encode("utf-8", "surrogateescape") + end + rest


def test_the_address_that_letters_come_back_to_is_that_of_one_recipient_and_one_home() -> None:
    addresses = [BACK, envelope_sender(OWN, KEY, ALICE), envelope_sender(OWN, bytes(32), BOB)]
    assert len(set(addresses)) == 3
    assert all(parse_tag(address, OWN) is Robotic.BOUNCES for address in addresses)
    assert envelope_sender(OWN, KEY, "Bob@Example.NET") == BACK


# What a report says


@pytest.mark.parametrize("line_end", [b"\r\n", b"\n"])
@pytest.mark.parametrize("name", READ)
def test_a_report_is_understood(name: str, line_end: bytes) -> None:
    to = envelope_sender(OWN, KEY, "m\u00fcller@example.net") if "beyond" in name else BACK
    assert said(read(MAILS[name].replace(b"\r\n", line_end), to)) == READ[name]
    assert MAILS.keys() == READ.keys()


@tabled("action", "is_failed", is_failed=bool)
def test_a_letter_has_come_back_if_it_failed_in_any_case(action: str, is_failed: bool) -> None:
    assert (read(changed(PLAIN, "Action", f" {action}")) == read(PLAIN)) is is_failed
    assert bool(read(changed(PLAIN, "Action", f" {action}"))) is is_failed


@tabled("status", "wanted")
def test_the_status_is_the_number_in_its_field(status: str, wanted: str) -> None:
    found = read(changed(PLAIN, "Status", f" {status}"))
    assert found
    assert found.status == wanted


@tabled("diagnosis", "wanted")
@pytest.mark.parametrize("stated", [" 5.0.0\r\n", ""], ids=["open", "unstated"])
def test_refusals_for_policy_are_told_from_others(diagnosis: str, wanted: str, stated: str) -> None:
    fields = f"Status:{stated}" if stated else ""
    detail = f"{fields}Diagnostic-Code: smtp; {diagnosis}\r\n"
    found = read(PLAIN.replace(b"Status: 5.1.1\r\n", detail.encode()))
    assert found
    assert found.status == wanted


def test_of_several_recipients_ours_alone_counts() -> None:
    others = (
        b"Final-Recipient: rfc822; carol@example.com\r\nAction: failed\r\nStatus: 5.2.1\r\n\r\n"
    )
    both = PLAIN.replace(b"Final-Recipient", others + b"Final-Recipient", 1)
    assert read(both) == read(PLAIN)
    assert read(changed(both, "Action", " delayed")) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # It failed for good, whatever else is said.
        (b"Hi. This is", b"Warning: This is"),
        # What our own letter says does not count.
        (b"It is your turn. 5.7.1", b"It is your turn. Your opponent was delayed, try again."),
    ],
)
def test_a_letter_that_was_only_late_is_told_by_what_the_mail_server_says(
    old: bytes, new: bytes
) -> None:
    assert old in MAILS["qmail"]
    assert read(MAILS["qmail"].replace(old, new)) == read(MAILS["qmail"])
    vague = MAILS["qmail"].replace(b"This is a permanent error; ", b"").replace(b"550 5.1.1 ", b"")
    found = read(vague.replace(b"It is your turn. 5.7.1", b"The next letter will be retried."))
    assert found
    assert found.recipient == BOB


# What is no report of a failed letter


@tabled("sent_to")
@pytest.mark.parametrize("name", OF_SERVERS)
def test_a_report_to_any_other_address_counts_for_nobody(name: str, sent_to: str) -> None:
    assert read(MAILS[name], sent_to) is None
    assert read(MAILS[name], BACK.upper())


@pytest.mark.parametrize("name", OF_SERVERS)
def test_a_report_to_the_address_of_another_letter_counts_for_nobody(name: str) -> None:
    others = envelope_sender(OWN, KEY, ALICE), envelope_sender(OWN, bytes(32), BOB)
    for sent_to in (*others, BACK.replace("@", "x@"), OWN.replace("@", f"+bounces.{'a' * 5000}@")):
        assert read(MAILS[name], sent_to) is None


# Dirt

GARBAGE = ["", ";", "<>", "rfc822;", "\u00e9\udcff", "=?utf-8?b?gA==?=", "(" * 3000, "a:" * 3000]


@pytest.mark.parametrize("garbage", GARBAGE)
@pytest.mark.parametrize("field", ["Final-Recipient", "Action", "Status", "To", "Message-ID"])
def test_garbage_in_one_field_is_no_error(field: str, garbage: str) -> None:
    found = read(changed(MAILS["postfix"], field, f" {garbage}"))
    assert found is None if field == "Action" else found is not None


def test_returned_headers_with_parts_deep_in_one_another_are_no_error() -> None:
    head = "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n"
    deep = "".join(head % (number, number) for number in range(1000))
    kind, encoded = b"Content-Type: text/rfc822-headers\r\n", base64.encodebytes(deep.encode())
    before, _, behind = MAILS["forwarded_headers"].partition(kind)
    encoding = b"Content-Transfer-Encoding: base64\r\n"
    returned = encoding + kind + b"\r\n" + encoded + behind[behind.index(b"\r\n--") :]
    assert read(before + returned) is None


FIELDS = 'rfc822; bob@example.net,failed:5.1.1<>()"\\=?*%\r\n\t \0\u00e9'


@settings(deadline=None)
@given(st.binary(max_size=200) | st.text(FIELDS, max_size=200).map(str.encode))
@example(b"Final-Recipient\r\nAction\r\n")
@example(b"Final-Recipient: rfc822; bob@example.net\nAction: failed\nStatus: =?x?q?=FF?=")
@example(b"Action: failed\r\nFinal-Recipient: \xff\xfe; \xff")
def test_whatever_stands_in_a_report_it_counts_for_its_recipient_or_for_nobody(
    fields: bytes,
) -> None:
    begin, end = PLAIN.index(b"Final-Recipient"), PLAIN.index(b"\r\n", PLAIN.index(b"Status"))
    found = read(PLAIN[:begin] + fields + PLAIN[end:])
    assert found is None or found.recipient == BOB


# Taken in


@pytest.fixture
def inbound(home: Home) -> Inbound:
    return open_inbound(home, OWN, lambda: NOW)


@pytest.fixture
def back(home: Home) -> str:
    return envelope_sender(OWN, home.key(), BOB)


def take(inbound: Inbound, data: bytes, sender: str | None, *recipients: str) -> tuple[int, int]:
    """Take a mail; return how many letters to Bob have come back then, and how many wait."""
    home = inbound.work.home
    inbound.take(data, envelope_of(sender, recipients))
    return len(home.ask(bounces_of, BOB).bounces), len(home.outbox.letters())


@pytest.mark.parametrize("sender", ["<>", "", "MAILER-DAEMON@mx.example.net", ALICE, None])
def test_a_report_is_counted_and_not_answered_whoever_sends_it(
    inbound: Inbound, back: str, sender: str | None
) -> None:
    assert take(inbound, MAILS["postfix"], sender, back) == (1, 0)
    assert take(inbound, MAILS["postfix"], sender, back) == (1, 0)


@pytest.mark.parametrize("sender", ["<>", ALICE, None])
@pytest.mark.parametrize("tag", ["bounces", "Bounces.", "bounces.aaaaaaaaaaaaaaaa"])
def test_a_command_to_an_address_for_bounces_is_not_answered(
    inbound: Inbound, sender: str | None, tag: str
) -> None:
    command = mail(f"From: {ALICE}", "Subject: help", "Message-ID: <1@example.org>")
    assert take(inbound, command, sender, f"pbmserv+{tag}@example.com") == (0, 0)
    assert take(inbound, command, ALICE, "pbmserv+bouncesx@example.com") == (0, 1)


@pytest.mark.parametrize("header", ["To", "Delivered-To", "X-Original-To", "Envelope-To"])
def test_without_an_envelope_the_headers_say_whom_a_report_is_for(
    inbound: Inbound, back: str, header: str
) -> None:
    data = MAILS["postfix"].replace(f"To: {BACK}".encode(), f"{header}: {back}".encode())
    assert take(inbound, data, "<>") == (1, 0)


def test_where_the_envelope_is_known_the_headers_do_not_make_a_bounce(
    inbound: Inbound, back: str
) -> None:
    command = mail(f"From: {ALICE}", f"To: {back}", f"Delivered-To: {back}", "Subject: help")
    assert take(inbound, command, ALICE, OWN) == (0, 1)
    data = MAILS["postfix"].replace(BACK.encode(), back.encode())
    assert take(inbound, data, "<>", OWN) == (0, 1)

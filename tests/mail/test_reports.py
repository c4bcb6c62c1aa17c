"""Reports of letters that came back, as mail servers write them, and what only looks like one."""

import base64
import quopri
from datetime import UTC, datetime
from email import message_from_bytes

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbm_oust.accounts.tags import Robotic, envelope_sender, parse_tag
from pbm_oust.mail.inbound import Inbound, envelope_of, open_inbound
from pbm_oust.mail.reports import FailedDelivery, read_report
from pbm_oust.store.home import Home
from pbm_oust.store.verifications import bounces_of
from tests.support.mails import mail, parts

OWN, ALICE, BOB = "pbmserv@example.com", "alice@example.org", "bob@example.net"
KEY = bytes(range(32))
BACK = envelope_sender(OWN, KEY, BOB)
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

ROBOT = "From: Mail Delivery System <MAILER-DAEMON@mx.example.net>"
NOTE = "Content-Type: text/plain; charset=us-ascii\r\n\r\nYour mail could not be delivered.\r\n"
ABOUT = "Reporting-MTA: dns; mx.example.net\r\nArrival-Date: Fri, 20 Nov 2026 11:59:58 +0000"
HEADERS = (
    f"From: pbm_oust <{OWN}>\r\nTo: {BOB}\r\nSubject: oust 17 #6: your turn, bob\r\n"
    "Message-ID: <oust.17.5.0123456789abcdef@example.com>"
)
FAILED = FailedDelivery(
    BOB, "5.1.1", "<oust.17.5.0123456789abcdef@example.com>", "oust 17 #6: your turn, bob"
)


def group(final: str = BOB, action: str = "failed", status: str = "5.1.1") -> str:
    return f"Final-Recipient: rfc822; {final}\r\nAction: {action}\r\nStatus: {status}"


def status_of(*groups: str) -> str:
    fields = "\r\n\r\n".join((ABOUT, *groups))
    return f"Content-Type: message/delivery-status\r\n\r\n{fields}\r\n"


def whole(headers: str = HEADERS) -> str:
    return f"Content-Type: message/rfc822\r\n\r\n{headers}\r\n\r\nIt is your turn.\r\n"


def only_headers(headers: str = HEADERS) -> str:
    return f"Content-Type: text/rfc822-headers\r\n\r\n{headers}\r\n"


def report(*contents: str, kind: str = "report") -> bytes:
    header, text = parts(*contents, kind=kind)
    header += "; report-type=delivery-status"
    return mail(ROBOT, f"To: {BACK}", "Message-ID: <dsn@mx.example.net>", header, text=text)


def read(data: bytes, sent_to: str = BACK) -> FailedDelivery | None:
    return read_report(message_from_bytes(data), sent_to, KEY)


def nested(kind: str, *contents: str) -> str:
    header, text = parts(*contents, kind=kind)
    return f"{header}\r\n\r\n{text}"


POSTFIX_GROUP = (
    f"Final-Recipient: rfc822; {BOB}\r\nOriginal-Recipient: rfc822;{BOB}\r\nAction: failed\r\n"
    "Status: 5.1.1\r\nRemote-MTA: dns; mail.example.net\r\n"
    "Diagnostic-Code: smtp; 550 5.1.1 <bob@example.net>: no such user\r\n    here"
)
EXIM_GROUP = (
    f"Action: failed\r\nFinal-Recipient: rfc822;{BOB}\r\nStatus: 5.1.1\r\n"
    "Remote-MTA: dns; mail.example.net\r\nDiagnostic-Code: smtp; 550 no such user"
)
EXIM_FORWARDED = EXIM_GROUP.replace(BOB, "robert@elsewhere.example")
EXCHANGE_GROUP = (
    f"Original-Recipient: rfc822;{BOB}\r\nFinal-Recipient: RFC822;Robert@corp.example\r\n"
    "Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp;550 5.1.1 not found\r\n"
    "X-Display-Name: Bob"
)
GMAIL_GROUP = (
    f"Final-Recipient: rfc822; {BOB}\r\nAction: failed\r\nStatus: 5.1.1\r\n"
    "Diagnostic-Code: smtp; 550-5.1.1 no such account\r\n 550 5.1.1 look here\r\n"
    "Last-Attempt-Date: Fri, 20 Nov 2026 03:59:59 -0800 (PST)"
)
HTML = "Content-Type: text/html; charset=utf-8\r\n\r\n<p>Your mail could not be delivered.</p>\r\n"
PICTURE = "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n"
REPORTS = {
    "postfix": report(NOTE, status_of(POSTFIX_GROUP), whole()),
    "postfix, headers": report(NOTE, status_of(POSTFIX_GROUP), only_headers()),
    "exim": report(NOTE, status_of(EXIM_GROUP), whole(f"Return-path: <{BACK}>\r\n{HEADERS}")),
    "exim, headers": report(NOTE, status_of(EXIM_GROUP), only_headers()),
    "exim, original": report(
        NOTE, status_of(f"{EXIM_FORWARDED}\r\nOriginal-Recipient: rfc822;{BOB}"), whole()
    ),
    "exchange": report(nested("alternative", NOTE, HTML), status_of(EXCHANGE_GROUP), whole()),
    "gmail": report(nested("related", NOTE, PICTURE), status_of(GMAIL_GROUP), whole()),
}


# What a report says


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("line_end", [b"\r\n", b"\n"])
def test_the_reports_of_mail_servers_are_understood(name: str, line_end: bytes) -> None:
    assert read(REPORTS[name].replace(b"\r\n", line_end)) == FAILED


@pytest.mark.parametrize("returned", [whole(), only_headers()])
def test_a_letter_that_was_forwarded_is_known_by_whom_it_was_to(returned: str) -> None:
    assert read(report(NOTE, status_of(EXIM_FORWARDED), returned)) == FAILED


@pytest.mark.parametrize("fields", [group(), EXCHANGE_GROUP])
def test_a_report_without_the_letter_is_known_by_its_own_id(fields: str) -> None:
    found = read(report(NOTE, status_of(fields)))
    assert found == FailedDelivery(BOB, "5.1.1", "<dsn@mx.example.net>", "")


@pytest.mark.parametrize("action", ["Failed", " FAILED ", "failed\t"])
def test_failed_may_be_written_in_any_case(action: str) -> None:
    assert read(report(NOTE, status_of(group(action=action)), whole())) == FAILED


@pytest.mark.parametrize(
    ("status", "wanted"),
    [("5.2.2 (mailbox full)", "5.2.2"), ("smtp; 4.4.7", "4.4.7"), ("none", "5.0.0"), ("", "5.0.0")],
)
def test_the_status_is_the_number_in_its_field(status: str, wanted: str) -> None:
    found = read(report(NOTE, status_of(group(status=status)), whole()))
    assert found
    assert found.status == wanted


def test_addresses_may_be_written_in_another_case_and_in_brackets() -> None:
    found = read(report(NOTE, status_of(group(final="<Bob@Example.NET>"))), BACK.upper())
    assert found
    assert found.recipient == "Bob@Example.NET"


@pytest.mark.parametrize("action", ["delivered", "delayed", "failed"])
def test_ours_is_found_among_several_recipients(action: str) -> None:
    groups = [group("robert@elsewhere.example", action, "5.2.2"), group()]
    found = read(report(NOTE, status_of(*groups)))
    assert found == FailedDelivery(BOB, "5.1.1", "<dsn@mx.example.net>", "")


QMAIL = f"""Hi. This is the qmail-send program at mail.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<{BOB}>:
203.0.113.5 does not like recipient.
Remote host said: 550 5.1.1 no mailbox here by that name

--- Below this line is a copy of the message.

Return-Path: <{BACK}>
{HEADERS}

It is your turn. 5.7.1
"""
EXIM_OF_OLD = f"""This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  {BOB}
    SMTP error from remote mail server after RCPT TO:<{BOB}>:
    550 5.1.1 no such user

------ This is a copy of the message, including all the headers. ------

{HEADERS}
"""
UNNAMED = f"""I could not deliver your mail: 5.1.1 no such user.

----- Original message -----

{HEADERS}
"""


@pytest.mark.parametrize("text", [QMAIL, EXIM_OF_OLD, UNNAMED], ids=["qmail", "exim", "unnamed"])
@pytest.mark.parametrize(
    "mark", ["From: MAILER-DAEMON@mx.example.net", f"X-Failed-Recipients: {BOB}"]
)
def test_what_mail_servers_write_in_words_is_understood(text: str, mark: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\n", "\r\n")
    assert read(mail(mark, "Subject: failure notice", text=lines)) == FAILED


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ('"Courier mail server at mx" <@mx.example.net>', f"<{BOB}>:\r\n<<< 550 User unknown."),
        ("Notes <mdaemon@corp.example>", f"was not delivered to:\r\n\r\n  {BOB}\r\n"),
        ("MAILER-DAEMON@mx.example.net", f"Bonjour,\r\n\r\n<{BOB}> :\r\nbo\u00eete inconnue\r\n"),
    ],
    ids=["Courier", "Domino", "in French"],
)
def test_any_mail_server_may_say_so_in_its_words(name: str, said: str) -> None:
    found = read(mail(f"From: {name}", "Subject: Your mail", text=said))
    assert found
    assert (found.recipient, found.status) == (BOB, "5.0.0")


def test_a_letter_that_failed_where_it_was_forwarded_is_known_by_the_text() -> None:
    note = NOTE.replace("Your mail", f"Your mail to {BOB}")
    found = read(report(note, status_of(group("robert@elsewhere.example"))))
    assert found
    assert found.recipient == BOB


@pytest.mark.parametrize("kind", ["mixed", "report"])
def test_a_report_in_another_envelope_is_understood(kind: str) -> None:
    found = read(report(NOTE, nested("related", status_of(group())), whole(), kind=kind))
    assert found
    assert found.recipient == BOB


MUELLER = "m\u00fcller@example.net"


@pytest.mark.parametrize("encoding", ["8bit", "base64", "quoted-printable"])
@pytest.mark.parametrize("final", [MUELLER, "m\\x{FC}ller@example.net"])
@pytest.mark.parametrize("kind", ["global-delivery-status", "delivery-status"])
def test_a_report_about_an_address_beyond_ascii_is_understood(
    encoding: str, final: str, kind: str
) -> None:
    fields = (
        f"{ABOUT}\r\n\r\nFinal-Recipient: utf-8; {final}\r\nAction: failed\r\nStatus: 5.1.1\r\n"
    )
    head = HEADERS.replace(BOB, MUELLER)
    status, headers = (
        f"Content-Type: message/{name}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
        + encoded(said, encoding)
        for name, said in ((kind, fields), ("global-headers", head))
    )
    found = read(report(NOTE, status, headers), envelope_sender(OWN, KEY, MUELLER))
    assert found == FailedDelivery(MUELLER, "5.1.1", FAILED.letter, FAILED.subject)


def encoded(text: str, encoding: str) -> str:
    if encoding == "base64":
        return base64.encodebytes(text.encode()).decode()
    return quopri.encodestring(text.encode()).decode() if encoding[0] == "q" else text


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("550 5.7.1 sender is on a block list", "5.7.1"),
        ("550 Blocked by Spamhaus", "5.7.0"),
        ("550 DMARC failed", "5.7.0"),
        ("550 no such user", "5.0.0"),
        ("550 5.1.1 no such user", "5.1.1"),
        ("550 User bob is not listed in our directory", "5.0.0"),
        ("554 198.51.100.1 is listed at a list of senders", "5.7.0"),
        ("554 Relay access denied", "5.7.0"),
        ("550 Sender verify failed", "5.7.0"),
        ("552 no more room", "5.2.2"),
        ("552 message too large", "5.3.4"),
        ("550 retry timeout exceeded", "4.4.7"),
    ],
)
@pytest.mark.parametrize("stated", ["", "Status: 5.0.0\r\n"], ids=["unstated", "open"])
def test_refusals_for_policy_are_told_from_others(said: str, wanted: str, stated: str) -> None:
    fields = f"{group(status='5.0.0')}\r\nDiagnostic-Code: smtp; {said}"
    fields = fields.replace("Status: 5.0.0\r\n", stated)
    found = read(report(NOTE, status_of(fields), whole()))
    assert found
    assert found.status == wanted


# What is no report of a failed letter


@pytest.mark.parametrize("action", ["delayed", "delivered", "relayed", "expanded", "", "unfailed"])
def test_a_letter_that_has_not_failed_did_not_come_back(action: str) -> None:
    assert read(report(NOTE, status_of(group(action=action)), whole())) is None


@pytest.mark.parametrize(
    "data",
    [
        mail(ROBOT, "Content-Type: message/delivery-status", text=group()),
        report(NOTE, status_of(), whole()),
        mail("From: bob@example.net", text=f"I, {BOB}, am away. No such luck, 550 5.1.1."),
        mail(ROBOT, "Subject: Warning: message delayed", text=f"<{BOB}>: unknown host\r\n"),
        mail(ROBOT, text=f"<{BOB}>: unknown host. I will continue to try for four days.\r\n"),
        mail(ROBOT, text="I could not deliver your mail.\r\n"),
        mail(ROBOT, text=f"Thank you for your mail to {BOB}.\r\n"),
        report(NOTE, status_of(f"Final-Recipient: rfc822; {BOB}"), whole()),
        report(),
        mail(),
    ],
)
def test_what_has_not_the_structure_of_a_report_is_none(data: bytes) -> None:
    assert read(data) is None


@pytest.mark.parametrize(
    "sent_to",
    [
        "pbmserv+bounces.aaaaaaaaaaaaaaaa@example.com",
        envelope_sender(OWN, KEY, ALICE),
        envelope_sender(OWN, bytes(32), BOB),
        BACK.replace("@", "x@"),
        "pbmserv+bounces.@example.com",
        "pbmserv+bounces@example.com",
        OWN,
        "",
    ],
)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_to_any_other_address_counts_for_nobody(name: str, sent_to: str) -> None:
    assert read(REPORTS[name], sent_to) is None


# Dirt

GARBAGE = ["", ";", "<>", "rfc822;", "\u00e9\udcff", "=?utf-8?b?gA==?=", "(" * 3000, "a:" * 3000]


@pytest.mark.parametrize("garbage", GARBAGE)
@pytest.mark.parametrize("field", ["Final-Recipient", "Action", "Status", "To", "Message-ID"])
def test_garbage_in_one_field_is_no_error(field: str, garbage: str) -> None:
    lines = REPORTS["postfix"].split(b"\r\n")
    value = garbage.encode("utf-8", "surrogateescape")
    dirty = [f"{field}: ".encode() + value if is_field(line, field) else line for line in lines]
    assert dirty != lines
    found = read(b"\r\n".join(dirty))
    assert found is None if field == "Action" else found is not None


@pytest.mark.parametrize("to", ["(" * 3000, "a:" * 3000, f"{'(' * 3000}, {BOB}"])
def test_garbage_in_the_address_of_a_forwarded_letter_is_no_error(to: str) -> None:
    returned = whole(HEADERS.replace(BOB, to))
    found = read(report(NOTE, status_of(EXIM_FORWARDED), returned))
    assert found is None or found.recipient == BOB


@pytest.mark.parametrize("token", ["\u00e9", "\udcff", "a\0", "a" * 5000])
def test_a_token_of_any_characters_is_only_a_wrong_one(token: str) -> None:
    assert read(REPORTS["postfix"], f"pbmserv+bounces.{token}@example.com") is None


@pytest.mark.parametrize("charset", ["charset*=utf-8''x", 'charset="a\0b"', "charset=nothing"])
def test_a_report_of_an_impossible_charset_is_none(charset: str) -> None:
    data = mail(ROBOT, f"Content-Type: multipart/report; {charset}", text=b"\xff\xfe\r\n")
    assert read(data) is None


def test_returned_headers_with_parts_deep_in_one_another_are_no_error() -> None:
    head = "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n"
    deep = "".join(head % (number, number) for number in range(1000))
    encoded = base64.encodebytes(deep.encode()).decode()
    returned = f"Content-Transfer-Encoding: base64\r\n{only_headers(encoded)}"
    assert read(report(NOTE, status_of(EXIM_FORWARDED), returned)) is None


FIELDS = 'rfc822; bob@example.net,failed:5.1.1<>()"\\=?*%\r\n\t \0\u00e9'


@settings(deadline=None)
@given(st.binary(max_size=200) | st.text(FIELDS, max_size=200).map(str.encode))
@example(b"Final-Recipient\r\nAction\r\n")
@example(b"Final-Recipient: rfc822; bob@example.net\nAction: failed\nStatus: =?x?q?=FF?=")
@example(b"Action: failed\r\nFinal-Recipient: \xff\xfe; \xff")
def test_whatever_stands_in_a_report_it_counts_for_its_recipient_or_for_nobody(
    fields: bytes,
) -> None:
    data = report(NOTE, status_of("FIELDS"), whole()).replace(b"FIELDS", fields)
    found = read(data)
    assert found is None or found.recipient == BOB


def is_field(line: bytes, field: str) -> bool:
    return line.startswith(f"{field}: ".encode()) and line != f"To: {BACK}".encode()


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
    assert take(inbound, REPORTS["postfix"], sender, back) == (1, 0)
    assert take(inbound, REPORTS["postfix"], sender, back) == (1, 0)


@pytest.mark.parametrize("sender", ["<>", ALICE, None])
@pytest.mark.parametrize("tag", ["bounces", "Bounces.", "bounces.aaaaaaaaaaaaaaaa"])
def test_a_command_to_an_address_for_bounces_is_not_answered(
    inbound: Inbound, sender: str | None, tag: str
) -> None:
    command = mail(f"From: {ALICE}", "Subject: help", "Message-ID: <1@example.org>")
    assert take(inbound, command, sender, f"pbmserv+{tag}@example.com") == (0, 0)


def test_a_command_to_another_tag_is_answered(inbound: Inbound) -> None:
    command = mail(f"From: {ALICE}", "Subject: help")
    assert take(inbound, command, ALICE, "pbmserv+bouncesx@example.com") == (0, 1)


@pytest.mark.parametrize("header", ["To", "Delivered-To", "X-Original-To", "Envelope-To"])
def test_without_an_envelope_the_headers_say_whom_a_report_is_for(
    inbound: Inbound, back: str, header: str
) -> None:
    data = REPORTS["postfix"].replace(f"To: {BACK}".encode(), f"{header}: {back}".encode())
    assert take(inbound, data, "<>") == (1, 0)


def test_where_the_envelope_is_known_the_headers_do_not_make_a_bounce(
    inbound: Inbound, back: str
) -> None:
    command = mail(f"From: {ALICE}", f"To: {back}", f"Delivered-To: {back}", "Subject: help")
    assert take(inbound, command, ALICE, OWN) == (0, 1)
    data = REPORTS["postfix"].replace(BACK.encode(), back.encode())
    assert take(inbound, data, "<>", OWN) == (0, 1)


def test_the_address_that_letters_come_back_to_is_that_of_one_recipient_and_one_home() -> None:
    addresses = [BACK, envelope_sender(OWN, KEY, ALICE), envelope_sender(OWN, bytes(32), BOB)]
    assert len(set(addresses)) == 3
    assert all(parse_tag(address, OWN) is Robotic.BOUNCES for address in addresses)
    assert envelope_sender(OWN, KEY, "Bob@Example.NET") == BACK

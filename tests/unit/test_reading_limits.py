"""Mails that would cost too much to read are refused at once, and all others are read quickly."""

import time
from contextlib import suppress
from itertools import islice
from string import ascii_letters

import pytest

from pbm_oust.mail.reading import UnreadableMail, read_mail
from pbm_oust.mail.reading.limits import LARGEST_HEADER, LARGEST_HEADERS, LARGEST_MAIL, MOST_PARTS
from tests.unit.mails import FROM, in_parts, mail, parts

MAIL_INSIDE = b"Content-Type: message/rfc822\r\n\r\n"
PATIENCE = 3.0
"""Seconds that reading the largest mail may take; it takes a tenth of that."""


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ([f"X-{n}: {'x' * 1000}" for n in range(33)], f"larger than {LARGEST_HEADERS} bytes"),
        ([f"Subject: {'x' * LARGEST_HEADER}"], f"larger than {LARGEST_HEADER} bytes"),
        (["Subject:" + "\r\n =?utf-8?q?x?=" * 400], f"larger than {LARGEST_HEADER} bytes"),
    ],
)
def test_headers_that_are_too_large_are_not_read(headers: list[str], reason: str) -> None:
    with pytest.raises(UnreadableMail, match=reason):
        read_mail(mail(FROM, *headers))


def test_a_mail_that_is_too_large_is_not_read() -> None:
    with pytest.raises(UnreadableMail, match=f"larger than {LARGEST_MAIL} bytes"):
        read_mail(mail(FROM, text="x" * LARGEST_MAIL))


@pytest.mark.parametrize(
    "name", ["X-Microsoft-Antispam-Message-Info", "References", "ARC-Seal", "DKIM-Signature"]
)
def test_a_header_that_nothing_reads_may_be_long(name: str) -> None:
    long = f"{name}: x" + "\r\n\txxxxxxxx" * 800
    read = read_mail(mail(FROM, long, "Subject: help"))
    assert (read.subjects, read.text, read.sender) == (("help",), "hello", "alice@example.org")


def test_too_many_parts_are_not_read() -> None:
    with pytest.raises(UnreadableMail, match=f"more than {MOST_PARTS} parts"):
        read_mail(in_parts(*["\r\nx"] * MOST_PARTS))


def nested(depth: int) -> bytes:
    """Return a mail whose text is as many parts deep."""
    content = "Content-Type: text/plain\r\n\r\nhello"
    for level in range(depth):
        kind, text = parts(content, kind=f"x{level}")
        content = f"{kind}\r\n\r\n{text}"
    return mail(FROM, "Subject: help", content, text="")


def test_a_text_a_few_parts_deep_is_read() -> None:
    assert read_mail(nested(8)).text == "hello"


def test_a_text_too_many_parts_deep_is_left_unread() -> None:
    read = read_mail(nested(20))
    assert (read.subjects, read.text) == (("help",), "")


def test_a_thousand_parts_inside_one_another_are_not_read() -> None:
    with pytest.raises(UnreadableMail, match="parts"):
        read_mail(nested(1000))


def with_bare_returns(data: bytes) -> bytes:
    """Return a mail whose text, but not its header, has lines that end in CR alone."""
    header, end, text = data.partition(b"\r\n\r\n")
    return header + end + text.replace(b"\r\n", b"\r")


@pytest.mark.parametrize(
    "data",
    [
        mail(FROM, "Content-Type: message/rfc822", text=MAIL_INSIDE * 1000),
        with_bare_returns(nested(1000)),
        mail("From: " + "(" * 4000, "Subject: help"),
    ],
    ids=["mails inside one another", "parts behind bare returns", "open comments in From"],
)
def test_nothing_exhausts_the_stack(data: bytes) -> None:
    try:
        read_mail(data)
    except UnreadableMail:
        return


def parts_without_empty_lines(depth: int) -> bytes:
    """Return a header whose lines open parts inside one another, no empty line among them."""
    boundaries = (f"{first}{second}" for first in ascii_letters for second in ascii_letters)
    lines = (
        f"Content-Type:multipart/x;boundary={boundary}\n--{boundary}"
        for boundary in islice(boundaries, depth)
    )
    return "\n".join(lines).encode()


def test_parts_without_empty_lines_and_mails_do_not_exhaust_the_stack_together() -> None:
    with pytest.raises(UnreadableMail):
        read_mail(parts_without_empty_lines(700) + b"\n" + MAIL_INSIDE * 399)


LARGE = {
    "many encoded words": mail(FROM, "Subject: " + "=?utf-8?q?x?= " * 250),
    "many addresses": mail("From: " + "a, " * 1300),
    "many prefixes": mail(FROM, "Subject: " + "re:" * 1300),
    "a line of dashes": mail(FROM, text="-" * 250_000 + "x"),
    "dashes and spaces": mail(FROM, text="-" * 120_000 + " " * 120_000 + "x"),
    "dashes and words": mail(FROM, text="--" + " a-" * 80_000),
    "empty lines": mail(FROM, text="\r\n" * 120_000 + "> x"),
    "lines with colons": mail(FROM, text="x:\r\n" * 60_000 + "> x"),
    "quoted lines": mail(FROM, text=">\r\n" * 80_000),
    "blocks like headers": mail(FROM, text="From: x\r\nTo: \r\nx\r\n" * 12_000),
    "broken base64": mail(FROM, "Content-Transfer-Encoding: base64", text="=x\r\n" * 60_000),
    "a delivery status": mail(FROM, "Content-Type: message/delivery-status", text="\r\n" * 20_000),
}


def seconds_to_read(data: bytes) -> float:
    begun = time.process_time()
    with suppress(UnreadableMail):
        read_mail(data)
    return time.process_time() - begun


@pytest.mark.parametrize("name", LARGE)
def test_a_mail_of_many_equal_things_is_read_quickly(name: str) -> None:
    assert seconds_to_read(LARGE[name]) < PATIENCE


def test_a_long_parameter_of_a_part_is_not_read() -> None:
    content = f'Content-Type: text/plain; name="{";" * LARGEST_HEADER}"\r\n\r\nx'
    with pytest.raises(UnreadableMail, match="header"):
        read_mail(in_parts(content))


def test_many_quotes_with_empty_lines_between_are_read_quickly() -> None:
    assert seconds_to_read(mail(FROM, text=">\r\n\r\n" * 12_000)) < PATIENCE

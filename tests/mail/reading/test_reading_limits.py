"""Mails that would cost too much to read are refused at once, and all others are read quickly."""

import subprocess
import sys
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path
from string import ascii_letters

import pytest

from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.reading import UnreadableMail, read_mail
from pbm_oust.mail.reading.limits import (
    LARGEST_HEADER,
    LARGEST_HEADERS,
    MOST_LINES,
    MOST_PARTS,
    within_limits,
)
from tests.support.bombs import BOMBS, LARGE, REFUSED, nested
from tests.support.mails import FROM, in_parts, mail

ROOT = Path(__file__).parents[3]
MAIL_INSIDE = b"Content-Type: message/rfc822\r\n\r\n"
PATIENCE = 3.0
"""Seconds that reading the largest mail may take; it takes a tenth of that."""


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        (["To: " + "x" * 1000] * 33, f"larger than {LARGEST_HEADERS} bytes"),
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


def test_headers_that_nothing_reads_may_be_as_large_as_the_mail() -> None:
    names = ("X-MS-Exchange-Diagnostics", "Received", "ARC-Seal", "DKIM-Signature", "Feedback-ID")
    many = [f"{name}: " + "x" * 800 + "\r\n\ty" * 5 for name in names for _ in range(50)]
    needed = ["Message-ID: <1@example.org>", "Auto-Submitted: no", "Subject: help", FROM]
    read = read_mail(mail(*many[::2], *needed, *many[1::2]))
    assert sum(map(len, many)) > 200_000
    assert (read.subjects, read.text, read.sender) == (("help",), "hello", "alice@example.org")
    assert read.message_id == "<1@example.org>"


def test_a_mail_is_read_to_its_end_although_a_line_is_no_header() -> None:
    read = read_mail(b"Subject: help\r\nFrom: a@b.c\r\nno header\r\nX-Chat: Good luck\r\n")
    assert (read.subjects, read.text) == (("help",), "no header\nX-Chat: Good luck")


def test_too_many_lines_are_not_read() -> None:
    with pytest.raises(UnreadableMail, match=f"more than {MOST_LINES} lines"):
        read_mail(mail(FROM, text="\r\n" * MOST_LINES))


def test_a_report_of_too_many_groups_is_not_read() -> None:
    with pytest.raises(UnreadableMail, match="groups"):
        read_mail(LARGE["a delivery status"])


def test_too_many_parts_are_not_read() -> None:
    with pytest.raises(UnreadableMail, match=f"more than {MOST_PARTS} parts"):
        read_mail(in_parts(*["\r\nx"] * MOST_PARTS))


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


def is_read_quickly(data: bytes) -> bool:
    """Return whether a mail can be read in time; a machine may be slow once."""
    return any(seconds_to_read(data) < PATIENCE for _ in range(3))


def seconds_to_read(data: bytes) -> float:
    begun = time.process_time()
    with suppress(UnreadableMail):
        read_mail(data)
    return time.process_time() - begun


@pytest.mark.parametrize("name", LARGE)
def test_a_mail_of_many_equal_things_is_read_quickly(name: str) -> None:
    assert is_read_quickly(LARGE[name])


def test_a_long_parameter_of_a_part_is_not_read() -> None:
    content = f'Content-Type: text/plain; name="{";" * LARGEST_HEADER}"\r\n\r\nx'
    with pytest.raises(UnreadableMail, match="header"):
        read_mail(in_parts(content))


def test_many_quotes_with_empty_lines_between_are_read_quickly() -> None:
    assert is_read_quickly(mail(FROM, text=">\r\n\r\n" * 4_900))


# The mails of the field notes that cost others minutes or gigabytes


@pytest.mark.parametrize("name", REFUSED)
def test_a_mail_that_would_cost_minutes_is_refused_before_it_is_parsed(name: str) -> None:
    with pytest.raises(UnreadableMail):
        within_limits(REFUSED[name])


@pytest.mark.parametrize("name", BOMBS)
def test_a_mail_made_to_be_slow_is_read_quickly(name: str) -> None:
    assert is_read_quickly(BOMBS[name])


def test_no_mail_takes_more_than_fifty_megabytes() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.bombs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert 0 < int(run.stdout) < 50_000

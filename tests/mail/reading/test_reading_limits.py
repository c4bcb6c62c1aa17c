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


def parts_without_empty_lines(depth: int) -> bytes:
    """Return a header whose lines open parts inside one another, no empty line among them."""
    boundaries = (f"{first}{second}" for first in ascii_letters for second in ascii_letters)
    lines = (
        f"Content-Type:multipart/x;boundary={boundary}\n--{boundary}"
        for boundary in islice(boundaries, depth)
    )
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (mail(FROM, *["To: " + "x" * 1000] * 33), f"larger than {LARGEST_HEADERS} bytes"),
        (mail(FROM, f"Subject: {'x' * LARGEST_HEADER}"), f"larger than {LARGEST_HEADER} bytes"),
        (
            mail(FROM, "Subject:" + "\r\n =?utf-8?q?x?=" * 400),
            f"larger than {LARGEST_HEADER} bytes",
        ),
        (
            in_parts(f'Content-Type: text/plain; name="{";" * LARGEST_HEADER}"\r\n\r\nx'),
            "header",
        ),
        (mail(FROM, text="x" * LARGEST_MAIL), f"larger than {LARGEST_MAIL} bytes"),
        (mail(FROM, text="\r\n" * MOST_LINES), f"more than {MOST_LINES} lines"),
        (LARGE["a delivery status"], "groups"),
        (in_parts(*["\r\nx"] * MOST_PARTS), f"more than {MOST_PARTS} parts"),
        (nested(1000), "parts"),
        (parts_without_empty_lines(700) + b"\n" + MAIL_INSIDE * 399, "parts"),
    ],
)
def test_what_is_too_much_is_not_read(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableMail, match=reason):
        read_mail(data)


def test_headers_that_nothing_reads_may_be_as_large_as_the_mail() -> None:
    names = ("X-MS-Exchange-Diagnostics", "Received", "ARC-Seal", "DKIM-Signature", "Feedback-ID")
    many = [f"{name}: " + "x" * 800 + "\r\n\ty" * 5 for name in names for _ in range(50)]
    many.append("References: x" + "\r\n\txxxxxxxx" * 800)
    needed = ["Message-ID: <1@example.org>", "Auto-Submitted: no", "Subject: help", FROM]
    read = read_mail(mail(*many[::2], *needed, *many[1::2]))
    assert sum(map(len, many)) > 200_000
    assert (read.subjects, read.text, read.sender) == (("help",), "hello", "alice@example.org")
    assert read.message_id == "<1@example.org>"


def test_a_mail_is_read_to_its_end_although_a_line_is_no_header() -> None:
    read = read_mail(b"Subject: help\r\nFrom: a@b.c\r\nno header\r\nX-Chat: Good luck\r\n")
    assert (read.subjects, read.text) == (("help",), "no header\nX-Chat: Good luck")


@pytest.mark.parametrize(("depth", "text"), [(8, "hello"), (20, "")])
def test_a_text_is_read_if_it_is_only_a_few_parts_deep(depth: int, text: str) -> None:
    read = read_mail(nested(depth))
    assert (read.subjects, read.text) == (("help",), text)


def with_bare_returns(data: bytes) -> bytes:
    """Return a mail whose text, but not its header, has lines that end in CR alone."""
    header, end, text = data.partition(b"\r\n\r\n")
    return header + end + text.replace(b"\r\n", b"\r")


def is_read_quickly(data: bytes) -> bool:
    """Return whether a mail can be read in time; a machine may be slow once."""
    return any(seconds_to_read(data) < PATIENCE for _ in range(3))


def seconds_to_read(data: bytes) -> float:
    begun = time.process_time()
    with suppress(UnreadableMail):
        read_mail(data)
    return time.process_time() - begun


DEEP = {
    "mails inside one another": mail(FROM, "Content-Type: message/rfc822", text=MAIL_INSIDE * 1000),
    "parts behind bare returns": with_bare_returns(nested(1000)),
    "open comments in From": mail("From: " + "(" * 4000, "Subject: help"),
    "quotes with empty lines between": mail(FROM, text=">\r\n\r\n" * 4_900),
}
SLOW = LARGE | BOMBS | DEEP
"""Mails that are made to be slow: with many equal things in them, or deep ones."""


@pytest.mark.parametrize("name", SLOW)
def test_a_mail_made_to_be_slow_is_read_quickly(name: str) -> None:
    assert is_read_quickly(SLOW[name])


@pytest.mark.parametrize("name", REFUSED)
def test_a_mail_that_would_cost_minutes_is_refused_before_it_is_parsed(name: str) -> None:
    with pytest.raises(UnreadableMail):
        within_limits(REFUSED[name])


@pytest.mark.slow
def test_no_mail_takes_more_than_fifty_megabytes() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.bombs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert 0 < int(run.stdout) < 50_000

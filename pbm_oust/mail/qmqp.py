"""QMQP: how `deliver` hands a mail to the server of its home.

A netstring is `5:hello,`. A request is one that holds others: the mail as it is, the envelope
sender, and the recipients. The reply is one too: K for taken, Z for later or D for never, and why.
Here a sender that is empty is not known, and `<>` is the null sender.

Source: D. J. Bernstein, "QMQP: Quick Mail Queueing Protocol" and "Netstrings".
"""

import os
from collections.abc import Sequence
from typing import NamedTuple

from pbm_oust.mail.size import LARGEST_MAIL

LARGEST_REQUEST = LARGEST_MAIL + 16 * 1024
NULL_SENDER = "<>"
_MOST_DIGITS = 7

TAKEN, LATER, NEVER = "K", "Z", "D"


class BadNetstring(ValueError):
    """Bytes that are no netstring."""


class Handed(NamedTuple):
    """A mail that is handed over."""

    data: bytes
    sender: str | None
    """The envelope sender; None if it is not known."""
    recipients: Sequence[str]


def request(mail: Handed) -> bytes:
    """Return the request that hands a mail over."""
    sender = "" if mail.sender is None else mail.sender or NULL_SENDER
    names = [os.fsencode(name) for name in (sender, *mail.recipients)]
    return netstring(b"".join(map(netstring, [mail.data, *names])))


def parse_request(inside: bytes) -> Handed:
    """Return the mail of a request, from the inside of its netstring. Raises BadNetstring."""
    parts = list[bytes]()
    while inside:
        part, inside = first_netstring(inside)
        parts.append(part)
    if len(parts) < 2:
        raise BadNetstring("a request has a mail and a sender")
    data, sender, *recipients = parts
    return Handed(data, os.fsdecode(sender) or None, tuple(map(os.fsdecode, recipients)))


def netstring(data: bytes) -> bytes:
    """Return bytes as a netstring."""
    return b"%d:%b," % (len(data), data)


def first_netstring(data: bytes) -> tuple[bytes, bytes]:
    """Return what is in the netstring that some bytes begin with, and the rest."""
    digits, colon, rest = data.partition(b":")
    length = parse_length(digits)
    if not colon or rest[length : length + 1] != b",":
        raise BadNetstring("a netstring is not whole")
    return rest[:length], rest[length + 1 :]


def parse_length(digits: bytes) -> int:
    """Return the length at the beginning of a netstring. Raises BadNetstring."""
    if not digits.isdigit() or len(digits) > _MOST_DIGITS:
        raise BadNetstring("a netstring begins with its length")
    return int(digits)

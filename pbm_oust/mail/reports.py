"""Bounces: reading the delivery status reports that say which letter failed (RFC 3464)."""

import hmac
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser

from pbm_oust.accounts.tags import bounce_token, tag_of
from pbm_oust.frozen import frozen
from pbm_oust.mail.reading import first_address
from pbm_oust.regex import regex

STATUS = regex(r"[245]\.\d{1,3}\.\d{1,3}")
"""A reason as in RFC 3463."""


@frozen
class FailedDelivery:
    """What a report says about a letter that was not delivered."""

    recipient: str
    status: str
    """Why, as in RFC 3463: 5.1.1."""
    letter: str
    """The Message-ID of the letter, or else that of the report."""
    subject: str


def read_report(message: Message, sent_to: str, key: bytes) -> FailedDelivery | None:
    """Return what a report to the address `sent_to` says; None if it reports no failed letter.

    A report is a multipart/report with a part message/delivery-status (RFC 3464). A report that a
    letter is late, or that it arrived, reports no failure. Nor does a report to an address that
    does not belong to any of its recipients.
    """
    returned = _returned_letter(message)
    token = tag_of(sent_to).partition(".")[2]
    groups = list(_fields_of_recipients(message))
    ours = [fields for fields in groups if any(_is_of(token, key, name) for name in _named(fields))]
    failed = [fields for fields in ours or groups if _action(fields) == "failed"]
    for fields in failed:
        for recipient in (*_named(fields), first_address([str(returned.get("To", ""))])):
            if _is_of(token, key, recipient):
                status = STATUS.search(str(fields.get("Status", "")))
                letter = returned.get("Message-ID") or message.get("Message-ID") or ""
                return FailedDelivery(
                    recipient,
                    status[0] if status else "5.0.0",
                    str(letter),
                    str(returned.get("Subject", "")),
                )
    return None


def _action(fields: Message) -> str:
    return str(fields.get("Action", "")).strip().lower()


def _named(fields: Message) -> list[str]:
    """Return the addresses of one recipient: the one in the letter, and the final one."""
    values = (str(fields.get(name, "")) for name in ("Original-Recipient", "Final-Recipient"))
    return [value.rpartition(";")[2].strip().strip("<>") for value in values]


def _is_of(token: str, key: bytes, recipient: str) -> bool:
    wanted = bounce_token(key, recipient).encode()
    return bool(recipient) and hmac.compare_digest(wanted, token.encode("utf-8", "replace"))


def _parts(message: Message) -> list[Message]:
    payload = message.get_payload() if message.is_multipart() else []
    return [part for part in payload if isinstance(part, Message)]


def _fields_of_recipients(message: Message) -> Iterator[Message]:
    """Yield the groups of fields of a report, one about the message and one for each recipient."""
    if message.get_content_type() == "multipart/report":
        for part in _parts(message):
            if part.get_content_type() == "message/delivery-status":
                yield from _parts(part)


def _returned_letter(message: Message) -> Message:
    """Return the letter that a report returns, or its headers; an empty one if there is none."""
    for part in _parts(message):
        if part.get_content_type() == "message/rfc822":
            return next(iter(_parts(part)), Message())
        if part.get_content_type() == "text/rfc822-headers":
            payload = part.get_payload(decode=True)
            text = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""
            return Parser().parsestr(text, headersonly=True)
    return Message()

"""The mail of `deliver`, and its way to the server of the home by LMTP.

Nothing else of ours is needed for that, so that a mail costs little time.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.own_socket import FOR_DELIVER, connect

if TYPE_CHECKING:
    import smtplib

UNKNOWN = "unknown"
"""Replaces an unknown sender or recipient at the socket."""
_PATIENCE = 600
"""The seconds in which the server has to answer."""
_ADDRESS = re.compile(r"[^\s<>()]+@[^\s<>()]+")
_LINE_END = re.compile(rb"\r?\n")


class Handed(NamedTuple):
    """A mail with its envelope, as far as it is known."""

    data: bytes
    """The mail with the line ends of the wire."""
    sender: str | None
    """Empty for the null sender; None if it is not known."""
    recipients: tuple[str, ...]


class SmtpReply(NamedTuple):
    """The server's LMTP reply to a mail."""

    code: int
    text: str


def handed(data: bytes, sender: str | None, recipient: str | None) -> Handed:
    """Return a mail from a pipe. A sender that is no address is dropped."""
    ended = data if data.endswith(b"\n") else data + b"\n"
    if sender not in (None, "", "<>") and not _is_address(sender):
        sender = None
    return Handed(
        _LINE_END.sub(b"\r\n", ended)[: LARGEST_MAIL + 1],  # more is never taken
        "" if sender == "<>" else sender,
        () if recipient is None else (recipient,),
    )


def hand_over(home: Path, mail: Handed) -> SmtpReply | None:
    """Hand a mail to the server of a home, and return its reply, or None if there is no server.

    A recipient that is no address is dropped. If the server goes away during the mail it may have
    taken it: the reply says to try again.
    """
    if not all(map(_is_address, mail.recipients)):
        return None
    try:
        connection = connect(home, FOR_DELIVER)
    except OSError:
        return None
    if connection is None:
        return None
    import smtplib  # it takes long, and without a server nobody needs it

    client = smtplib.LMTP(local_hostname="localhost")
    client.sock = connection
    try:
        connection.settimeout(_PATIENCE)
        return _conversed(client, mail)
    except smtplib.SMTPDataError as error:
        return SmtpReply(error.smtp_code, str(error.smtp_error))
    except OSError as error:
        return SmtpReply(451, f"4.3.0 the server has gone away: {error}")
    finally:
        client.close()


def _conversed(client: "smtplib.LMTP", mail: Handed) -> SmtpReply:
    """Return the first refusing reply, or else the reply to the whole mail. Raises OSError."""
    sender = UNKNOWN if mail.sender is None else mail.sender
    recipient = mail.recipients[0] if mail.recipients else UNKNOWN
    options = [] if (sender + recipient).isascii() else ["SMTPUTF8"]
    for step in (
        client.getreply,
        client.ehlo,
        lambda: client.mail(sender, options),
        lambda: client.rcpt(recipient),
    ):
        code, said = step()
        if not 200 <= code < 300:
            return SmtpReply(code, said.decode("utf-8", "replace"))
    code, said = client.data(mail.data)
    return SmtpReply(code, said.decode("utf-8", "replace"))


def _is_address(text: str) -> bool:
    """Return whether a text is an address that a line of LMTP can hold."""
    return text.isprintable() and bool(_ADDRESS.fullmatch(text))

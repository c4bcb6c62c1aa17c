"""Mail of robots, so that robots never answer one another (RFC 3834, section 2).

What says that no human wrote it is passed over, whatever it proves. What robots, lists and offices
put on the mail of humans too is no such sign: such a mail counts if it is a command, or proves
whose it is, and is passed over otherwise.
"""

import re

from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.tags import is_own_id
from pbm_oust.mail.reading import Mail
from pbm_oust.mail.reading.attributions import any_of
from pbm_oust.mail.reading.headers import one_line
from pbm_oust.mail.reading.phrases import AUTOMATIC_REPLIES
import re

MOST_HOPS = 30

_DAEMON = re.compile(r"(?:.*[-_.])?daemon|.*mailer-?daemon")
_MACHINE = re.compile(r"(?:.*[-_.])?(?:bounces?|auto-?(?:reply|responder))")
_UNREAD = re.compile(
    r"(?:.*[-_.])?(?:no|do-?not)[-_]?reply|postmaster|listserv|majordomo|owner-.*"
    r"|.*-(?:owner|request)"
)
"""Local parts, in small letters and without what stands behind a +: those of mail servers, those of
other robots, and those at which usually no human reads."""
_AUTOMATIC = re.compile(
    r"auto-submitted: (?!no(?:[\s;(]|$)).*|return-path: <>|precedence: auto_reply"
    r"|x-auto(?!-response-suppress:).*|x-mail-autoreply:.*|x-failed-recipients:.*"
    r"|x-fc-machinegenerated:.*|x-pbm-oust:.*"
)
"""Headers of mail that no human wrote, as `name: value` in small letters."""
_SHARED = re.compile(
    r"precedence: (?:bulk|junk|list)|list-.*|(?:x-)?mailing-list:.*|x-auto-response-suppress:.*"
    r"|x-loop:.*|x-apple-action:.*"
)
"""Headers that also stand in mail of humans: of a list, a group, an office or a forwarder."""
_AUTOMATIC_REPLY = re.compile(rf"(?:{any_of(AUTOMATIC_REPLIES)})\s*(?:[:\uff1a].*)?")


def automatic_by(mail: Mail, envelope_sender: str | None, own_address: str) -> str | None:
    """Return what says that no human wrote a mail, or None if nothing does.

    `envelope_sender` is empty for the null sender of bounces, and None if it is not known.
    """
    if envelope_sender == "":
        return "null sender"
    for sender in (mail.sender, envelope_sender or ""):
        if is_same_address(sender, own_address):
            return "own address"
        if _DAEMON.fullmatch(_local_part(sender)):
            return f"sender {_local_part(sender)}"
    if _MACHINE.fullmatch(_local_part(mail.sender)):
        return f"sender {_local_part(mail.sender)}"
    if found := _header_like(_AUTOMATIC, mail):
        return found
    if mail.kind == "multipart/report":
        return mail.kind
    if mail.is_reaction:
        return "reaction"
    if any(_AUTOMATIC_REPLY.fullmatch(subject.lower()) for subject in mail.subjects):
        return "Subject of an automatic reply"
    if is_own_id("".join(mail.headers["message-id"][:1]).strip(), own_address.rpartition("@")[2]):
        return "own Message-ID"
    if len(mail.headers["received"]) > MOST_HOPS:
        return "too many hops"
    return None


def doubtful_by(mail: Mail) -> str | None:
    """Return why a mail counts only if it proves whose it is, or None if nothing is in the way."""
    local = _local_part(mail.sender)
    return f"sender {local}" if _UNREAD.fullmatch(local) else None


def marked_by(mail: Mail) -> str | None:
    """Return the header that robots and humans share, or None if a mail has none."""
    return _header_like(_SHARED, mail)


def _local_part(sender: str) -> str:
    """Return the local part of an address in small letters, without what stands behind a +."""
    return (sender.rpartition("@")[0] or sender).lower().partition("+")[0]


def _header_like(kind: re.Pattern[str], mail: Mail) -> str | None:
    """Return the name of the first header of a kind, or None if there is none."""
    for name, values in mail.headers.items():
        if any(kind.fullmatch(f"{name}: {one_line(value).lower()}") for value in values):
            return name.title()
    return None

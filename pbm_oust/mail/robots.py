"""Mail that must not be answered, so that robots never answer one another (RFC 3834, section 2)."""

from collections.abc import Callable
from email.message import Message

from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.tags import is_own_id
from pbm_oust.regex import regex

MOST_HOPS = 30

_ROBOT = regex(
    r"(?:.*[-_.])?(?:daemon|bounces?|auto-?(?:reply|responder)|(?:no|do-?not)[-_]?reply)"
    r"|.*mailer-?daemon|postmaster|listserv|majordomo|owner-.*|.*-(?:owner|request)"
)
"""Local parts, in small letters and without what stands behind a +, at which no human reads."""

_SENT_TO_MANY = {"auto_reply", "bulk", "junk", "list"}
_MARKS = {
    "mailing-list",
    "x-apple-action",
    "x-failed-recipients",
    "x-fc-machinegenerated",
    "x-loop",
    "x-mail-autoreply",
    "x-mailing-list",
    "x-pbm-oust",
}
"""Headers that only robots and lists write, whatever they say."""
_BEGINNINGS_OF_MARKS = ("list-", "x-auto")
_IS_OF_ROBOT: dict[str, Callable[[str], bool]] = {
    "auto-submitted": lambda said: said.partition(";")[0].strip() != "no",
    "precedence": lambda said: said in _SENT_TO_MANY,
    "return-path": lambda said: said == "<>",
}
"""What the values of other headers say where no human wrote the mail."""


def reason_for_silence(
    message: Message, envelope_sender: str | None, sender: str, own_address: str
) -> str | None:
    """Return why a mail is not answered, or None if it is.

    `envelope_sender` is empty for the null sender of bounces, and None if it is not known.
    """
    if envelope_sender == "":
        return "null sender"
    if not sender:
        return "no sender address"
    if is_same_address(sender, own_address):
        return "own address"
    local = sender.partition("@")[0].lower()
    if _ROBOT.fullmatch(local.partition("+")[0]):
        return f"sender {local}"
    return _reason_in_headers(message, own_address)


def _reason_in_headers(message: Message, own_address: str) -> str | None:
    hops = 0
    for name, value in message.raw_items():
        mark = name.lower()
        is_of_robot = _IS_OF_ROBOT.get(mark)
        if is_of_robot and is_of_robot(str(value).strip().lower()):
            return name
        if mark in _MARKS or mark.startswith(_BEGINNINGS_OF_MARKS):
            return name
        hops += mark == "received"
    if message.get_content_type() == "multipart/report":
        return "multipart/report"
    if is_own_id(str(message.get("Message-ID", "")).strip(), own_address.rpartition("@")[2]):
        return "own Message-ID"
    if hops > MOST_HOPS:
        return "too many hops"
    return None

"""Mail that must not be answered, so that robots never answer one another (RFC 3834, section 2)."""

from email.message import Message

from pbm_oust.accounts.address import is_same_address

MOST_HOPS = 30

_ROBOTS = ("mailer-daemon", "postmaster", "noreply", "no-reply", "donotreply", "do-not-reply")

_LIST_HEADERS = ("List-Id", "List-Post", "List-Unsubscribe", "Mailing-List")


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
    if local in _ROBOTS:
        return f"sender {local}"
    return _reason_in_headers(message)


def _reason_in_headers(message: Message) -> str | None:
    submitted = str(message.get("Auto-Submitted", "no")).partition(";")[0].strip().lower()
    if submitted != "no":
        return "Auto-Submitted"
    if str(message.get("Precedence", "")).strip().lower() in ("bulk", "junk", "list"):
        return "Precedence"
    for name, _ in message.raw_items():
        if name.lower().startswith("x-auto"):
            return name
    for name in _LIST_HEADERS:
        if name in message:
            return name
    if message.get_content_type() == "multipart/report":
        return "multipart/report"
    if len(message.get_all("Received", [])) > MOST_HOPS:
        return "too many hops"
    return None

"""Links that begin a mail: tapped, they open a mail that only has to be sent (RFC 6068)."""

from urllib.parse import quote


def mail_link(address: str, subject: str) -> str:
    """Return the link that begins a mail to an address with a Subject; it needs no escaping.

    Everything is percent-encoded that may be, also `+`, which some programs take for a space in a
    link and others drop with what stands before it.
    """
    local, _, host = address.rpartition("@")
    return (
        f"mailto:{quote(local, safe='')}@{quote(host, safe='')}?subject={quote(subject, safe='')}"
    )

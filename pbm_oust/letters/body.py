"""The body of a letter: text alone, or both text and HTML."""

from email.message import EmailMessage, MIMEPart

from pbm_oust.render.visible import visible_letter

LARGEST = 90_000
"""The most bytes of both parts as they are sent: Gmail cuts letters off at 102 KB."""
LONGEST_LINE = 900
"""Mail may not hold lines of more than 998 characters (RFC 5322, section 2.1.1)."""


def fill(letter: EmailMessage, text: str, page: str | None, boundary: str) -> None:
    """Put a text into a letter, and the page of HTML that says the same, if there is one.

    `boundary` must be the same each time the same letter is written.
    """
    _set(letter, text, "plain")
    if page is not None:
        letter.make_alternative(boundary)
        part = EmailMessage(policy=letter.policy)
        _set(part, page, "html")
        del part["MIME-Version"]
        letter.attach(part)


def size_of(content: str) -> int:
    """Return the number of bytes that a text takes as a part of a mail."""
    part = MIMEPart()
    _set(part, content, "plain")
    data = part.as_bytes()
    return len(data) + data.count(b"\n")


def _set(part: MIMEPart, content: str, subtype: str) -> None:
    content = visible_letter(content)
    longest = max(map(len, content.splitlines()), default=0)
    is_plain = content.isascii() and longest <= LONGEST_LINE
    part.set_content(
        content,
        subtype=subtype,
        charset="us-ascii" if content.isascii() else "utf-8",
        cte="7bit" if is_plain else "quoted-printable",
    )

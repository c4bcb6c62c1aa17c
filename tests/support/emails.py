"""Letters as Python's email package reads and writes them: slowly, and by all the standards."""

from collections.abc import Iterable, Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import EmailPolicy

_POLICY = EmailPolicy(linesep="\n", max_line_length=76)
_LONGEST_LINE = 900
_OF_THE_BODY = {"mime-version", "content-type", "content-transfer-encoding", "content-language"}


def read(data: bytes) -> EmailMessage:
    """Return a letter as the package reads it."""
    letter = message_from_bytes(data, policy=_POLICY)
    assert isinstance(letter, EmailMessage)
    return letter


def contents(letter: EmailMessage) -> list[str]:
    """Return what each part of a letter says."""
    return [str(part.get_content()) for part in letter.walk() if not part.is_multipart()]


def written(
    fields: Iterable[tuple[str, str]],
    parts: Sequence[str],
    language: str,
    boundary: str = "",
    files: Sequence[EmailMessage] = (),
) -> bytes:
    """Return a letter as the package writes it: of text alone, or of text and HTML, with files."""
    values = dict(fields)
    is_utf8 = not (values.get("From", "") + values.get("To", "")).isascii()
    letter = EmailMessage(policy=_POLICY.clone(utf8=is_utf8))
    for name, value in values.items():
        letter[name] = value
    text, *pages = parts
    _fill(letter, text, "plain")
    for page in pages:
        letter.make_alternative(boundary)
        part = EmailMessage(policy=letter.policy)
        _fill(part, page, "html")
        del part["MIME-Version"]
        letter.attach(part)
    if files:
        letter.make_mixed(f"=_{boundary}")
        for file in files:
            letter.attach(file)
    letter["Content-Language"] = language
    return letter.as_bytes(policy=letter.policy.clone(max_line_length=_LONGEST_LINE))


def written_again(data: bytes) -> bytes:
    """Return a letter as the package writes what it has read in it."""
    letter = read(data)
    fields = [(name, str(value)) for name, value in letter.items()]
    own = [(name, value) for name, value in fields if name.lower() not in _OF_THE_BODY]
    files = list(letter.iter_attachments())
    parts = contents(letter)[: -len(files) or None]
    boundary = letter.get_boundary("").removeprefix("=_" if files else "")
    return written(own, parts, str(letter["Content-Language"]), boundary, files)


def joined(data: bytes) -> bytes:
    """Return a letter without soft line breaks, and with points that are alone as they are.

    Encoders may break lines where they like, and encode what they like (RFC 2045, section 6.7).
    """
    return data.replace(b"=\n", b"").replace(b"\n=2E\n", b"\n.\n").replace(b"\n=2E\n", b"\n.\n")


def _fill(part: EmailMessage, content: str, subtype: str) -> None:
    longest = max(map(len, content.split("\n")))
    is_plain = content.isascii() and longest <= _LONGEST_LINE
    part.set_content(
        content,
        subtype=subtype,
        charset="us-ascii" if content.isascii() else "utf-8",
        cte="7bit" if is_plain else "quoted-printable",
    )

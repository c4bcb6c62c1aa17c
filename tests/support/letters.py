"""Our letters as programs read them: as text, and as HTML."""

import re
from email import message_from_bytes
from email.message import EmailMessage, Message

_PARTS = re.compile(
    rb'^Content-Type: multipart/(?:alternative|mixed);\s*boundary="([^"]+)"\n', re.MULTILINE
)
_VERSION = b"MIME-Version: 1.0\n"

_SENTENCE = re.compile(r"(?<=[.:;?]) ")


def as_text(data: bytes) -> bytes:
    """Return a letter from the outbox as if it were text alone, with nothing attached."""
    head, _, body = data.partition(b"\n\n")
    head += b"\n"
    while found := _PARTS.search(head):
        _, first, *_ = (b"\n" + body).split(b"\n--" + found[1])
        fields, _, body = first.lstrip(b"\n").partition(b"\n\n")
        before, after = head.split(found[0])
        is_outer = before.endswith(_VERSION)
        version = _VERSION if is_outer else b""
        head = before.removesuffix(_VERSION) + fields + b"\n" + version + after
    return head + b"\n" + body


def is_whole(data: bytes) -> bool:
    """Return whether a letter has its end."""
    found = _PARTS.search(data)
    return data.endswith(b"\n") and (not found or b"\n--" + found[1] + b"--\n" in data)


def text_letter(data: bytes) -> Message:
    """Return a letter as if it were text alone, from the outbox or sent."""
    return message_from_bytes(as_text(data.replace(b"\r\n", b"\n")))


def text_of(letter: EmailMessage) -> str:
    """Return the text of a letter, which may also have HTML."""
    body = letter.get_body(("plain",))
    assert body
    return str(body.get_content())


def attached(data: bytes) -> dict[str, bytes]:
    """Return the files that are attached to a letter, by their names."""
    files = dict[str, bytes]()
    for part in message_from_bytes(data).walk():
        if name := part.get_filename():
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            files[name] = content
    return files


def page_of(data: bytes) -> str:
    """Return a letter as HTML, or an empty text if it is text alone."""
    for part in message_from_bytes(data).walk():
        if part.get_content_type() == "text/html":
            page = part.get_payload(decode=True)
            assert isinstance(page, bytes)
            return page.decode()
    return ""


def sentences(text: str) -> set[str]:
    """Return the sentences of a text with three words or more, without command lines and boards."""
    prose = [" ".join(part.split()) for part in re.split(r"\n\n|\n(?= )", text)]
    parts = {sentence for part in prose for sentence in _SENTENCE.split(part)}
    said = {part for part in parts if re.search(r"(\b[a-z]+\b.*){3}[.:;?]$", part)}
    return {part for part in said if re.search("[a-z]{2}", part)}

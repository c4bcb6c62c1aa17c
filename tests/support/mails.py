"""Mails as bytes, written for a test."""

FROM = "From: Alice <alice@example.org>"


def mail(*headers: str | bytes, text: str | bytes = "hello\r\n") -> bytes:
    """Return a mail with these headers and this text; bytes stay as they are."""
    lines = [line.encode() if isinstance(line, str) else line for line in (*headers, "")]
    body = text.encode() if isinstance(text, str) else text
    return b"\r\n".join([*lines, body])


def parts(*contents: str, kind: str = "mixed") -> tuple[str, str]:
    """Return the Content-Type and the text of a mail with these parts, headers and all."""
    boundary = f"={kind}"
    text = "".join(f"--{boundary}\r\n{content}\r\n" for content in contents)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"', f"{text}--{boundary}--\r\n"


def in_parts(*contents: str, kind: str = "mixed") -> bytes:
    """Return a mail from Alice with these parts, headers and all."""
    header, text = parts(*contents, kind=kind)
    return mail(FROM, "Subject: help", header, text=text)

"""Mails as bytes, written for a test."""

import re

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


def grown(text: str, size: int = 0) -> str:
    """Return a text in which what stands in brackets comes often; a `№` in it is 0, 1, 2 ..

    `⟦x⟧9` is nine of them, `⟦x⟧size` as many as the size, and `⟦x⟧size/8<20` an eighth of it, but
    at most twenty.
    """

    def often(found: re.Match[str]) -> str:
        unit, number, part, most = found.groups()
        times = int(number) if number else min(size // int(part or 1), int(most or size))
        if "№" not in unit:
            return unit * times
        return "".join(unit.replace("№", str(nth)) for nth in range(times))

    return re.sub(r"⟦(.*?)⟧(?:(\d+)|size(?:/(\d+))?(?:<(\d+))?)", often, text, flags=re.DOTALL)

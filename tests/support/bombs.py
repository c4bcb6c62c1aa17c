"""Mails that are made to cost time or memory. Run as a program, it prints the memory they take,
in KiB."""

import re
import sys
from contextlib import suppress
from pathlib import Path

from pbm_oust.mail.reading import UnreadableMail, read_mail
from tests.support.mails import FROM, mail, parts

ROOM = 250_000
"""Bytes of text that a mail can hold."""


def nested(depth: int) -> bytes:
    """Return a mail whose text is so many parts deep."""
    content = "Content-Type: text/plain\r\n\r\nhello"
    for level in range(depth):
        kind, text = parts(content, kind=f"x{level}")
        content = f"{kind}\r\n\r\n{text}"
    return mail(FROM, "Subject: help", content, text="")


REFUSED = {
    "1000 parts inside one another": nested(1000),
    "5000 open comments": mail("From: " + "(" * 5000, "Subject: help"),
    "200,000 empty parts": mail(
        FROM, "Content-Type: multipart/mixed; boundary=b", text="--b\r\n" * 200_000
    ),
    "20,000 encoded words": mail(FROM, "Subject: " + "=?utf-8?q?x?= " * 20_000),
    "a header without an end": mail(FROM, "Subject: " + "x" * 1_000_000),
    "a thousand headers": mail(FROM, *(f"List-{number}: x" * 4 for number in range(2000))),
}
"""Those that others have reported, and similar ones."""

LARGE = {
    "headers that nothing reads": mail(FROM, *(f"X-{number}: x" for number in range(9_900))),
    "many encoded words": mail(FROM, "Subject: " + "=?utf-8?q?x?= " * 250),
    "many addresses": mail("From: " + "a, " * 1300),
    "many prefixes": mail(FROM, "Subject: " + "re:" * 1300),
    "a line of dashes": mail(FROM, text="-" * 250_000 + "x"),
    "dashes and spaces": mail(FROM, text="-" * 120_000 + " " * 120_000 + "x"),
    "dashes and words": mail(FROM, text="--" + " a-" * 80_000),
    "empty lines": mail(FROM, text="\r\n" * 9_900 + "> x"),
    "lines with colons": mail(FROM, text="x:\r\n" * 9_900 + "> x"),
    "quoted lines": mail(FROM, text=">\r\n" * 9_900),
    "blocks like headers": mail(FROM, text="From: x\r\nTo: \r\nx\r\n" * 3_300),
    "broken base64": mail(FROM, "Content-Transfer-Encoding: base64", text="=x\r\n" * 9_900),
    "a delivery status": mail(FROM, "Content-Type: message/delivery-status", text="\r\n" * 9_900),
}
"""Many equal things, as many as a mail can hold."""


def html(text: str) -> bytes:
    return mail(FROM, "Content-Type: text/html", text=text[:ROOM])


def flowed(text: str) -> bytes:
    return mail(FROM, "Content-Type: text/plain; format=flowed", text=text[:ROOM])


BOMBS = {
    "HTML of nested elements": html("<div>" * ROOM),
    "HTML of nested quotes": html("<blockquote><p>a</p>" * ROOM),
    "HTML of lines in nested quotes": html("<blockquote>" * 400 + "a<br>" * ROOM),
    "HTML of nested lists": html("<ul><li>" * ROOM),
    "HTML of nested tables": html("<table><tr><td>" * ROOM),
    "HTML of open brackets": html("<" * ROOM),
    "HTML of open tags": html("<a " * ROOM),
    "HTML of open comments": html("<!--" * ROOM),
    "HTML of declarations": html("<![" * ROOM),
    "HTML of ampersands": html("&" * ROOM),
    "HTML of entities": html("&amp;" * ROOM),
    "HTML of attributes": html("<a " + "b=c " * ROOM),
    "HTML of scripts": html("<script>" + "</" * ROOM),
    "HTML of short lines": html("a<br>" * ROOM),
    "HTML of spaces": html("<pre>" + " " * ROOM),
    "a flowed text of one paragraph": flowed("a long line \r\n" * 9_900),
    "a flowed text of quotes": flowed("> \r\n>> \r\n" * 4_950),
    "many signed texts": mail(FROM, text="-----BEGIN PGP SIGNED MESSAGE-----\r\n" * 7000),
    "many announcements": mail(FROM, text="--- --- ---\r\n" * 9_900),
    "many sentences of quotes": mail(FROM, text="On 20 Nov 2026 x@y.z wrot:\r\n" * 9_000),
    "a long sentence of a quote": mail(FROM, text="On " + "20:26 @ wrote " * 17_000 + ":"),
    "many footers": mail(FROM, text="Sent from my\r\n" * 9_900),
    "one long line": mail(FROM, text="a" * ROOM),
    "a text in punycode": mail(
        FROM, "Content-Type: text/plain; charset=punycode", text="a-" * 100_000
    ),
}
"""Texts that are hard for some programs."""


def _read_all() -> None:
    for data in (*REFUSED.values(), *LARGE.values(), *BOMBS.values()):
        with suppress(UnreadableMail):
            read_mail(data)


def _memory(name: str) -> int:
    """Return a figure that Linux keeps about this process, in KiB."""
    status = Path("/proc/self/status").read_text()
    return int(re.findall(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)[0])


if __name__ == "__main__":
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # resets the highest figure
    _read_all()
    sys.stdout.write(str(_memory("VmHWM") - before))

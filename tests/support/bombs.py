"""Mails that are made to cost time or memory. Run as a program, it prints the memory they take,
in KiB."""

import re
import sys
from contextlib import suppress
from pathlib import Path

from pbm_oust.mail.reading import UnreadableMail, read_mail
from tests.support import tables
from tests.support.mails import FROM, grown, mail, parts


def nested(depth: int) -> bytes:
    """Return a mail whose text is so many parts deep."""
    content = "Content-Type: text/plain\r\n\r\nhello"
    for level in range(depth):
        kind, text = parts(content, kind=f"x{level}")
        content = f"{kind}\r\n\r\n{text}"
    return mail(FROM, "Subject: help", content, text="")


def _mails(name: str) -> dict[str, bytes]:
    """Return the mails of a table by their names; those that do not say so are from Alice."""
    found = dict[str, bytes]()
    for title, header, text in tables.of(__file__)[name]:
        headers = grown(header).split("\r\n")
        froms = [] if header.startswith("From:") else [FROM]
        found[title] = mail(*froms, *filter(None, headers), text=grown(text))
    return found


REFUSED = {"1000 parts inside one another": nested(1000), **_mails("refused")}
"""Those that others have reported, and similar ones."""

LARGE = _mails("large")
"""Many equal things, as many as a mail can hold."""

BOMBS = _mails("bombs")
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

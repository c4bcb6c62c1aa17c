"""What is fuzzed: functions of bytes that raise where a promise is broken."""

from collections.abc import Callable

from pbm_oust.grammar.showing import to_stranger
from pbm_oust.mail.reading import UnreadableMail, read_mail
from pbm_oust.mail.reading.html import text_of_html
from pbm_oust.mail.reading.own_text import own_text
from pbm_oust.service.table import parse_line

HEAD = b"From: alice@example.org\nContent-Type: text/plain; charset=utf-8\n\n"
COMMAND = "oust move 17 alice wonderland A1"
FACES = tuple(":;=.^_")
"""What the eyes of a face may be, below its brows: `>:(`."""


def mails(data: bytes) -> None:
    """Any bytes are read, or refused as unreadable; what is read can be written."""
    try:
        mail = read_mail(data)
    except UnreadableMail:
        return
    "".join((mail.sender, *mail.subjects, mail.text, mail.identity)).encode()


def texts(data: bytes) -> None:
    """No marked line is anybody's own for certain, and no command in a quote is ever read.

    A line alone that begins with a face has no mark.
    """
    text = data.decode("utf-8", "replace").replace("\r", "\n").replace("\0", "")
    sure = own_text(text).sure.split("\n")
    assert not any(line.startswith(">") and line[1:2] not in FACES for line in sure)
    quoted = "\n".join(f"> {line}" for line in f"{text}\n{COMMAND}".split("\n"))
    assert own_text(quoted).whole == ""
    assert read_mail(HEAD + quoted.encode()[:200_000]).text == ""
    html = f"<p>x</p><blockquote>{COMMAND}</blockquote>{text}"
    assert COMMAND not in own_text(text_of_html(html)).whole


def lines(data: bytes) -> None:
    """Any line is a command or is not; its words can be shown again."""
    line, _ = parse_line(data.decode("utf-8", "replace"))
    line.shown(to_stranger((), lambda _: False)).encode()


TARGETS: dict[str, Callable[[bytes], None]] = {"mails": mails, "texts": texts, "lines": lines}

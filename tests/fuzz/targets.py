"""What is fuzzed: functions of bytes that raise where a promise is broken."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.grammar.form import to_stranger
from pbm_oust.mail.inbound import Envelope, Inbound, open_inbound
from pbm_oust.mail.reading import UnreadableMail, read_mail
from pbm_oust.mail.reading.html import text_of_html
from pbm_oust.mail.reading.own_text import own_text
from pbm_oust.play.passwords import NotDerived
from pbm_oust.service.table import parse_line
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of
from tests.support.limits import UNLIMITED
from tests.support.outbox import letters

HEAD = b"From: alice@example.org\nContent-Type: text/plain; charset=utf-8\n\n"
COMMAND = "oust move 17 alice wonderland A1"
FACES = tuple(":;=.^_~8xX%|}]")
"""What the eyes of a face may be, below its brows: `>:(`."""
_FOLDER = tempfile.TemporaryDirectory()


def mails(data: bytes) -> None:
    """Any bytes are read, or refused as unreadable; what is read can be written."""
    try:
        mail = read_mail(data)
    except UnreadableMail:
        return
    "".join((mail.sender, *mail.subjects, mail.text, mail.identity)).encode()


@cache
def _inbound() -> tuple[Inbound, dict[bytes, bytes]]:
    """Return what takes mail for a home with a board, and what stands for its secrets in inputs."""
    begin = [
        (ALICE, "oust challenge alice bob wonderland"),
        (BOB, "add bob lookingglass a@b.example"),
    ]
    home = home_of(Path(_FOLDER.name) / "home", ALICE, BOB, mails=begin)
    tags = {letter.to: letter["Reply-To"] or "" for letter in letters(home)}
    secrets = {
        b"ALICE_TAG": tags[ALICE],
        b"CODE_TAG": tags["a@b.example"],
        b"BOUNCE_TAG": envelope_sender(ADDRESS, home.key(), BOB),
    }
    inbound = open_inbound(home, ADDRESS, lambda: NOON, UNLIMITED, "mx.example")
    return inbound, {stands: secret.encode() for stands, secret in secrets.items()}


def deliveries(data: bytes) -> None:
    """A mail server that hands in any bytes is told that they were taken, or are unreadable.

    It never has to try again. The first line of an input is the sender of the envelope.
    """
    inbound, secrets = _inbound()
    for stands, secret in secrets.items():
        data = data.replace(stands, secret)
    sender, _, mail = data.partition(b"\n")
    envelope = Envelope(sender.decode("utf-8", "replace"), is_of_mail_server=True)
    with suppress(UnreadableMail, NotDerived):
        inbound.take(mail, envelope)


def texts(data: bytes) -> None:
    """No marked line is anybody's own for certain, and no command in a quote is ever read.

    A line alone that begins with a face has no mark.
    """
    text = data.decode("utf-8", "replace").replace("\r", "\n").replace("\0", "")
    sure = own_text(text).sure.split("\n")
    quotes = (line for line in sure if line.startswith(">") and line[1:2] not in FACES)
    assert all("<" in line[1:7] for line in quotes)  # a face such as >w<
    quoted = "\n".join(f"> {line}" for line in f"{text}\n{COMMAND}".split("\n"))
    assert own_text(quoted).whole == ""
    assert read_mail(HEAD + quoted.encode()[:200_000]).text == ""
    html = f"<p>x</p><blockquote>{COMMAND}</blockquote>{text}"
    assert COMMAND not in own_text(text_of_html(html)).whole


def lines(data: bytes) -> None:
    """Any line is a command or is not; its words can be shown again."""
    line, _ = parse_line(data.decode("utf-8", "replace"))
    line.shown(to_stranger((), lambda _: False)).encode()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "mails": mails,
    "deliveries": deliveries,
    "texts": texts,
    "lines": lines,
}

r"""Conversations with the listener, one oddity in each file, played over a real socket.

`C:` is what a client sends, with CR LF behind it; `c:` is sent as it is. Both know the escapes
`\r`, `\n`, `\\` and `\xff`; `*` and a number at the end of `c:` repeat it. `S:` is how the reply
begins; `END` means that the listener closes; `TLS` is the handshake; `LETTERS` and a number say how
many wait in the outbox then. The first line may begin with `WITH`: `lmtp` speaks LMTP, `tls` has a
certificate, `smtps` also begins with the handshake, and the client is one of our `mail_servers` or
`proxies`.
"""

import re
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from pbm_oust.mail.session import Protocol
from pbm_oust.mail.tls import Tls
from pbm_oust.store.home import Home
from tests.support.certificates import certificate, secured
from tests.support.listening import listening
from tests.support.waiting import PATIENCE

FOLDER = Path(__file__).parent
PROTOCOLS = {"lmtp": Protocol.LMTP, "smtps": Protocol.SMTPS}
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))


def bytes_of(text: str) -> bytes:
    """Return what a line of a file means as bytes."""
    return text.encode().decode("unicode_escape").encode("latin-1")


def test_there_are_dialogues() -> None:
    assert len(NAMES) >= 15


@pytest.mark.parametrize("name", NAMES)
def test_the_listener_answers_as_written(home: Home, name: str) -> None:
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    wishes = lines[0].removeprefix("WITH ").split()
    protocol = PROTOCOLS.get(wishes[0], Protocol.SMTP)
    tls = Tls(certificate() if {"tls", "smtps"} & {*wishes} else None)
    mail_servers, proxies = ("127.0.0.1" * (each in wishes) for each in ("mail_servers", "proxies"))
    with (
        listening(home, protocol, tls=tls, mail_servers=mail_servers, proxies=proxies) as port,
        socket.create_connection(("127.0.0.1", port), PATIENCE) as client,
        ExitStack() as opened,
    ):
        replies = opened.enter_context(client.makefile("r", newline="\r\n"))
        for line in lines:
            if line == "END":
                assert replies.readline() == ""
            elif line.startswith("LETTERS "):
                assert len(home.outbox.letters()) == int(line[8:])
            elif line == "TLS":
                client = opened.enter_context(secured(client))
                replies = opened.enter_context(client.makefile("r", newline="\r\n"))
            elif line.startswith("C:"):
                client.sendall(bytes_of(line[3:]) + b"\r\n")
            elif line.startswith("c: "):
                piece = re.fullmatch(r"(.*?)(?:\*(\d+))?", line[3:])
                assert piece, line
                client.sendall(bytes_of(piece[1]) * int(piece[2] or 1))
            elif line.startswith("S: "):
                assert replies.readline().startswith(line[3:]), line
            else:
                assert line.startswith(("#", "WITH")) or not line, line

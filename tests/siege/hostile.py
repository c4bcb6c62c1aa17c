"""Clients that mean harm. Run as a program, it attacks the server at a port with so many mails.

It prints how many mails were sent, by the reply to each.
"""

import os
import smtplib
import socket
import sys
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from random import Random

from tests.hostile.costly import COSTLY
from tests.support.bombs import BOMBS, LARGE
from tests.support.mails import mail
from tests.support.server import ADDRESS
from tests.support.waiting import PATIENCE

SENDERS = 12
"""How many connections send whole mails."""
OPENING = f"EHLO x\r\nMAIL FROM:<a@hostile.example>\r\nRCPT TO:<{ADDRESS}>\r\nDATA\r\n".encode()
VICTIMS = "victim.example"
"""Whose addresses are asked for."""


def _forged(line: Callable[[int], str], text: str = "") -> Callable[[Random, int], bytes]:
    """Return what makes a mail with a line, from anybody."""

    def make(random: Random, number: int) -> bytes:
        userid = f"honest{random.randrange(8)}"
        froms = (f"{userid}@honest.example", f"somebody{random.randrange(500)}@hostile.example")
        return mail(
            f"From: {random.choice(froms)}",
            f"To: {ADDRESS}",
            f"Subject: {line(number)}",
            f"Message-ID: <{random.getrandbits(64):x}@hostile.example>",
            text=text,
        )

    return make


def _costly(random: Random, number: int) -> bytes:
    costly = COSTLY[random.choice(list(COSTLY))]
    size = random.choice((50, 400, 3000))
    line = costly.line(size).encode("utf-8", "replace").decode("latin-1")[:8000]
    headers = (f"From: honest{number % 8}@honest.example", f"Subject: {line}")
    return mail(*headers, *costly.headers(size), text=costly.text(size)[:200_000])


MAILS: dict[str, Callable[[Random, int], bytes]] = {
    "signups": _forged(
        lambda n: (
            f"signup zoe{n % 999} rabbithole " + " ".join(f"v{n}.{m}@{VICTIMS}" for m in "abcde")
        )
    ),
    "guesses": _forged(lambda n: f"oust move {n % 4 + 1} honest{n % 8} guess{n} A1"),
    "forgotten passwords": _forged(lambda n: f"forgot honest{n % 8}"),
    "forged challenges": _forged(lambda n: f"oust challenge honest{n % 8} honest{(n + 1) % 8}"),
    "requests": _forged(lambda n: ("help", "list", "oust standings", "oust show 1")[n % 4]),
    "nonsense": _forged(lambda n: f"buy {n} pills at http://hostile.example/{n}"),
    "several commands": _forged(lambda n: "multiple", "oust show 1 2 3 4\r\nlist\r\n" * 10),
    "costly lines and texts": _costly,
    "bombs": lambda random, number: random.choice(list((BOMBS | LARGE).values())),
    "broken bytes": lambda random, number: random.randbytes(400).replace(b"\r", b"x"),
}
"""Whole mails that mean harm."""

SESSIONS: dict[str, bytes] = {
    "an unfinished mail of empty lines": OPENING + b"Subject: x\r\n\r\n" + b"\r\n" * 9000,
    "headers without an end": OPENING + b"X: y\r\n" * 40_000,
    "a line without an end": OPENING + b"x" * 600_000,
    "a command without an end": b"EHLO " + b"x" * 600_000,
    "commands that are none": b"NONSENSE\r\n" * 9,
    "NULs and bare line feeds": b"EHLO\0x\r\nEHLO x\nMAIL FROM:<\xff\xfe@x>\r\n" * 3,
    "silence": b"",
    "the same command": b"NOOP\r\n" * 900,
}
"""What the other connections send; each stays open until the server ends it, or for a while."""
HOLDS = 5.0
"""Seconds that such a connection stays open."""


def attack(port: int, mails: int, seed: int) -> Counter[str]:
    """Send so many bad mails, and hold bad sessions meanwhile; return the replies by code."""
    numbers, over = count(), threading.Event()
    holders = [
        threading.Thread(target=_hold, args=(port, nth, content, over), daemon=True)
        for nth, content in enumerate(SESSIONS.values())
    ]
    for thread in holders:
        thread.start()
    with ThreadPoolExecutor(SENDERS) as pool:
        sending = [
            pool.submit(_send_mails, port, mails, Random(seed + nth), numbers)
            for nth in range(SENDERS)
        ]
    over.set()
    for thread in holders:
        thread.join(PATIENCE)
    return sum((each.result() for each in sending), Counter())


def _send_mails(port: int, mails: int, random: Random, numbers: "count[int]") -> Counter[str]:
    """Send bad mails, one after the other, until enough are sent by all; return the replies."""
    replies = Counter[str]()
    source = f"127.0.1.{random.randrange(1, 20)}"
    client: smtplib.SMTP | None = None
    while (number := next(numbers)) < mails:
        make = random.choice(list(MAILS.values()))
        try:
            if client is None:
                client = smtplib.SMTP("127.0.0.1", port, "x", PATIENCE, (source, 0))
            refused = client.sendmail("a@hostile.example", [ADDRESS], make(random, number))
            replies["250" if not refused else "refused"] += 1
        except smtplib.SMTPResponseException as error:
            replies[str(error.smtp_code)] += 1
            if error.smtp_code == 421:
                client = None
        except (OSError, smtplib.SMTPException):
            replies["cut off"] += 1
            client = None
    return replies


def _hold(port: int, nth: int, content: bytes, over: threading.Event) -> None:
    """Send what means harm in one session after the other, and hold each for a while."""
    while not over.is_set():
        with (
            suppress(OSError),
            socket.create_connection(("127.0.0.1", port), 2, (f"127.0.3.{nth + 1}", 0)) as client,
        ):
            client.sendall(content)
            over.wait(HOLDS)


if __name__ == "__main__":
    os.nice(10)
    _port, _mails, _seed = map(int, sys.argv[1:])
    for _code, _number in sorted(attack(_port, _mails, _seed).items()):
        print(_code, _number)

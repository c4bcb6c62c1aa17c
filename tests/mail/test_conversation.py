"""What is said to the relay, letter by letter, and what its replies mean."""

import smtplib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from pbm_oust.mail.relay import Lost, RelayRefusal, Reply, connected, transmit
from pbm_oust.store.configuration import Endpoint
from tests.support.waiting import PATIENCE

SENDER, RECIPIENT = "pbmserv+bounces.x@example.com", "alice@example.org"
MAIL = b"mail FROM:<pbmserv+bounces.x@example.com>\r\n"
RCPT = b"rcpt TO:<alice@example.org>\r\n"
DATA = b"data\r\n"
Turn = tuple[bytes, str]


@contextmanager
def talking(*turns: Turn, greeting: str = "250 relay\r\n") -> Iterator[smtplib.SMTP]:
    """Greet a relay that hears and says exactly this."""
    failed = list[str]()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            client, _ = server.accept()
            with client:
                client.sendall(b"220 relay\r\n")
                _heard(client, b"ehlo example.com\r\n")
                client.sendall(greeting.encode())
                for expected, reply in turns:
                    if (heard := _heard(client, expected)) != expected:
                        failed.append(f"{heard!r} instead of {expected!r}")
                        return
                    client.sendall(reply.encode())
                _hear_out(client)

        thread = threading.Thread(target=serve)
        thread.start()
        with connected(Endpoint("127.0.0.1", server.getsockname()[1]), "x@example.com") as smtp:
            yield smtp
        thread.join()
    assert failed == []


def _hear_out(client: socket.socket) -> None:
    """Take whatever else is said, and say goodbye."""
    with suppress(OSError):
        while said := client.recv(100):
            if said.lower().startswith((b"quit", b"rset")):
                client.sendall(b"250 OK\r\n")


def _heard(client: socket.socket, expected: bytes) -> bytes:
    client.settimeout(PATIENCE)
    heard = b""
    while len(heard) < len(expected) and (
        more := client.recv(min(len(expected) - len(heard), 1 << 20))
    ):
        heard += more
    return heard


def sent(smtp: smtplib.SMTP) -> Reply:
    return transmit(smtp, SENDER, RECIPIENT, b"Subject: x\r\n\r\n.\r\n..y\r\n", [])


SENT = b"Subject: x\r\n\r\n..\r\n...y\r\n.\r\n"


@pytest.mark.parametrize(
    ("replies", "refused"),
    [
        (["550 5.7.1 no"], RelayRefusal("550 5.7.1 no", False, "5.7.1", is_about_us=True)),
        (["250 OK", "550 5.1.1 no"], RelayRefusal("550 5.1.1 no", True, "5.1.1")),
        (["250 OK", "450 later"], RelayRefusal("450 later", False, "4.0.0")),
        (["250 OK", "250 OK", "554 no"], RelayRefusal("554 no", True, "5.0.0")),
        (["250 OK", "250 OK", "354 go", "554 no"], RelayRefusal("554 no", True, "5.0.0")),
    ],
)
def test_after_a_refusal_the_relay_forgets_the_letter(
    replies: list[str], refused: RelayRefusal
) -> None:
    turns = [(each, f"{reply}\r\n") for each, reply in zip(SAID, replies, strict=False)]
    with talking(*turns, (b"rset\r\n", "250 OK\r\n")) as smtp:
        assert sent(smtp) == refused
        assert smtp.sock


SAID = [MAIL, RCPT, DATA, SENT]


AT_ONCE = "250-relay\r\n250 PIPELINING\r\n"
OF_RECIPIENT = RelayRefusal("550 5.1.1 no", True, "5.1.1")
OF_US = RelayRefusal("450 4.7.1 later", False, "4.7.1", is_about_us=True)


def test_a_relay_that_lets_us_hears_all_at_once_that_leads_to_a_letter() -> None:
    led = (MAIL + RCPT + DATA, "250 OK\r\n250 OK\r\n354 go on\r\n")
    with talking(led, (SENT, "250 queued\r\n"), greeting=AT_ONCE) as smtp:
        assert sent(smtp) == "queued"


@pytest.mark.parametrize(
    ("replies", "refused"),
    [
        (["450 4.7.1 later", "503 what?", "503 what?"], OF_US),
        (["250 OK", "550 5.1.1 no", "554 to whom?"], OF_RECIPIENT),
    ],
)
def test_what_a_relay_refuses_first_counts(replies: list[str], refused: RelayRefusal) -> None:
    led = (MAIL + RCPT + DATA, "".join(f"{reply}\r\n" for reply in replies))
    with talking(led, (b"rset\r\n", "250 OK\r\n"), greeting=AT_ONCE) as smtp:
        assert sent(smtp) == refused
        assert smtp.sock


def test_a_relay_that_waits_for_a_letter_to_nobody_gets_an_empty_one() -> None:
    led = (MAIL + RCPT + DATA, "250 OK\r\n550 5.1.1 no\r\n354 go on\r\n")
    empty = (b".\r\n", "554 to whom?\r\n")
    with talking(led, empty, (b"rset\r\n", "250 OK\r\n"), greeting=AT_ONCE) as smtp:
        assert sent(smtp) == OF_RECIPIENT
        assert smtp.sock


@pytest.mark.parametrize("greeting", ["250 relay\r\n", AT_ONCE])
def test_a_relay_that_closes_instead_of_answering_has_gone(greeting: str) -> None:
    heard = MAIL + RCPT + DATA if greeting is AT_ONCE else MAIL
    with talking((heard, "421 4.3.2 closing\r\n"), greeting=greeting) as smtp:
        with pytest.raises(Lost, match=r"^421 4\.3\.2 closing$"):
            sent(smtp)
        assert not smtp.sock


@pytest.mark.parametrize("reply", ["hello\r\n", "x" * 70_000])
def test_a_relay_that_speaks_otherwise_has_gone(reply: str) -> None:
    with talking((MAIL, reply)) as smtp:
        with pytest.raises(Lost):
            sent(smtp)
        assert not smtp.sock


@pytest.mark.parametrize("turns", [[], [(MAIL, "250 OK\r\n")], [(MAIL, "250 OK")]])
def test_a_letter_over_which_the_relay_takes_too_long_waits(
    turns: list[Turn],
) -> None:
    with talking(*turns) as smtp:
        assert smtp.sock
        smtp.sock.settimeout(0.5)  # the greeting has all the time that a busy machine takes for it
        refused = sent(smtp)
        assert isinstance(refused, RelayRefusal)
        assert not refused.is_permanent
        assert not smtp.sock

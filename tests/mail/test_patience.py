"""Clients that are slow, or say nothing: how long they are waited for, and what they are told."""

import smtplib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from pbm_oust.accounts.asks import mail_id
from pbm_oust.mail.clients import S421_IDLE, S421_SESSION, S421_SLOW, S451_LATER, Patience
from pbm_oust.store.database import Transaction
from pbm_oust.store.home import Home
from tests.support.listening import ADDRESS, listening
from tests.support.mails import mail
from tests.support.waiting import PATIENCE, wait_until

SHORT = 0.2
OPENING = f"EHLO x\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<{ADDRESS}>\r\nDATA\r\n".encode()


def last_line(client: socket.socket) -> str:
    """Return the last thing that the listener says before it ends the session."""
    said = b""
    with suppress(ConnectionResetError):
        while more := client.recv(4096):
            said += more
    return said.decode().splitlines()[-1]


@contextmanager
def trickling(client: socket.socket, piece: bytes) -> Iterator[None]:
    """Send a few bytes again and again in the background."""
    stop = threading.Event()

    def send() -> None:
        while not stop.wait(SHORT / 4):
            try:
                client.sendall(piece)
            except OSError:
                return

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def waited_for(home: Home, patience: Patience) -> Iterator[socket.socket]:
    """Connect to a listener that has so much patience."""
    with (
        listening(home, patience=patience) as port,
        socket.create_connection(("127.0.0.1", port), PATIENCE) as client,
    ):
        yield client


@pytest.mark.parametrize("begun", [b"", b"EHLO x\r\n", b"EHLO x\r\nNOO"])
def test_a_client_that_says_nothing_is_told_so(home: Home, begun: bytes) -> None:
    with waited_for(home, Patience(idle=SHORT)) as client:
        client.sendall(begun)
        assert last_line(client) == S421_IDLE


def test_a_command_that_comes_byte_by_byte_counts_as_nothing(home: Home) -> None:
    with waited_for(home, Patience(idle=SHORT)) as client, trickling(client, b"x"):
        assert last_line(client) == S421_IDLE


@pytest.mark.parametrize("piece", [b"NOOP\r\n", b"x"])
def test_a_session_has_its_time(home: Home, piece: bytes) -> None:
    with waited_for(home, Patience(session=SHORT)) as client, trickling(client, piece):
        assert last_line(client) == S421_SESSION


@pytest.mark.parametrize("piece", [b"", b"x", b"x\r\n"])
def test_a_message_that_comes_too_slowly_is_given_up(home: Home, piece: bytes) -> None:
    def told() -> str:
        """Return the last thing said; nothing if a slow machine did not come to the message."""
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
            client.sendall(OPENING)
            with trickling(client, piece):
                return last_line(client).replace(S421_IDLE, "")

    with listening(home, patience=Patience(idle=SHORT, bytes_a_second=10_000)) as port:
        assert wait_until(told, "a message that is begun") == S421_SLOW
    assert home.outbox.letters() == []


def test_a_message_that_comes_fast_enough_is_waited_for(home: Home) -> None:
    patience = Patience(idle=1, session=4 * SHORT, bytes_a_second=10)
    with waited_for(home, patience) as client:
        client.sendall(OPENING)
        with trickling(client, b"x" * 70 + b"\r\n"):
            assert last_line(client) == S421_SESSION


def test_a_message_that_takes_long_to_handle_is_to_come_again(home: Home) -> None:
    writes, may_end = threading.Event(), threading.Event()

    def keep_waiting(_: Transaction) -> None:
        writes.set()
        may_end.wait(PATIENCE)

    writing = threading.Thread(target=home.database.write, args=[keep_waiting])
    writing.start()
    assert writes.wait(PATIENCE)
    with (
        listening(home, patience=Patience(answer=SHORT)) as port,
        smtplib.SMTP("127.0.0.1", port, local_hostname="localhost", timeout=PATIENCE) as client,
    ):
        client.ehlo()
        client.mail("a@example.org")
        client.rcpt(ADDRESS)
        code, said = client.data(
            mail("From: a@example.org", "Subject: help", "Message-ID: <x@example.org>")
        )
        told, _, name = said.decode().partition(" id=")
        assert f"{code} {told}" == S451_LATER
        assert name == mail_id("<x@example.org>")
        assert home.outbox.letters() == []
        may_end.set()
        writing.join()
        wait_until(home.outbox.letters, "the mail is handled all the same")

"""Clients that send too much, or what is no clean message, and clients that are too many."""

import asyncio
import smtplib
import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from pbm_oust.mail.clients import (
    KEPT_FOR_MAIL_SERVERS,
    MOST_CONNECTIONS,
    MOST_CONNECTIONS_OF_ONE,
    S250_DONE,
    S421_BUSY,
    S421_BUSY_SOURCE,
    ConnectionLimits,
    Source,
    TurnedAway,
    source_of,
)
from pbm_oust.mail.session import MOST_COMMANDS
from pbm_oust.store.configuration import parse_networks
from pbm_oust.store.home import Home
from tests.support.listening import ADDRESS, ask, begin, client_of, command, listening, send
from tests.support.mails import FROM, mail
from tests.support.rings import slow
from tests.support.waiting import PATIENCE

LINE = b"x" * 70 + b"\r\n"
MEGABYTE = 2**20
OPENING = f"EHLO x\r\nMAIL FROM:<alice@example.org>\r\nRCPT TO:<{ADDRESS}>\r\nDATA\r\n".encode()


# Bytes without end


def resident() -> int:
    """Return the memory that this process, and with it the listener, really has."""
    status = Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


def send_without_end(port: int, opening: bytes, chunk: bytes) -> int:
    """Send until the listener cuts the connection; return how many bytes were sent until then."""
    sent = 0
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        client.sendall(opening)
        try:
            while sent < 64 * MEGABYTE:
                sent += client.send(chunk)
        except ConnectionError:
            return sent
    raise AssertionError("the listener read all of it")


@pytest.mark.parametrize(
    ("opening", "chunk"),
    [
        (b"", b"x" * 65536),
        slow(OPENING, b"x" * 65536),
        slow(OPENING, LINE * 900),
        slow(b"", b"NOOP\r\n" * 999),
        slow(OPENING, b"\r\n" * 9999),
        slow(OPENING, b"X: y\r\n" * 9999),
    ],
    ids=["command", "line", "message", "commands", "empty lines", "headers"],
)
def test_a_client_that_never_stops_is_cut_off_and_memory_stays_flat(
    home: Home, port: int, opening: bytes, chunk: bytes
) -> None:
    send_without_end(port, opening, chunk)
    before = resident()
    sent = [send_without_end(port, opening, chunk) for _ in range(10)]
    assert max(sent) < 16 * MEGABYTE
    assert resident() - before < 16 * MEGABYTE
    assert home.outbox.letters() == []


def test_a_connection_that_is_used_again_and_again_takes_more_mails_than_commands(
    port: int,
) -> None:
    large = mail(FROM, "Precedence: bulk", text=LINE * 3000)
    silent = mail(FROM, "X-Loop: other@example.org", "Subject: help")
    with client_of(port) as client:
        for each in [large] * 5 + [silent] * MOST_COMMANDS:
            begin(client)
            assert send(client, each) == S250_DONE


def test_a_session_of_too_many_commands_is_ended(port: int) -> None:
    with client_of(port) as client:
        replies = [ask(client, "NOOP") for _ in range(MOST_COMMANDS + 1)]
    assert replies[-2].startswith("250")
    assert replies[-1].startswith("421")


# Connections


class Host(asyncio.BaseTransport):
    """A connection of which no more is known than where it comes from."""

    def __init__(self, peer: tuple[str, int]) -> None:
        super().__init__({"peername": peer})


def at(host: str, port: int = 1) -> Source:
    """Return what a connection of a host is counted as."""
    return source_of(Host((host, port)))


def refusal(limits: ConnectionLimits, host: str) -> str:
    with pytest.raises(TurnedAway) as refused:
        limits.admit(at(host))
    return str(refused.value)


def first_line(client: socket.socket) -> str:
    with client.makefile() as lines:
        return lines.readline().rstrip()


def test_one_connection_too_many_is_turned_away_for_now(home: Home) -> None:
    with listening(home, mail_servers="127.0.0.1") as port, ExitStack() as held:
        for _ in range(MOST_CONNECTIONS):
            client = held.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
            assert first_line(client).startswith("220")
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as turned_away:
            assert first_line(turned_away) == S421_BUSY
            assert turned_away.recv(1) == b""
        client.close()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with socket.create_connection(("127.0.0.1", port), PATIENCE) as next_one:
                if first_line(next_one).startswith("220"):
                    return
    raise AssertionError("nobody was let in when somebody had left")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
def test_too_many_connections_of_one_host_are_turned_away_for_now(host: str, home: Home) -> None:
    with listening(home) as port, ExitStack() as held:

        def said_to(host: str) -> str:
            client = socket.create_connection(("127.0.0.1", port), PATIENCE, (host, 0))
            return first_line(held.enter_context(client))

        for _ in range(MOST_CONNECTIONS_OF_ONE):
            assert said_to(host).startswith("220")
        assert said_to(host) == S421_BUSY_SOURCE
        assert said_to("127.0.0.3").startswith("220")


def test_idle_connections_of_few_hosts_make_room_for_others(home: Home) -> None:
    hosts = [f"127.0.1.{nth}" for nth in range((MOST_CONNECTIONS - KEPT_FOR_MAIL_SERVERS) // 20)]
    with listening(home) as port, ExitStack() as held:
        idle = []
        for host in hosts * MOST_CONNECTIONS_OF_ONE:
            idler = socket.create_connection(("127.0.0.1", port), PATIENCE, (host, 0))
            assert first_line(held.enter_context(idler)).startswith("220")
            idle.append(idler)
        for idler in idle[40:]:
            idler.sendall(OPENING)
        for nth in range(10):
            source = (f"127.0.2.{nth}", 0)
            client = smtplib.SMTP("127.0.0.1", port, "x", PATIENCE, source)
            held.enter_context(client).ehlo()
            begin(client)
            assert send(client, command("help")) == S250_DONE
        assert idle[0].recv(100) == f"{S421_BUSY}\r\n".encode()
        assert idle[0].recv(100) == b""
        # Whoever has more connections than the others finds no room.
        with socket.create_connection(("127.0.0.1", port), PATIENCE, (hosts[0], 0)) as another:
            assert first_line(another) in (S421_BUSY_SOURCE, S421_BUSY)


def test_hosts_that_have_left_are_not_remembered() -> None:
    limits = ConnectionLimits()
    visitors = [limits.admit(at(host)) for host in ("10.0.0.1", "10.0.0.1", "10.0.0.2")]
    for visitor in visitors:
        limits.leave(visitor)
    assert not limits._visitors


@pytest.mark.parametrize(
    ("first", "second"),
    [("2001:db8::1", "2001:db8::ffff:2"), ("192.0.2.1", "::ffff:192.0.2.1"), ("::1", "::1%lo")],
)
def test_addresses_that_one_host_can_take_count_as_one(first: str, second: str) -> None:
    limits = ConnectionLimits()
    for number in range(MOST_CONNECTIONS_OF_ONE):
        limits.admit(at(first, number))
    assert refusal(limits, second) == S421_BUSY_SOURCE
    limits.admit(at("2001:db8:0:1::1"))


@pytest.mark.parametrize("own", ["192.0.2.1", "2001:db8::25"])
def test_strangers_leave_room_for_the_own_mail_server(own: str) -> None:
    limits = ConnectionLimits(parse_networks(own))
    strangers = MOST_CONNECTIONS - KEPT_FOR_MAIL_SERVERS
    for number in range(strangers):
        limits.admit(at(f"10.0.0.{number}"))
    assert refusal(limits, "10.0.1.1") == S421_BUSY
    for number in range(KEPT_FOR_MAIL_SERVERS):
        limits.admit(at(own, number))
    assert refusal(limits, own) == S421_BUSY

"""Clients that send too much, or what is no clean message, and clients that are too many."""

import asyncio
import smtplib
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.clients import (
    KEPT_FOR_MAIL_SERVERS,
    MOST_CONNECTIONS,
    MOST_CONNECTIONS_OF_ONE,
    S250_DONE,
    S421_BUSY,
    S421_BUSY_SOURCE,
    S550_BARE,
    ConnectionLimits,
    Source,
    TurnedAway,
    source_of,
)
from pbm_oust.mail.handler import LONGEST_LINE
from pbm_oust.mail.reading.limits import LARGEST_HEADERS, MOST_LINES
from pbm_oust.mail.session import MOST_COMMANDS
from pbm_oust.store.configuration import parse_networks
from pbm_oust.store.home import Home
from pbm_oust.store.verifications import all_codes
from tests.support.listening import (
    ADDRESS,
    ask,
    begin,
    client_of,
    command,
    deliver,
    listening,
    send,
)
from tests.support.mails import FROM, mail
from tests.support.rings import slow
from tests.support.waiting import PATIENCE

SIGNUP = command("signup alice wonderland")
LINE = b"x" * 70 + b"\r\n"
MEGABYTE = 2**20
OPENING = f"EHLO x\r\nMAIL FROM:<alice@example.org>\r\nRCPT TO:<{ADDRESS}>\r\nDATA\r\n".encode()


@pytest.fixture
def nothing_done(home: Home) -> Iterator[None]:
    yield
    assert (home.ask(all_codes), home.outbox.letters()) == ([], [])


# Messages


@pytest.mark.parametrize("bare", [b"\n", b"\r", b"\0", b"\n.\n", b"\r.\r\n", b"\n\r\n"])
@pytest.mark.parametrize("before", [b"hello", b""])
@pytest.mark.usefixtures("nothing_done")
def test_a_message_with_bare_line_ends_or_nul_is_refused(
    port: int, before: bytes, bare: bytes
) -> None:
    assert deliver(port, SIGNUP + before + bare + b"world") == S550_BARE


@pytest.mark.usefixtures("nothing_done")
def test_bare_line_ends_in_the_header_are_refused(port: int) -> None:
    assert deliver(port, SIGNUP.replace(b"\r\n", b"\n", 1)) == S550_BARE


@pytest.mark.usefixtures("nothing_done")
def test_a_message_inside_a_message_is_not_taken_for_one(port: int) -> None:
    smuggled = f"\n.\r\nMAIL FROM:<x@example.org>\r\nRCPT TO:<{ADDRESS}>\r\nDATA\r\n".encode()
    with client_of(port) as client:
        begin(client)
        assert send(client, command("help") + smuggled + SIGNUP) == S550_BARE
        assert ask(client, "NOOP").startswith("250")


@pytest.mark.usefixtures("nothing_done")
def test_a_message_that_is_too_large_is_refused_once(port: int) -> None:
    with client_of(port) as client:
        begin(client)
        assert send(client, SIGNUP + LINE * (LARGEST_MAIL // len(LINE) + 1)).startswith("552")
        assert ask(client, "NOOP").startswith("250")
        begin(client)


@pytest.mark.usefixtures("nothing_done")
def test_a_message_that_is_announced_as_too_large_is_refused_at_once(port: int) -> None:
    with client_of(port) as client:
        reply = ask(client, f"MAIL FROM:<alice@example.org> SIZE={LARGEST_MAIL + 1}")
        assert reply.startswith("552")


def test_a_message_just_within_the_limit_is_taken(home: Home, port: int) -> None:
    lines = (LARGEST_MAIL - len(SIGNUP) - 2) // len(LINE)
    assert deliver(port, SIGNUP + LINE * lines) == S250_DONE
    assert len(home.ask(all_codes)) == 1


def test_a_long_line_is_taken(home: Home, port: int) -> None:
    assert deliver(port, SIGNUP + b"x" * (LONGEST_LINE - 100)) == S250_DONE
    assert len(home.ask(all_codes)) == 1


@pytest.mark.usefixtures("nothing_done")
def test_a_message_that_would_cost_too_much_to_read_is_refused_for_good(port: int) -> None:
    reply = deliver(port, mail(FROM, "Subject: " + "x" * 5000))
    assert reply == "550 5.6.0 not readable: a header is larger than 4096 bytes"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (SIGNUP + b"\r\n" * MOST_LINES, f"there are more than {MOST_LINES} lines"),
        ((b"To: " + LINE) * 500, f"the headers are larger than {LARGEST_HEADERS} bytes"),
    ],
    ids=["lines", "headers"],
)
@pytest.mark.usefixtures("nothing_done")
def test_a_message_that_is_too_much_is_refused_at_its_end_and_in_the_log(
    port: int, content: bytes, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    with client_of(port) as client:
        begin(client)
        assert send(client, content) == f"550 5.6.0 not readable: {why}"
        assert ask(client, "NOOP").startswith("250")
    assert why in caplog.text


@pytest.mark.parametrize("too_long", [0, 1, 2, LONGEST_LINE, 5 * LONGEST_LINE])
@pytest.mark.usefixtures("nothing_done")
def test_a_dot_at_the_end_of_a_line_that_is_too_long_does_not_end_the_message(
    port: int, too_long: int
) -> None:
    line = b"x" * (LONGEST_LINE + too_long) + b".\r\n"
    with client_of(port) as client:
        begin(client)
        assert send(client, SIGNUP + line + b"\r\nMAIL\r\n..").startswith("500 Line too long")
        assert ask(client, "NOOP").startswith("250")


def test_what_is_sent_behind_a_message_is_read_as_commands(home: Home, port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        client.sendall(OPENING + SIGNUP + b"\r\n.\r\nNOOP\r\nQUIT\r\n")
        with client.makefile() as lines:
            assert [line[:3] for line in lines][-4:] == ["354", "250", "250", "221"]
    assert len(home.ask(all_codes)) == 1


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
@pytest.mark.usefixtures("nothing_done")
def test_a_client_that_never_stops_is_cut_off_and_memory_stays_flat(
    port: int, opening: bytes, chunk: bytes
) -> None:
    send_without_end(port, opening, chunk)
    before = resident()
    sent = [send_without_end(port, opening, chunk) for _ in range(10)]
    assert max(sent) < 16 * MEGABYTE
    assert resident() - before < 16 * MEGABYTE


def test_a_client_that_was_cut_off_harms_no_other(home: Home, port: int) -> None:
    with client_of(port) as client:
        begin(client)
        send_without_end(port, OPENING, b"x" * 65536)
        assert send(client, SIGNUP) == S250_DONE
    assert len(home.ask(all_codes)) == 1


def test_messages_that_are_many_but_small_are_not_cut_off(port: int) -> None:
    with client_of(port) as client:
        for _ in range(5):
            begin(client)
            assert send(client, mail(FROM, "Precedence: bulk", text=LINE * 3000)) == S250_DONE


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


def test_too_many_connections_of_one_host_are_turned_away_for_now(home: Home) -> None:
    with listening(home) as port, ExitStack() as held:
        for _ in range(MOST_CONNECTIONS_OF_ONE):
            client = socket.create_connection(("127.0.0.1", port), PATIENCE, ("127.0.0.2", 0))
            assert first_line(held.enter_context(client)).startswith("220")
        with socket.create_connection(("127.0.0.1", port), PATIENCE, ("127.0.0.2", 0)) as client:
            assert first_line(client) == S421_BUSY_SOURCE
        with socket.create_connection(("127.0.0.1", port), PATIENCE, ("127.0.0.3", 0)) as client:
            assert first_line(client).startswith("220")


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


def test_loopback_is_a_host_like_others(port: int) -> None:
    with ExitStack() as held:
        for _ in range(MOST_CONNECTIONS_OF_ONE):
            client = socket.create_connection(("127.0.0.1", port), PATIENCE)
            assert first_line(held.enter_context(client)).startswith("220")
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
            assert first_line(client) == S421_BUSY_SOURCE


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


def test_a_connection_that_is_used_again_and_again_takes_more_mails_than_commands(
    port: int,
) -> None:
    silent = mail(FROM, "X-Loop: other@example.org", "Subject: help")
    with client_of(port) as client:
        for _ in range(MOST_COMMANDS + 5):
            begin(client)
            assert send(client, silent) == S250_DONE

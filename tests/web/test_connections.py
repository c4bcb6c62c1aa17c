"""Clients that are slow, silent or many: each is cut off, and the others are served."""

import http.client
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, cycle, islice, repeat

import pytest

from pbm_oust.web.serving import MOST_CONNECTIONS, MOST_CONNECTIONS_OF_ONE
from tests.support import tables
from tests.support.server import listening_port, stopped
from tests.support.waiting import PATIENCE, wait_until

tabled = tables.tabled(__file__)

SHORT, LONG = "0.5", "1000"
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextmanager
def pages(seconds: str, *proxies: str) -> Iterator[int]:
    """Serve pages that wait so many seconds for a client; yields their port."""
    command = [sys.executable, "-m", "tests.support.impatient", seconds, *proxies]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield listening_port(process)
    finally:
        stopped(process)


@pytest.fixture(scope="module")
def impatient() -> Iterator[int]:
    with pages(SHORT) as port:
        yield port


@contextmanager
def connected(port: int, said: bytes = b"", host: str = "127.0.0.1") -> Iterator[socket.socket]:
    """Connect to a port from a host, and say something there."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE, (host, 0)) as client:
        client.sendall(said)
        yield client


def is_cut_off(client: socket.socket) -> bool:
    """Return whether the other side has closed a connection altogether."""
    looking = select.poll()
    looking.register(client, select.POLLIN | select.POLLRDHUP)
    return any(what & (select.POLLHUP | select.POLLRDHUP) for _, what in looking.poll(0))


def asked(port: int, **headers: str) -> str:
    """Return what a page says."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/", headers={k.replace("_", "-"): v for k, v in headers.items()})
        return connection.getresponse().read().decode()
    finally:
        connection.close()


@tabled("said")
def test_whoever_stops_halfway_is_cut_off(said: str, impatient: int) -> None:
    with connected(impatient, said.encode()) as client:
        wait_until(lambda: is_cut_off(client), "the connection to be closed")


@pytest.mark.parametrize(
    ("said", "drops"),
    [
        (b"", chain(REQUEST.removesuffix(b"\r\n"), repeat(ord("x")))),
        (b"POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n", repeat(0)),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n", repeat(0)),
    ],
    ids=["a head", "a form", "a form that nobody reads"],
)
def test_whoever_sends_drop_by_drop_is_cut_off(
    said: bytes, drops: Iterator[int], impatient: int
) -> None:
    with connected(impatient, said) as client:

        def drip() -> bool:
            try:
                client.sendall(bytes([next(drops)]))
            except ConnectionError:
                return True
            return is_cut_off(client)

        wait_until(drip, "the connection to be closed")


def test_a_connection_is_kept_between_two_requests(impatient: int) -> None:
    with connected(impatient) as other:
        connection = http.client.HTTPConnection("127.0.0.1", impatient, timeout=PATIENCE)

        def is_answered() -> bool:
            """Return whether a request is answered; a slow machine may begin it too late."""
            with suppress(ConnectionError):
                connection.request("GET", "/")
                return connection.getresponse().read() == b"127.0.0.1 http"
            connection.close()
            return False

        wait_until(is_answered, "an answer")
        wait_until(lambda: is_cut_off(other), "a silent connection to be closed")
        assert connection.sock is not None
        assert not is_cut_off(connection.sock)
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"127.0.0.1 http"
        connection.close()


def test_one_host_has_so_many_connections_at_most() -> None:
    with pages(LONG) as port, ExitStack() as clients:
        some = [clients.enter_context(connected(port)) for _ in range(MOST_CONNECTIONS_OF_ONE)]
        with connected(port, REQUEST) as one_more:
            assert one_more.recv(100).startswith(b"HTTP/1.1 503 ")
            wait_until(lambda: is_cut_off(one_more), "the connection to be closed")
        some[0].close()
        wait_until(lambda: asked(port) == "127.0.0.1 http", "room for one more")


def test_idle_connections_of_some_hosts_make_room_for_others() -> None:
    hosts = [f"127.0.1.{nth}" for nth in range(MOST_CONNECTIONS // 20)]
    with pages(LONG) as port, ExitStack() as clients:
        for host in islice(cycle(hosts), MOST_CONNECTIONS):
            clients.enter_context(connected(port, host=host))
        for nth in range(10):
            client = clients.enter_context(connected(port, REQUEST, host=f"127.0.2.{nth}"))
            assert client.recv(100).startswith(b"HTTP/1.1 200 ")
        with connected(port, REQUEST, host=hosts[-1]) as one_more:
            assert one_more.recv(100).startswith(b"HTTP/1.1 503 ")


def test_proxies_have_more_and_are_believed() -> None:
    with pages(LONG, "127.0.0.0/8", "2001:db8::1") as port, ExitStack() as clients:
        for _ in range(MOST_CONNECTIONS_OF_ONE + 1):
            clients.enter_context(connected(port))
        assert asked(port) == "127.0.0.1 http"
        assert asked(port, X_Forwarded_For="192.0.2.7") == "192.0.2.7 http"
        through_two = "203.0.113.9, 192.0.2.7, 2001:db8::1"
        assert asked(port, X_Forwarded_For=through_two) == "192.0.2.7 http"
        assert asked(port, X_Forwarded_Proto="https") == "127.0.0.1 https"


def test_nobody_else_is_believed() -> None:
    with pages(LONG) as port:
        forged = asked(port, X_Forwarded_For="192.0.2.7", X_Forwarded_Proto="https")
    assert forged == "127.0.0.1 http"

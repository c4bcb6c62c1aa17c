"""Clients that mean harm to a server process, and what that process has of memory and sockets."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.server import ADDRESS, Server
from tests.support.waiting import PATIENCE, wait_until

MEGABYTE = 2**20
OF_ONE_SOURCE = 15
OPENING = f"EHLO x\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<{ADDRESS}>\r\nDATA\r\n".encode()


def resident(server: Server, field: str = "VmRSS") -> int:
    """Return how many bytes of memory a server has; with `VmHWM`, the most that it ever had."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) * 1024


@contextmanager
def unfinished(
    server: Server, clients: int, content: bytes, *, at_once: bool = True
) -> Iterator[None]:
    """Begin a mail in each of many sessions, from several hosts, and never end it.

    If they do not come at once, each begins when the server has read what came before: then a busy
    machine lets no more wait in its buffers than a quiet one. In the `with`, the server has read
    all that was sent.
    """
    with ExitStack() as held:
        for number in range(clients):
            source = f"127.0.1.{1 + number // OF_ONE_SOURCE}"
            client = socket.create_connection(("127.0.0.1", server.port), PATIENCE, (source, 0))
            held.enter_context(client)
            client.sendall(OPENING + content)
            if not at_once or number == clients - 1:
                wait_until(lambda: unread(server) == 0, "a server that has read everything")
        yield


def unread(server: Server) -> int:
    """Return how many bytes for a server wait in the kernel."""
    table = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    place = _place(server)
    queues = [(line[1], line[2], line[4].split(":")) for line in table]
    arrived = sum(int(rx, 16) for local, _, (_, rx) in queues if local == place)
    return arrived + sum(int(tx, 16) for _, to, (tx, _) in queues if to == place)


def connections(server: Server) -> int:
    """Return how many connections a server holds open, also to clients that have gone away."""
    listed = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    place, listening, nobodys = _place(server), "0A", "0"
    return sum(each[1] == place and each[3] != listening and each[9] != nobodys for each in listed)


def _place(server: Server) -> str:
    """Return where a server listens, as the kernel lists it: another address may have the port."""
    return f"0100007F:{server.port:04X}"

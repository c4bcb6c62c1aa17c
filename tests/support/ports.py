"""Ports of this machine for what tests start."""

import os
import socket
from contextlib import suppress
from itertools import count

PORTS = range(20_000, 32_000)
"""Ports that a system does not give to clients. Each process begins at another one."""

_numbers = count()


def free_port() -> int:
    """Return a port that is free, and that neither a client nor another test is given."""
    while True:
        port = PORTS[(os.getpid() * 97 + next(_numbers)) % len(PORTS)]
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port

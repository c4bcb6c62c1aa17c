"""Ports of this machine for what tests start."""

import fcntl
import os
import socket
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

PORTS = range(20_000, 32_000)
"""Ports that a system does not give to clients. Each process begins at another one."""

_numbers = count()


def free_port() -> int:
    """Return a port that is free, and that no client and no other process of tests is given."""
    while True:
        port = PORTS[(os.getpid() * 97 + next(_numbers)) % len(PORTS)]
        with socket.socket() as probe, suppress(OSError):
            fcntl.lockf(_given(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
            probe.bind(("127.0.0.1", port))
            return port


@cache
def _given() -> int:
    """Return a file in which each process locks the bytes of its ports, for as long as it lives."""
    path = Path("/tmp") / f"pbm_oust-ports-{os.geteuid()}"  # noqa: S108 - other runs of tests share it
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

"""What goes over the wire to a server of PostgreSQL, counted between it and its clients."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.postgresql import DatabaseServer

_NAME = ".s.PGSQL.5432"
_EXECUTE, _QUERY, _SYNC, _FLUSH = b"E", b"Q", b"S", b"H"


@dataclass
class Wire:
    """What clients have sent: statements, and demands for all answers so far.

    Whoever demands answers to statements waits for them, so that is a round trip.
    """

    folder: Path
    """Where the socket is."""
    statements: int = 0
    round_trips: int = 0

    def note(self, message: bytes, *, is_after_statement: bool) -> bool:
        """Count a message by its type; return whether a statement now waits to be answered."""
        is_statement = message in (_EXECUTE, _QUERY)
        is_demand = message in (_QUERY, _SYNC, _FLUSH)
        self.statements += is_statement
        self.round_trips += is_demand and (is_statement or is_after_statement)
        return (is_after_statement or is_statement) and not is_demand

    def reset(self) -> None:
        """Count anew."""
        self.statements = self.round_trips = 0


@contextmanager
def counted(server: DatabaseServer, folder: Path) -> Iterator[Wire]:
    """Take connections on a socket in a folder, pass on what they send, and count it."""
    wire = Wire(folder)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / _NAME))
        listener.listen()
        threading.Thread(target=_accept, args=(listener, server, wire), daemon=True).start()
        yield wire
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, server: DatabaseServer, wire: Wire) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            there = socket.socket(socket.AF_UNIX)
            there.connect(str(server.folder / _NAME))
            for work, ends in (_pass_on, (client, there, wire)), (_pass_back, (there, client)):
                threading.Thread(target=work, args=ends, daemon=True).start()


def _pass_on(client: socket.socket, there: socket.socket, wire: Wire) -> None:
    """Pass on messages: a type of one byte, but for the first, and a length that counts itself."""
    with client.makefile("rb") as sent, suppress(OSError):
        kind, is_after_statement = b"", False
        while head := sent.read(4):
            is_after_statement = wire.note(kind, is_after_statement=is_after_statement)
            there.sendall(kind + head + sent.read(int.from_bytes(head, "big") - 4))
            kind = sent.read(1)
    with suppress(OSError):
        there.shutdown(socket.SHUT_WR)


def _pass_back(there: socket.socket, client: socket.socket) -> None:
    with client, there, suppress(OSError):
        while data := there.recv(65536):
            client.sendall(data)

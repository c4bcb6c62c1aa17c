"""The home's own sockets, which are there while a server listens. Only its owner can open them.

    HOME/socket              mode 0600; for mail of whoever owns the home, which is believed
    HOME/deliver             mode 0600; for mail of anybody, which `deliver` hands over

The path of a Unix socket has at most 107 bytes, and that of a home may be longer. So the socket is
named through a handle of its folder. A link in its place is not followed. What a mail may do
depends on its socket alone, so that no client can forget to say whose it is.

A socket elsewhere is made in the same way (`listen_at`), and never taken from a server that lives.
"""

import errno
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pbm_oust.store.disk import give_to_owner_of, locked_folder, set_mode

FOR_OWNER = "socket"
FOR_DELIVER = "deliver"
_MODE = 0o600
_WAITING = 100
"""The most connections that wait to be accepted."""


class SocketTaken(OSError):
    """A socket at which another server listens."""


class OwnSocket:
    """A listening socket of a home, until it is closed."""

    def __init__(self, home: Path, name: str) -> None:
        """Listen. Raises SocketTaken, and OSError if something else is in its place."""
        self._path = home / name
        self.socket = listen_at(self._path, _MODE)
        self._made = os.lstat(self._path)

    def close(self) -> None:
        """Stop listening, and remove the socket file if it is still this one."""
        with suppress(OSError), locked_folder(self._path.parent):
            if os.path.samestat(self._made, os.lstat(self._path)):
                os.unlink(self._path)
        self.socket.close()


def listen_at(path: Path, mode: int) -> socket.socket:
    """Return a listening socket at a path, in place of a dead one.

    Raises SocketTaken, and OSError if there is something else at the path.
    """
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with locked_folder(path.parent), _shortened(path) as short:
            if _is_socket(path):
                _remove_dead(path, short)
            listener.bind(short)
            set_mode(path, mode)  # nobody can connect before it listens
            listener.listen(_WAITING)
            give_to_owner_of(path.parent, path)
    except OSError:
        listener.close()
        raise
    return listener


def connect(home: Path, name: str) -> socket.socket | None:
    """Return a connection to a socket of a home, or None if nobody listens. Raises OSError."""
    with _shortened(home / name) as short:
        if not _is_socket(home / name):
            return None
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(short)
        except OSError as error:
            connection.close()
            if isinstance(error, ConnectionRefusedError):
                return None
            raise
    return connection


@contextmanager
def _shortened(path: Path) -> Iterator[str]:
    """Yield a path of a socket that is short enough."""
    handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{handle}/{path.name}"
    finally:
        os.close(handle)


def _is_socket(path: Path) -> bool:
    """Return whether a socket is at a path. Raises OSError for anything else."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISSOCK(mode):
        raise OSError(errno.EEXIST, "it is no socket; move it away")
    return True


def _remove_dead(path: Path, short: str) -> None:
    """Remove a dead process's socket. Raises SocketTaken if the process is alive."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.setblocking(False)
        try:
            asking.connect(short)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except BlockingIOError:
            pass  # So many wait for a server that it takes no more.
    raise SocketTaken(errno.EADDRINUSE, "another server listens at it")

"""What keeps a home: its database and its key, in files or on a server."""

import errno
import os
import re
import secrets
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pbm_oust.store.configuration import parse_store
from pbm_oust.store.database import Database
from pbm_oust.store.disk import Disk, NoSuchFile, bytes_of, locked_folder, read_file
from pbm_oust.store.sqlite import FILE_NAME, SqliteDatabase

CONFIGURATION = "pbm_oust.toml"
KEY = "key"
COPYING = ".copying"
"""The name of an empty file in a home that is no whole copy yet."""
_KEY = re.compile(rb"[0-9a-f]{64}\n")
_STORE = re.compile(r"\bstore\b")
_STORE_LINE = re.compile(r"^[ \t]*store[ \t]*=.*\n?", re.MULTILINE)
"""The line of a configuration that names a server."""


class Key(Protocol):
    """The key of a home: a secret from which its tokens are made. The methods may raise OSError."""

    @property
    def is_made(self) -> bool:
        """Whether there is a key."""

    @property
    def is_withheld(self) -> bool:
        """Whether there is no key because the home is no whole copy of another one yet."""

    def make(self) -> None:
        """Make a key if there is none, and none is withheld."""

    def withhold(self) -> None:
        """Let nobody make a key until one is put: the home becomes a copy of another one."""

    def put(self, key: bytes) -> None:
        """Take a key of 32 bytes, unless there is one."""

    def read(self) -> bytes:
        """Return the key, 32 bytes."""


class NotWhole(OSError):
    """A home cannot be used, because copying it was broken off."""

    def __init__(self, where: object) -> None:
        reason = (
            "it is no whole copy of another home; go on with pbm-oust home copy, "
            "or begin with an empty home"
        )
        super().__init__(errno.ENOTRECOVERABLE, reason, str(where))


@dataclass(frozen=True, slots=True)
class Engine:
    """What keeps a home."""

    database: Database
    key: Key
    is_on_server: bool = False
    """Whether a database server keeps the home, which others may share."""

    def close(self) -> None:
        """Close what is open; it is opened again when needed."""
        self.database.close()


def open_engine(home: Path, disk: Disk) -> Engine:
    """Return what keeps a home, as its configuration says; nothing is opened yet.

    Raises OSError for a configuration that may name a server and cannot be used.
    """
    if url := _server_of(home / CONFIGURATION):
        from pbm_oust.store.postgresql import open_server

        try:
            return open_server(home, url)
        except OSError as error:
            raise OSError(f"{home / CONFIGURATION}: store: {error}") from None
    database = SqliteDatabase(home / FILE_NAME, disk)
    return Engine(database, KeyFile(home / KEY, disk))


def server_in(text: str) -> str:
    """Return the URL of the server that keeps a home with this configuration.

    It is empty for the files of the home, also if the text is not TOML and has no word `store`.
    Raises ValueError for a `store` that is no such URL.
    """
    try:
        store = tomllib.loads(text).get("store", "")
    except tomllib.TOMLDecodeError as error:
        if _STORE.search(text):
            raise ValueError(f"this is not TOML: {error}") from None
        return ""
    if not isinstance(store, str):
        raise ValueError('store: a text in quotes is wanted, as in store = "..."')
    try:
        return parse_store(store)
    except ValueError as error:
        raise ValueError(f"store: {error}") from None


def without_server(text: str) -> str:
    """Return a configuration without the line that names a server. Raises ValueError."""
    if not server_in(text):
        return text
    wanted = tomllib.loads(text)
    del wanted["store"]
    found = _STORE_LINE.sub("", text, count=1)
    with suppress(tomllib.TOMLDecodeError):
        if tomllib.loads(found) == wanted:
            return found
    raise ValueError('store cannot be taken out; write it as store = "..." in a line of its own')


def _server_of(configuration: Path) -> str:
    """Return the URL of the server that keeps a home; empty for the files of the home."""
    try:
        return server_in(read_file(configuration).decode(errors="replace"))
    except NoSuchFile:
        return ""
    except ValueError as error:
        raise OSError(f"{configuration}: {error}") from None


class KeyFile:
    """The key in the file at `path`; the file is read again when it has changed."""

    def __init__(self, path: Path, disk: Disk) -> None:
        self._path = path
        self._copying = path.with_name(COPYING)
        self._disk = disk
        self._known: tuple[tuple[int, ...], bytes] | None = None

    @property
    def is_made(self) -> bool:
        """Whether there is a key."""
        return os.path.lexists(self._path)

    @property
    def is_withheld(self) -> bool:
        """Whether there is no key because the home is no whole copy of another one yet."""
        return os.path.lexists(self._copying) and not self.is_made

    def make(self) -> None:
        """Write a key if there is none, and none is withheld. Raises OSError."""
        if self.is_withheld:
            raise NotWhole(self._path.parent)
        self.put(secrets.token_bytes(32))

    def withhold(self) -> None:
        """Let nobody make a key until one is put. Raises OSError."""
        with suppress(FileExistsError):
            self._disk.create(self._copying, b"", mode=0o600)

    def put(self, key: bytes) -> None:
        """Write a key of 32 bytes, unless there is one. Raises OSError."""
        with locked_folder(self._path.parent):
            if not self.is_made:
                self._disk.create(self._path, f"{key.hex()}\n".encode(), mode=0o600)
            self._disk.sync_folder(self._path.parent)
            if os.path.lexists(self._copying):
                self._disk.remove(self._copying)

    def read(self) -> bytes:
        """Return the key, 32 bytes. Raises OSError if it cannot be read."""
        found = os.lstat(self._path)
        stamp = found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
        known = self._known
        if known and known[0] == stamp:
            return known[1]
        data = bytes_of(self._path)
        if not _KEY.fullmatch(data):
            raise OSError(f"{self._path}: a key is 64 hexadecimal digits in one line")
        key = bytes.fromhex(data.decode())
        self._known = stamp, key
        return key

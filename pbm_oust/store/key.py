"""The key of a home: a secret from which its tokens are made."""

import os
import secrets
from pathlib import Path

from pbm_oust.regex import regex
from pbm_oust.store.disk import Disk, content_of

_KEY = regex(rb"[0-9a-f]{64}\n")


def make_key(path: Path, disk: Disk) -> None:
    """Write a key if there is none; its folder must be locked. Raises OSError."""
    if not os.path.lexists(path):
        disk.create(path, f"{secrets.token_hex(32)}\n".encode(), mode=0o600)


class Key:
    """The key in the file at `path`; the file is read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: tuple[tuple[int, ...], bytes] | None = None

    def read(self) -> bytes:
        """Return the key, 32 bytes. Raises OSError if it cannot be read."""
        found = os.lstat(self._path)
        stamp = found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
        known = self._known
        if known and known[0] == stamp:
            return known[1]
        data = content_of(self._path)
        if not _KEY.fullmatch(data):
            raise OSError(f"{self._path}: a key is 64 hexadecimal digits in one line")
        key = bytes.fromhex(data.decode())
        self._known = stamp, key
        return key

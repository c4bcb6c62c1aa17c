"""The key of a home: a secret from which its tokens are made."""

import os
import re
import secrets
from pathlib import Path

from pbm_oust.store.disk import Disk, content_of

_KEY = re.compile(rb"[0-9a-f]{64}\n")


def make_key(path: Path, disk: Disk) -> None:
    """Write a key if there is none; its folder must be locked. Raises OSError."""
    if not os.path.lexists(path):
        disk.create(path, f"{secrets.token_hex(32)}\n".encode(), mode=0o600)


def read_key(path: Path) -> bytes:
    """Return the key in a file, 32 bytes. Raises OSError if it cannot be read."""
    data = content_of(path)
    if not _KEY.fullmatch(data):
        raise OSError(f"{path}: a key is 64 hexadecimal digits in one line")
    return bytes.fromhex(data.decode())

"""Memory that is given back: large blocks go to the system when they are freed.

Otherwise glibc keeps them for each thread, once a password has been hashed: scrypt takes 16 MB,
and blocks of that size are no longer large to it from then on (mallopt(3), M_MMAP_THRESHOLD).
"""

import ctypes
from contextlib import suppress

LARGE = 256 * 1024
"""Bytes from which on a block is large: a mail, and what scrypt needs."""
_M_MMAP_THRESHOLD = -3


def give_back_large_blocks() -> None:
    """Let the C library give back what is large, if it is glibc."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE)

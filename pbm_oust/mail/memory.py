"""Memory that is given back.

Large blocks go to the system when they are freed. Otherwise glibc keeps them for each thread, once
a password has been hashed: scrypt takes 16 MB, and blocks of that size are no longer large to it
from then on (mallopt(3), M_MMAP_THRESHOLD). All threads share what small blocks come from, for
they run one at a time in any case, and what one of them frees another can use (M_ARENA_MAX).
"""

import ctypes
from contextlib import suppress

LARGE = 64 * 1024
"""Bytes from which on a block is large: a mail as it grows, and what scrypt needs."""
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8


def give_memory_back() -> None:
    """Let the C library give back what is large and share what is small, if it is glibc."""
    with suppress(AttributeError, OSError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_MMAP_THRESHOLD, LARGE)
        library.mallopt(_M_ARENA_MAX, 1)

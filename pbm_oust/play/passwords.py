"""Passwords that were looked at lately: for each of them scrypt runs once.

What is remembered is a digest under a key of this process. It holds for one stored hash, so that
the next password of an account ends it at once, whichever process has changed it.
"""

import hashlib
import os
import threading
import time
from collections.abc import Callable

from pbm_oust.accounts.password import (
    Derivation,
    Match,
    Secret,
    derivation,
    derivation_for,
    format_hash,
    match_derived,
)
from pbm_oust.store.latest import Latest

RIGHT_SECONDS = 3600.0
"""How long a right password is known after it was last used."""
MOST_RIGHT = 10_000
OTHER_SECONDS = 60.0
MOST_OTHERS = 1000
_AT_ONCE = threading.BoundedSemaphore(2)
"""How many passwords go through scrypt in a process at a time."""


class NotDerived(Exception):
    """A password has to go through scrypt first; then all is done again. Nothing is done yet."""

    def __init__(self, needed: Derivation) -> None:
        super().__init__("scrypt has not run yet")
        self.needed = needed


class Passwords:
    """Looks at passwords. Any number of threads may use it."""

    def __init__(
        self, *, at_once: bool = True, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Whoever asks is told by NotDerived what `derive` is to be given.

        `at_once`: whether a unit of work does that itself.
        """
        self.at_once = at_once
        self._key = os.urandom(32)
        self._right = _Memory(MOST_RIGHT, RIGHT_SECONDS, clock)
        self._others = _Memory(MOST_OTHERS, OTHER_SECONDS, clock)

    def match(self, password: Secret, stored: str) -> Match:
        """Return whether a password is the one whose hash is stored. Raises NotDerived."""
        needed = derivation_for(password, stored)
        digest = self._digest(needed)
        derived = self._derived(needed, digest)
        found = match_derived(password, stored, derived)
        if found is Match.RIGHT:
            self._right.keep(digest, derived)
        return found

    def hash(self, password: Secret, salt: bytes) -> str:
        """Return what is stored of a password. Raises NotDerived."""
        needed = derivation(password, salt)
        return format_hash(password, needed, self._derived(needed, self._digest(needed)))

    def derive(self, needed: Derivation) -> None:
        """Let a password go through scrypt, and remember what comes of it."""
        self._others.keep(self._digest(needed), _derived_in_turn(needed))

    def _derived(self, needed: Derivation, digest: bytes) -> bytes:
        derived = self._right.recall(digest) or self._others.recall(digest)
        if derived:
            return derived
        raise NotDerived(needed)

    def _digest(self, needed: Derivation) -> bytes:
        parts = (needed.n, needed.r, needed.p, needed.salt.hex(), needed.password.text)
        return hashlib.blake2b("\0".join(map(str, parts)).encode(), key=self._key).digest()


def _derived_in_turn(needed: Derivation) -> bytes:
    """Let a password go through scrypt, few at a time: each of them needs 16 MB."""
    with _AT_ONCE:
        return needed.derive()


class _Memory:
    """What was used lately: so many things at most, and each for so many seconds."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._latest = Latest[bytes, tuple[bytes, float]](most)

    def keep(self, name: bytes, value: bytes) -> None:
        self._latest.put(name, (value, self._clock()))

    def recall(self, name: bytes) -> bytes | None:
        value, used = self._latest.get(name) or (None, 0.0)
        return value if self._clock() <= used + self._seconds else None

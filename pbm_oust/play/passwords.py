"""Passwords that were looked at lately: they are known without scrypt, and for a while."""

import hashlib
import os
import threading
import time
from collections.abc import Callable

from pbm_oust.accounts.password import Derivation, Match, Secret, match_derived
from pbm_oust.store.boards import Latest

RIGHT_SECONDS = 3600.0
"""How long a right password is known after it was last used."""
MOST_RIGHT = 10_000
OTHER_SECONDS = 60.0
MOST_OTHERS = 1000
_AT_ONCE = threading.BoundedSemaphore(2)
"""How many passwords go through scrypt in a process at a time: each of them needs 16 MB."""


class NotDerived(Exception):
    """A password has to go through scrypt first; then all is done again. Nothing is done yet."""

    def __init__(self, needed: Derivation) -> None:
        super().__init__("scrypt has not run yet")
        self.needed = needed


_Derived = Latest[bytes, tuple[bytes, float]]
"""Passwords that went through scrypt, and until when the results are known."""


class Passwords:
    """Looks at passwords. Any number of threads may use it."""

    def __init__(
        self, *, at_once: bool = True, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Methods raise NotDerived with what `derive` is to be given.

        `at_once`: whether a unit of work does that itself.
        """
        self.at_once = at_once
        self._key = os.urandom(32)
        self._clock = clock
        self._right = _Derived(MOST_RIGHT)
        self._others = _Derived(MOST_OTHERS)

    def match(self, password: Secret, stored: str) -> Match:
        """Return whether a password is the one whose hash is stored. Raises NotDerived."""
        needed = Derivation.to_match(password, stored)
        digest = self._digest(needed)
        derived = self._derived(needed, digest)
        found = match_derived(password, stored, derived)
        if found is Match.RIGHT:
            self._right.put(digest, (derived, self._clock() + RIGHT_SECONDS))
        return found

    def hash(self, password: Secret, salt: bytes) -> str:
        """Return what is stored of a password. Raises NotDerived."""
        needed = Derivation.to_store(password, salt)
        return needed.stored(password, self._derived(needed, self._digest(needed)))

    def derive(self, needed: Derivation) -> None:
        """Let a password go through scrypt, and remember what comes of it."""
        with _AT_ONCE:
            derived = needed.derive()
        self._others.put(self._digest(needed), (derived, self._clock() + OTHER_SECONDS))

    def _derived(self, needed: Derivation, digest: bytes) -> bytes:
        for known in (self._right, self._others):
            if (found := known.get(digest)) and self._clock() <= found[1]:
                return found[0]
        raise NotDerived(needed)

    def _digest(self, needed: Derivation) -> bytes:
        parts = (needed.n, needed.r, needed.p, needed.salt.hex(), needed.password.text)
        return hashlib.blake2b("\0".join(map(str, parts)).encode(), key=self._key).digest()

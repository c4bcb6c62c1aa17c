"""The letters that are to be handed over, by address: those to one address go one after the other.

An address over which the relay took long while others waited is slow: only one connection at a
time is busy with such addresses.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable

from pbm_oust.accounts.address import normal_address
from pbm_oust.store.letters import Letter

IDLE = 5.0
"""Seconds after which a connection without a letter is not needed."""


def address_of(letter: Letter) -> str:
    """Return the address of a letter in the form in which addresses are compared."""
    return normal_address(letter.head.recipient)


class ByAddress:
    """Letters to be handed over, which several threads take and one adds."""

    def __init__(self) -> None:
        self._letters = dict[str, deque[Letter]]()
        self._ready = deque[str]()
        self._slow_ready = deque[str]()
        self._slow = set[str]()
        self._busy = set[str]()
        self._ids = set[int]()
        self._is_closed = False
        self._change = threading.Condition()

    def add(self, letters: Iterable[Letter]) -> None:
        """Add letters, behind those that are there."""
        with self._change:
            for letter in letters:
                address = address_of(letter)
                self._ids.add(letter.id)
                if address not in self._letters:
                    self._letters[address] = deque()
                    self._let_wait(address)
                self._letters[address].append(letter)
            self._change.notify_all()

    def take(self) -> Letter | None:
        """Return a letter, once there is one that may go; None if there is none for long."""
        with self._change:
            while not self._is_closed:
                if self._slow_ready and not self._slow & self._busy:
                    return self._begin(self._slow_ready.popleft())
                if self._ready:
                    return self._begin(self._ready.popleft())
                if not self._change.wait(IDLE):
                    break
            return None

    def finish(self, letter: Letter) -> None:
        """Let the next letter to the same address go."""
        with self._change:
            self._ids.discard(letter.id)
            self._end(address_of(letter))

    def drop(self, letter: Letter) -> list[Letter]:
        """Return a letter that was taken and the others to its address, none of which goes."""
        with self._change:
            address = address_of(letter)
            dropped = [letter, *self._letters[address]]
            self._ids -= {each.id for each in dropped}
            self._letters[address].clear()
            self._end(address)
            return dropped

    def put_back(self, letter: Letter, *, is_slow: bool = False) -> None:
        """Let a letter go later, which has been taken and not handed over."""
        with self._change:
            address = address_of(letter)
            if is_slow:
                self._slow.add(address)
            self._letters[address].appendleft(letter)
            self._end(address)

    def is_slow(self, letter: Letter) -> bool:
        """Return whether the address of a letter is slow."""
        with self._change:
            return address_of(letter) in self._slow

    def has(self, letter: Letter) -> bool:
        """Return whether a letter is here, or is being handed over."""
        with self._change:
            return letter.id in self._ids

    def number_to(self, address: str) -> int:
        """Return how many letters to an address are here or are being handed over."""
        with self._change:
            return len(self._letters.get(address, ())) + (address in self._busy)

    @property
    def number_ready(self) -> int:
        """How many addresses wait for a connection, besides slow ones."""
        return len(self._ready)

    @property
    def is_anybody_ready(self) -> bool:
        """Whether one more connection would have something to do."""
        with self._change:
            return bool(self._ready or (self._slow_ready and not self._slow & self._busy))

    @property
    def is_empty(self) -> bool:
        """Whether there is no letter, and none is being handed over."""
        with self._change:
            return not self._letters

    def wait_for(self, is_so: Callable[[], bool], timeout: float) -> None:
        """Wait until something is so, but not for long."""
        with self._change:
            self._change.wait_for(is_so, timeout)

    def notify(self) -> None:
        """Let those who wait look again."""
        with self._change:
            self._change.notify_all()

    def close(self) -> list[Letter]:
        """Let no more letters go, and return those that have not been taken."""
        with self._change:
            self._is_closed = True
            self._change.notify_all()
            return [letter for letters in self._letters.values() for letter in letters]

    def _begin(self, address: str) -> Letter:
        self._busy.add(address)
        return self._letters[address].popleft()

    def _end(self, address: str) -> None:
        self._busy.discard(address)
        if self._letters[address]:
            self._let_wait(address)
        else:
            del self._letters[address]
        self._change.notify_all()

    def _let_wait(self, address: str) -> None:
        (self._slow_ready if address in self._slow else self._ready).append(address)

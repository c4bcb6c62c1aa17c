"""Which letters are brought to the connections with the relay, and when.

No more are read and marked as leaving than the connections will soon have taken, however many wait.
Hosts that share an outbox share its addresses: all letters to one leave from one host at a time.
"""

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from pbm_oust.mail.by_address import ByAddress, address_of
from pbm_oust.store.connections import Hold
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Letter
from pbm_oust.store.sending import (
    begin_sending,
    due_letters,
    due_letters_since,
    due_letters_to,
    latest_letter,
    stop_sending,
    task_of,
)

MOST_TOGETHER = 100
"""How many letters are marked as leaving at a time."""
MOST_TO_ONE = 20
"""How many of these go to one address; the others come when these have left."""
ENOUGH = 25
"""How many addresses wait for connections before more letters are brought."""
PASS_SECONDS = 25.0
"""How often all letters that are due are gone through; meanwhile only those that are added.

So letters of a host that died, which are free half a minute later, leave within a minute.
"""
_END_OF_TIME = datetime.max.replace(tzinfo=UTC)


class Due:
    """Brings the letters of a home that are due to those who hand them over.

    `until` says which are due; None if all are, each of them once. `hold` keeps other hosts from
    the addresses.
    """

    def __init__(
        self, home: Home, letters: ByAddress, until: Callable[[], datetime] | None, hold: Hold
    ) -> None:
        self._home = home
        self._hold = hold
        self._held = set[str]()
        """The addresses that other hosts are kept from."""
        self.is_shared = False
        """Whether other hosts were at some of the letters."""
        self._letters = letters
        self._until = until
        self._put_off = set[str]()
        self._more = set[str]()
        """The addresses to which there are more letters than were brought."""
        self._begin_pass()

    @property
    def is_wanted(self) -> bool:
        """Whether more letters should be brought."""
        return self._letters.number_ready < ENOUGH

    @property
    def is_over(self) -> bool:
        """Whether all letters that were due have been brought."""
        return self._is_over

    def put_off(self, letter: Letter) -> None:
        """Bring no more letters to the address of a letter."""
        self._put_off.add(address_of(letter))

    def is_put_off(self, letter: Letter) -> bool:
        """Return whether letters to the address of a letter wait for another time or host."""
        return address_of(letter) in self._put_off or not self._hold.is_sure

    def withdraw(self, letters: Iterable[Letter]) -> None:
        """Let letters wait after all, unless another host may have them."""
        ids = [letter.id for letter in letters]
        if ids and self._hold.is_sure:
            self._home.do(stop_sending, ids)

    def bring(self) -> None:
        """Bring letters until there are enough, or no more."""
        self._give_back()
        if self._until and self._is_over and time.monotonic() > self._begun + PASS_SECONDS:
            self._begin_pass()
        while self.is_wanted and (found := self._next()):
            self._add(found)

    def _begin_pass(self) -> None:
        self._begun = time.monotonic()
        self._is_over = False
        self._put_off.clear()
        self._after: Letter | None = None
        self._newest = self._home.ask(latest_letter)

    def _next(self) -> list[Letter]:
        """Return the next letters that are due; none if there are no more."""
        until = self._latest()
        for address in [each for each in self._more if not self._letters.number_to(each)]:
            self._more.discard(address)
            if found := self._home.ask(due_letters_to, until, MOST_TO_ONE + 1, address):
                return found
        if not self._is_over:
            found = self._home.ask(due_letters, until, MOST_TOGETHER, self._after)
            if found:
                self._after = found[-1]
                return found
            self._is_over = True
        found = self._home.ask(due_letters_since, until, MOST_TOGETHER, self._newest)
        self._newest = max([self._newest, *(letter.id for letter in found)])
        return found

    def _add(self, found: list[Letter]) -> None:
        """Mark letters as leaving, and bring those that still wait."""
        chosen = dict[str, list[Letter]]()
        for letter in found:
            address = address_of(letter)
            if self.is_put_off(letter) or self._letters.has(letter):
                continue
            to_one = chosen.setdefault(address, [])
            is_full = self._letters.number_to(address) + len(to_one) >= MOST_TO_ONE
            if is_full or address in self._more:
                self._more.add(address)
            else:
                to_one.append(letter)
        self._take({address for address, to_one in chosen.items() if to_one} - self._held)
        ours = (to_one for address, to_one in chosen.items() if address in self._held)
        letters = [letter for to_one in ours for letter in to_one]
        if letters:
            ids, now = [letter.id for letter in letters], self._latest()
            leaving = set(self._home.database.write(lambda tx: begin_sending(tx, ids, now)))
            self._letters.add(letter for letter in letters if letter.id in leaving)

    def _take(self, addresses: set[str]) -> None:
        """Keep other hosts from addresses; what they are at waits until the next pass."""
        if addresses:
            taken = self._hold.take(sorted(map(task_of, addresses)))
            ours = {address for address in addresses if task_of(address) in taken}
            self._held |= ours
            self._put_off |= addresses - ours
            self.is_shared |= ours != addresses

    def _give_back(self) -> None:
        """Let other hosts have the addresses to which there is nothing any more."""
        done = {each for each in self._held - self._more if not self._letters.number_to(each)}
        if done:
            self._held -= done
            self._hold.give_back(map(task_of, done))

    def _latest(self) -> datetime:
        """Return until when letters are due."""
        return self._until() if self._until else _END_OF_TIME

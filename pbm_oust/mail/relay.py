"""From the outbox to the relay, over a few connections.

Letters to one address go in order. After a temporary failure that address waits for a while, longer
each time; other addresses do not wait for it. A letter that the relay refuses for good, or has put
off for days, has failed and counts as a bounce.

A relay that goes away is no fault of a letter, which goes over another connection. Only if it goes
away at the first letter of a connection, twice and for this address alone, that address waits. If
it does so for one address after the other, the flush ends.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial

from pbm_oust.mail.by_address import ByAddress, address_of
from pbm_oust.mail.conversation import Conversation, Refused, Stalled
from pbm_oust.mail.due import Due
from pbm_oust.mail.outgoing import Flushed, Lost, Outgoing
from pbm_oust.mail.signing import Signer
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.connections import Hold, Transaction
from pbm_oust.store.faults import Stale
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Letter, State, all_letters
from pbm_oust.store.maildir import recall_letter
from pbm_oust.store.sending import due_letters

log = logging.getLogger("pbm_oust")

MOST_CONNECTIONS = 4
MOST_LOST = 3
"""How many connections may end at their first letters, one after the other, before a flush does."""
ALL_BUSY = 0.1
"""Seconds after which letters that wait get one more connection."""
LOOK_SECONDS = 0.1
"""How often new letters are looked for while others are on their way."""
STOP_SECONDS = 2.0
"""How long the letters on their way may take when no more are to leave."""


class Relaying:
    """Hands the letters of a home to a relay.

    `clock` gives seconds since the epoch.
    """

    def __init__(
        self,
        home: Home,
        relay: Endpoint,
        address: str,
        clock: Callable[[], float],
        signer: Signer | None = None,
    ) -> None:
        self._home = home
        self._outgoing = Outgoing(home, relay, address, clock, signer)
        self._is_stopping = threading.Event()

    def flush(self, *, all_letters: bool = False) -> Flushed:
        """Hand over what is due, or everything, and remove what is accepted from the outbox.

        If another process of this host does so, it takes what is due now too, and this does
        nothing; all letters wait for it. What another host hands over just now is left to it.
        Raises OSError if the relay does not answer.
        """
        flushed, is_needed = Flushed(), True
        while is_needed:
            with self._home.relaying(waits=all_letters) as is_locked:
                if not is_locked:
                    break
                recall_files(self._home)
                self._outgoing.correct_times()
                until = None if all_letters else self._outgoing.now
                with self._home.database.holding() as hold:
                    flush = _Flush(self._outgoing, until, self._is_stopping, hold)
                    flushed += flush.run()
            # Who has found the folder locked left its letters to us.
            is_over = all_letters or flush.is_shared or self._is_stopping.is_set()
            is_needed = not is_over and self.is_wanted()
        return flushed

    def is_wanted(self) -> bool:
        """Return whether a letter is due. May raise OSError."""
        return bool(self._home.ask(due_letters, self._outgoing.now(), 1))

    def stop(self) -> None:
        """Begin with no more letters; a flush ends when those on their way have left."""
        self._is_stopping.set()


class _Flush:
    """One flush of the outbox: threads that each have a connection, and one that brings letters."""

    def __init__(
        self,
        outgoing: Outgoing,
        until: Callable[[], datetime] | None,
        is_stopping: threading.Event,
        hold: Hold,
    ) -> None:
        self._outgoing = outgoing
        self._is_stopping = is_stopping
        self._letters = ByAddress()
        self._due = Due(outgoing.home, self._letters, until, hold)
        self._flushed = Flushed()
        self._counting = threading.Lock()
        self._faults = list[BaseException]()
        self._unreachable: OSError | None = None
        self._lost_at = dict[str, int]()
        """The addresses at which a connection has ended, and how many letters had left by then."""
        self._lost = 0
        """How many connections have ended at their first letters since the latest one that left."""
        self._connections = list[threading.Thread]()
        self._most = MOST_CONNECTIONS
        self._opened = 0.0

    @property
    def is_shared(self) -> bool:
        """Whether other hosts were at some of the letters."""
        return self._due.is_shared

    def run(self) -> Flushed:
        """Hand over all that is due. Raises OSError."""
        try:
            while self._go_on():
                pass
        except KeyboardInterrupt:
            self._is_stopping.set()
            raise
        finally:
            self._due.withdraw(self._letters.close())
            for connection in self._connections:
                connection.join(STOP_SECONDS if self._is_stopping.is_set() else None)
            # What connections have put back meanwhile.
            self._due.withdraw(self._letters.close())
        if self._faults:
            raise self._faults[0]
        return self._flushed

    def _go_on(self) -> bool:
        """Bring letters to the connections; return whether there may be more to do."""
        if self._is_stopping.is_set() or self._faults:
            return False
        self._due.bring()
        if self._letters.is_empty:
            return False
        self._connections = [each for each in self._connections if each.is_alive()]
        if self._unreachable:
            if not self._connections:
                raise self._unreachable
            self._unreachable, self._most = None, len(self._connections)
        self._connect()
        if self._due.is_over:
            self._letters.wait_for(lambda: self._letters.is_empty, LOOK_SECONDS)
        else:
            self._letters.wait_for(lambda: self._due.is_wanted, LOOK_SECONDS)
        return True

    def _connect(self) -> None:
        """Open one more connection, if letters have waited for one."""
        is_first = not self._connections
        is_time = time.monotonic() > self._opened + ALL_BUSY
        has_room = len(self._connections) < self._most
        if self._letters.is_anybody_ready and (is_first or (is_time and has_room)):
            self._opened = time.monotonic()
            connection = threading.Thread(target=self._serve, name="relay", daemon=True)
            self._connections.append(connection)
            connection.start()

    def _serve(self) -> None:
        """Hand over letters, over one connection after the other, until there are no more."""
        letter: Letter | None = None
        is_connected = False
        try:
            while letter := letter or self._letters.take():
                is_connected, is_first = False, True
                with self._outgoing.connected() as smtp:
                    is_connected = True
                    conversation = Conversation(smtp)
                    while letter and conversation.is_open:
                        letter = self._hand_over(conversation, letter, is_first=is_first)
                        is_first = False
        except BaseException as error:  # noqa: BLE001 - it is raised where letters are brought
            if letter:
                self._letters.put_back(letter)
            if isinstance(error, Lost) or (isinstance(error, OSError) and not is_connected):
                self._unreachable = error
            else:
                self._faults.append(error)
        finally:
            self._letters.notify()

    def _hand_over(
        self, conversation: Conversation, letter: Letter, *, is_first: bool
    ) -> Letter | None:
        """Hand over a letter, and return the next one: the same if the conversation has ended."""
        if self._due.is_put_off(letter):
            self._due.withdraw(self._letters.drop(letter))
            return self._letters.take()

        def is_waited_for() -> bool:
            return self._letters.number_ready > 0 and not self._letters.is_slow(letter)

        try:
            became = self._outgoing.hand_over(conversation, letter, is_waited_for)
        except Stalled:
            self._letters.put_back(letter, is_slow=True)
            return None
        except Lost as lost:
            if not is_first:
                return letter
            self._lose(letter, lost)
            return None
        self._note(letter, became)
        return self._letters.take()

    def _note(self, letter: Letter, became: Flushed) -> None:
        """Note what became of a letter, and let the next one to its address go or wait."""
        with self._counting:
            self._flushed += became
            self._lost = 0 if became.sent else self._lost
        if became.kept:
            self._due.put_off(letter)
            self._letters.drop(letter)
        else:
            self._letters.finish(letter)

    def _lose(self, letter: Letter, lost: Lost) -> None:
        """Let a letter go behind others at which a connection has ended as soon as it had begun.

        If others have left since that happened before, the letter is put off. Raises Lost if
        nothing leaves any more.
        """
        address = address_of(letter)
        with self._counting:
            sent = self._flushed.sent
            has_others = self._lost_at.setdefault(address, sent) < sent
            self._lost += 1
            is_relay = self._lost >= MOST_LOST
        if has_others:
            self._note(letter, self._outgoing.keep(letter, Refused(str(lost), is_permanent=False)))
        elif is_relay:
            raise lost
        else:
            self._letters.put_back(letter)


def recall_files(home: Home) -> None:
    """Let the unread letters in the Maildir wait for the relay."""
    for letter in home.ask(all_letters, State.FILE):
        with suppress(Stale):
            home.write(partial(_recall, home, letter))


def _recall(home: Home, letter: Letter, transaction: Transaction) -> None:
    home.withhold([letter.file] if letter.file else [])
    recall_letter(transaction, letter)

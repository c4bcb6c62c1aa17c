"""The sender: hands what waits in the outbox to the relay, or writes it into the Maildir."""

import logging
import threading
import time
from contextlib import suppress
from datetime import datetime, timedelta

from pbm_oust.board.notation import format_time
from pbm_oust.mail.flush import STOP_SECONDS, Flushed, Relaying
from pbm_oust.store import letters
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.database import Snapshot, Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.letters import LetterState, count_letters
from pbm_oust.store.message_keys import Occasion, note_occasion, time_of
from pbm_oust.store.tallies import Tallies
from pbm_oust.store.upkeep import turn_letters_into_files

log = logging.getLogger("pbm_oust")

RETRY_SECONDS = 60.0
"""How long after a flush of the outbox the next one starts by itself."""
LOOK_SECONDS = 1.0
"""How often letters are looked for that other processes have written: pages, or a sweep."""
SHORTEST_PAUSE = 1.0
"""How long new letters wait after a flush has failed; twice as long each time that it fails."""
LONGEST_PAUSE = 15.0
"""Until then, so that all letters leave soon after the relay is back."""


def recover(home: Home, *, may_be_first: bool = False) -> None:
    """Finish what dead processes have left; what fails is left for another time.

    `may_be_first`: whether no process may have sent letters since a power cut.
    """
    try:
        if may_be_first and not home.is_on_server:
            home.do(letters.doubt_waiting)
        home.recover()
    except OSError as error:
        log.warning("what a process that died has left stays: %s", error)


TOLD_AGAIN = timedelta(hours=1)
"""How long after the log was told that letters stay it is told again."""


class Outage:
    """A time when no letter leaves: the log is told when it begins, each hour, and at its end.

    The home knows of it, so that it is one for all processes that send: each `deliver` is another.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._begun: datetime | None = None
        self._told: datetime | None = None
        with suppress(OSError):
            self._begun, self._told = home.ask(_known)
        self._most = self._waiting() if self._begun else 0
        """The most letters that have waited."""

    def flush(self, relaying: Relaying) -> None:
        """Hand over what is due, and note whether letters leave. Raises OSError."""
        flushed = relaying.flush()
        if relaying.objection:
            self.goes_on(relaying.objection)
        # Another process may just be waiting for the relay, and this one has not met it.
        elif self._begun and (flushed != Flushed() or not self._waiting()):
            self.is_over()

    def goes_on(self, reason: object) -> None:
        """Note that no letter leaves, and why."""
        waiting = self._waiting()
        self._most = max(self._most, waiting)
        begun, now = self._begun, self._home.now()
        if self._told and self._told <= now < self._told + TOLD_AGAIN:
            return
        since = f" since {format_time(begun)}" if begun else ""
        log.warning("letters stay in the outbox%s, %d of them: %s", since, waiting, reason)
        self._note(begun or now, now)

    def is_over(self) -> None:
        """Note that letters leave, or that none waits."""
        if self._begun:
            since = format_time(self._begun)
            log.warning("letters leave again; %d have waited since %s", self._most, since)
            self._note(None, None)
            self._most = 0

    def _note(self, begun: datetime | None, told: datetime | None) -> None:
        self._begun, self._told = begun, told

        def noted(transaction: Transaction) -> None:
            note_occasion(transaction, Occasion.OUTAGE, begun)
            note_occasion(transaction, Occasion.OUTAGE_TOLD, told)

        with suppress(OSError):
            self._home.do(noted)

    def _waiting(self) -> int:
        with suppress(OSError):
            return self._home.ask(count_letters)[LetterState.WAITING]
        return 0


def _known(snapshot: Snapshot) -> tuple[datetime | None, datetime | None]:
    """Return when an outage began that is not over, and when the log was told of it."""
    return time_of(snapshot, Occasion.OUTAGE), time_of(snapshot, Occasion.OUTAGE_TOLD)


class Sender:
    """Flushes the outbox when there are new letters, and from time to time, in its own thread.

    From time to time it also finishes what dead processes have left. The thread does not outlive
    the process: a letter that hangs at the relay is sent again later.
    """

    def __init__(self, home: Home, tallies: Tallies | None = None) -> None:
        self._home = home
        self._tallies = tallies
        self._due = threading.Event()
        self._has_changed = threading.Event()
        """Whether there may be another relay, or it is time to stop."""
        self._relaying: Relaying | None = None
        self._may_wait_in_vain = False
        """Whether letters may wait for a relay that is gone."""
        self._is_stopping = False
        self._pause = 0.0
        self._outage = Outage(home)
        self.recover()
        self._thread = threading.Thread(target=self._run, name="sender", daemon=True)
        self._thread.start()

    def configure(self, configuration: Configuration) -> None:
        """Send as a configuration says from now on."""
        relaying = None
        if relay := configuration.relay:
            clock = self._home.database.time
            given = self._home, relay, configuration.address, clock, self._tallies
            relaying = Relaying(*given)
        self.use(relaying)

    def use(self, relaying: Relaying | None) -> None:
        """Send this way from now on; without a relay, letters go into the Maildir."""
        self._relaying = relaying
        self._may_wait_in_vain = relaying is None
        self._change()

    def recover(self) -> None:
        """Finish what dead processes have left; what fails is left for another time."""
        self._recovered = time.monotonic()
        recover(self._home)

    def wake(self) -> None:
        """Flush the outbox soon."""
        self._due.set()
        if relaying := self._relaying:
            relaying.wake()

    def stop(self) -> None:
        """Stop sending, once what is on its way has left or has taken too long.

        Before that, what dead processes have left is finished if possible.
        """
        self._is_stopping = True
        if self._relaying:
            self._relaying.stop()
        self._change()
        self.recover()
        self._thread.join(STOP_SECONDS)

    def _change(self) -> None:
        self._has_changed.set()
        self._due.set()

    def _run(self) -> None:
        try:
            self._home.remove_drafts()
        except OSError as error:
            log.warning("what a process that died was writing stays: %s", error)
        while not self._is_stopping:
            try:
                self._send()
                self._pause = 0.0
            except OSError as error:
                self._outage.goes_on(error)
                self._pause = min(max(2 * self._pause, SHORTEST_PAUSE), LONGEST_PAUSE)
            except Exception:
                log.exception("letters stay in the outbox: a fault in the program")
                self._pause = RETRY_SECONDS
            if self._pause:
                self._has_changed.wait(self._pause)
            else:
                self._wait()
            self._has_changed.clear()
            self._due.clear()

    def _wait(self) -> None:
        """Wait until there may be letters to send, but not for ever."""
        latest = time.monotonic() + RETRY_SECONDS
        while not self._due.wait(LOOK_SECONDS) and time.monotonic() < latest:
            try:
                if self._relaying and self._relaying.is_wanted():
                    return
            except OSError:
                return  # the flush says what is wrong

    def _send(self) -> None:
        """Flush the outbox. Raises OSError."""
        if time.monotonic() > self._recovered + RETRY_SECONDS:
            self.recover()
            self._may_wait_in_vain = self._relaying is None
        if self._relaying:
            self._outage.flush(self._relaying)
            return
        if self._may_wait_in_vain:
            turn_letters_into_files(self._home)
            self._may_wait_in_vain = False
        self._home.write_out()
        self._outage.is_over()

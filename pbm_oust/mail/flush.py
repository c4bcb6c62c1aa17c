"""From the outbox to the relay: four workers, each with a connection and one address at a time.

A letter that the outbox keeps as data is written here, once it is claimed and before it is sent.

Letters to one address go in order. After a temporary failure that address waits for a while, longer
each time; other addresses do not wait for it. A letter that the relay refuses for good, or has put
off for days, has failed and counts as a bounce.

A relay that goes away is no fault of a letter, which goes over another connection. Only if it goes
away at the first letter of a connection, twice and for this address alone, that address waits. If
it does so for one address after the other, the flush ends.
"""

import logging
import math
import smtplib
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial

from msgspec import Struct

from pbm_oust.accounts.address import ascii_address, is_address, normal_address
from pbm_oust.accounts.asks import mail_told
from pbm_oust.accounts.bounces import Bounce
from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.mail.relay import Lost, RelayRefusal, Reply, connected, transmit
from pbm_oust.render.entry import LogEntry
from pbm_oust.store import letters
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.database import Leases, Snapshot, Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.outbox import CannotWrite, name_of
from pbm_oust.store.tallies import Tallied, Tallies
from pbm_oust.store.verifications import note_bounce

log = logging.getLogger("pbm_oust")

MOST_CONNECTIONS = 4
MOST_LETTERS = 10
"""How many letters go over one connection; Exim lets those that follow wait for hours."""
SHORTEST_WAIT = 60
"""Seconds to wait after the first temporary failure; each further wait is four times as long."""
LONGEST_WAIT = 4 * 3600
LONGEST_TRY = timedelta(days=5)
"""How long a letter may be put off before it has failed."""
MOST_LOST = 3
"""How many connections may end at their first letters, one after the other, before a flush does."""
ALL_BUSY = 0.1
"""Seconds after which letters that wait get one more worker, and a worker without any ends."""
FAST = 15
"""How many letters leave in that time over a connection to a relay that hardly makes us wait.

One more worker would be no help there: threads that compute hinder one another.
"""
MOST_SAID = 300
"""How many characters of what a relay says go into the log."""
STOP_SECONDS = 2.0
"""How long the letters on their way may take when no more are to leave."""
PASS_SECONDS = 25.0
"""How often it is asked again whether other hosts are still at an address.

So letters of a host that died, which are free half a minute later, leave within a minute.
"""
_END_OF_TIME = datetime.max.replace(tzinfo=UTC)

Leaving = tuple[letters.Letter, bytes]
"""A letter that a worker has claimed, and its content."""


class Flushed(Struct, frozen=True):
    """The numbers of letters that were sent, kept and given up."""

    sent: int = 0
    kept: int = 0
    """The letters that have been put off."""
    failed: int = 0
    """The letters that the relay refuses for good, or has put off for too long."""

    def __add__(self, other: "Flushed") -> "Flushed":
        return Flushed(self.sent + other.sent, self.kept + other.kept, self.failed + other.failed)


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
        tallies: Tallies | None = None,
    ) -> None:
        """`tallies` count what becomes of letters."""
        self.home = home
        self.tallies = tallies
        self.relay = relay
        self.address = address
        self._clock = clock
        self._stopping = threading.Event()
        self.accepted = set[int]()
        """Letters that were handed over but could not be removed from the outbox."""
        self.objection = ""
        """The relay's objection to us, if it has taken no letter since it made that."""
        self.news = threading.Condition()
        """What those wait at who have no letter; it guards what a flush knows."""

    def now(self) -> datetime:
        """Return the time."""
        return datetime.fromtimestamp(self._clock(), UTC)

    def flush(self, *, all_letters: bool = False) -> Flushed:
        """Hand over what is due, or everything, and remove what is accepted from the outbox.

        If another process of this host does so, it takes what is due now too, and this does
        nothing; all letters wait for it. What another host hands over just now is left to it.
        Raises OSError if the relay does not answer.
        """
        flushed, is_needed = Flushed(), True
        while is_needed:
            with self.home.relaying(waits=all_letters) as is_locked:
                if not is_locked:
                    break
                flushed += self.remove_accepted()
                recall_files(self.home)
                self._correct_times()
                with self.home.database.leases() as leases:
                    flush = _Flush(self, leases, takes_all=all_letters)
                    flushed += flush.run()
            # Who has found the folder locked left its letters to us.
            is_over = all_letters or flush.is_shared or self.is_stopping
            is_needed = not is_over and self.is_wanted()
        return flushed

    def remove_accepted(self) -> Flushed:
        """Remove letters that were handed over when a fault kept us from noting it."""
        if accepted := sorted(self.accepted):
            self.home.do(letters.remove_letters, accepted)
            self.accepted.difference_update(accepted)
        return Flushed(sent=len(accepted))

    def is_wanted(self) -> bool:
        """Return whether a letter is due. May raise OSError."""
        return self.home.ask(letters.next_due, self.now()) is not None

    def wake(self) -> None:
        """Look for letters now, if a flush waits for more."""
        with self.news:
            self.news.notify_all()

    def stop(self) -> None:
        """Begin with no more letters; a flush ends when those on their way have left."""
        self._stopping.set()

    @property
    def is_stopping(self) -> bool:
        """Whether no more letters are to leave."""
        return self._stopping.is_set()

    def send(self, smtp: smtplib.SMTP, letter: letters.Letter, content: bytes) -> Reply:
        """Send a letter, and return the reply. Raises Lost."""
        recipient = ascii_address(letter.head.recipient)
        if not is_address(recipient):
            return RelayRefusal(f"{recipient!r} is no mail address", is_permanent=True)
        sender = envelope_sender(self.address, self.home.key(), recipient)
        is_international = not (recipient + sender).isascii()
        if is_international and not smtp.has_extn("smtputf8"):
            reason = "the relay does not take addresses beyond ASCII"
            return RelayRefusal(reason, is_permanent=True, status="5.6.7")
        options = ["SMTPUTF8", "BODY=8BITMIME"] if is_international else []
        try:
            sent = letters.on_the_wire(content, is_international=is_international)
        except ValueError as error:
            return RelayRefusal(
                f"{type(error).__name__}: {error}", is_permanent=True, status="5.6.0"
            )
        return transmit(smtp, sender, recipient, sent, options)

    def note(self, transaction: Transaction, leaving: Leaving, reply: Reply) -> Flushed:
        """Write down what became of a letter: it has left, is put off, or has failed."""
        letter, content = leaving
        if isinstance(reply, str):
            letters.remove_letters(transaction, [letter.id])
            return Flushed(sent=1)
        letters.keep_written(transaction, letter.id, letter.head, content)
        now = self.now()
        tried = now - (letter.put_off_since or now)
        if not reply.is_permanent and (letter.failures == 0 or tried <= LONGEST_TRY):
            until = now + timedelta(seconds=wait_after(letter.failures))
            return Flushed(kept=letters.put_off(transaction, letter.id, now, until, reply.reason))
        head = letter.head
        if is_address(head.recipient) and not reply.is_about_us:
            bounce = Bounce.of(now, reply.status, head.message_id, head.subject)
            note_bounce(transaction, head.recipient, bounce)
        letters.fail_letter(transaction, letter.id, reply.reason)
        return Flushed(failed=1)

    def count(self, flushed: Flushed) -> None:
        """Count what became of a letter."""
        if self.tallies:
            self.tallies.count(Tallied.SENT, flushed.sent)
            self.tallies.count(Tallied.PUT_OFF, flushed.kept > 0)
            self.tallies.count(Tallied.FAILED, flushed.failed)

    def _correct_times(self) -> None:
        """Let letters leave that wait for longer than we put any off: a clock was ahead."""
        now = self.now()
        longest = now + timedelta(seconds=LONGEST_WAIT)
        if self.home.ask(letters.wait_beyond, longest):
            self.home.do(letters.wait_no_more, now, longest)
            log.warning("letters leave now that were to wait: a clock was ahead when they did")


def wait_after(failures: int) -> int:
    """Return how many seconds a letter waits that has been put off so many times before."""
    return int(min(SHORTEST_WAIT * 4**failures, LONGEST_WAIT))


class _Flush:
    """A flush of the outbox: workers, each of which claims one letter after the other.

    A worker claims a letter to an address at which no other worker is, in the transaction that
    notes what became of its letter before.
    """

    def __init__(self, relaying: Relaying, leases: Leases, *, takes_all: bool) -> None:
        """`leases` keep other hosts from addresses. With `takes_all` each letter is tried once."""
        self._relaying = relaying
        self._home = relaying.home
        self._leases = leases
        self._takes_all = takes_all
        self._change = relaying.news
        """Guards all that follows."""
        self._workers = dict[threading.Thread, str]()
        """The workers, and the address at which each of them is; empty between two letters."""
        self._let_be = dict[str, float]()
        """The addresses that no worker goes to, and until when.

        Another host is there, or letters to it have been put off.
        """
        self._lost_at = dict[str, int]()
        """Those at which a connection has ended, and how many letters had left by then."""
        self._lost = 0
        """How many connections have ended at their first letters since the latest one that left."""
        self._flushed = Flushed()
        self._most = MOST_CONNECTIONS
        self._fault: BaseException | None = None
        self.is_shared = False
        """Whether other hosts were at some of the letters."""

    def run(self) -> Flushed:
        """Hand over all that is due. Raises OSError."""
        try:
            with self._change:
                until, sent = 0.0, 0
                while not self._is_over:
                    now, left = time.monotonic(), self._flushed.sent - sent
                    if now >= until or not self._workers:
                        is_fast = bool(self._workers) and left >= FAST * len(self._workers)
                        if not (is_fast or self._starts_worker() or self._workers):
                            break
                        until, sent = now + ALL_BUSY, self._flushed.sent
                    self._change.wait(max(0.0, until - now))
        except KeyboardInterrupt:
            self._relaying.stop()
            raise
        finally:
            for worker in list(self._workers):
                worker.join(STOP_SECONDS if self._relaying.is_stopping else None)
        if self._flushed.sent:
            self._home.database.make_last()
        if self._fault:
            if not self._relaying.is_stopping:
                with suppress(OSError):
                    self._relaying.remove_accepted()
            raise self._fault
        return self._flushed

    @property
    def _is_over(self) -> bool:
        return self._relaying.is_stopping or self._fault is not None

    def _starts_worker(self) -> bool:
        """Start one more worker, if a letter waits for one; return whether it does."""
        if len(self._workers) >= self._most or self._home.ask(self._next_due) is None:
            return False
        worker = threading.Thread(target=self._work, name="relay", daemon=True)
        self._workers[worker] = ""
        worker.start()
        return True

    # What a worker does

    def _work(self) -> None:
        """Hand over letters, over one connection after the other, until there are no more."""
        leaving, is_connected = None, True
        fault: BaseException | None = None
        try:
            leaving = self._next()
            while leaving:
                is_connected = False
                with connected(self._relaying.relay, self._relaying.address) as smtp:
                    is_connected = True
                    leaving = self._work_over(smtp, leaving)
            is_connected = True
        except BaseException as error:  # noqa: BLE001 - it is raised where the flush was begun
            fault = error
            if leaving and not is_connected:
                with suppress(OSError):
                    self._put_back(leaving[0])
        is_unreachable = isinstance(fault, Lost) or not is_connected
        with self._change:
            del self._workers[threading.current_thread()]
            if isinstance(fault, OSError) and is_unreachable and self._workers:
                self._most = len(self._workers)  # the relay takes no more connections
            else:
                self._fault = self._fault or fault
            self._change.notify_all()

    def _work_over(self, smtp: smtplib.SMTP, leaving: Leaving) -> Leaving | None:
        """Hand over some letters; return the next one, which goes over another connection."""
        following: Leaving | None = leaving
        for number in range(MOST_LETTERS):
            if not (following and smtp.sock):
                break
            if not self._leases.is_sure:
                raise OSError("another host may hand over the letters")
            written = self._written(following)
            if written is None:
                following = self._next()
                continue
            try:
                reply = self._relaying.send(smtp, *written)
            except Lost as lost:
                if number:
                    break
                refused = self._lose(written[0], lost)
                if refused is None:
                    return self._next()
                reply = refused
            following = self._next(written, reply)
        return following

    def _written(self, leaving: Leaving) -> Leaving | None:
        """Return a claimed letter as it is sent; None if it cannot be written, and waits."""
        letter, content = leaving
        try:
            return self._home.outbox.written(letter, content)
        except CannotWrite as fault:
            self._home.outbox.put_aside(letter, fault)
            self._leases.give_back([letters.task_of(address_of(letter))])
            with self._change:
                self._flushed += Flushed(kept=1)
                if self._takes_all:
                    self._let_be[address_of(letter)] = math.inf
        except BaseException:
            with suppress(OSError):
                self._put_back(letter)
            raise
        return None

    def _lose(self, letter: letters.Letter, lost: Lost) -> RelayRefusal | None:
        """Let a letter go behind others at which a connection has ended as soon as it had begun.

        If others have left since that happened before, return why it is put off. Raises Lost if
        nothing leaves any more.
        """
        address = address_of(letter)
        with self._change:
            sent = self._flushed.sent
            has_others = self._lost_at.setdefault(address, sent) < sent
            self._lost += 1
            is_relay = self._lost >= MOST_LOST
        if has_others:
            return RelayRefusal(str(lost), is_permanent=False)
        self._put_back(letter)
        if is_relay:
            raise lost
        return None

    def _put_back(self, letter: letters.Letter) -> None:
        """Let a letter wait after all, unless another host may have it."""
        if self._leases.is_sure:
            self._home.do(letters.stop_sending, letter.id)
        self._leases.give_back([letters.task_of(address_of(letter))])

    def _next(self, done: Leaving | None = None, reply: Reply = "") -> Leaving | None:
        """Note what became of a worker's letter, and claim its next one; None if there is none.

        Before that, it waits a little for more letters.
        """
        if done and isinstance(reply, str):
            self._relaying.accepted.add(done[0].id)
        leaving = self._noted(done, reply)
        until = time.monotonic() + ALL_BUSY
        while leaving is None and (left := until - time.monotonic()) > 0:
            with self._change:
                self._change.wait(left)
                is_due = not self._is_over and self._home.ask(self._next_due)
            leaving = self._noted() if is_due else None
        return leaving

    def _noted(self, sent: Leaving | None = None, reply: Reply = "") -> Leaving | None:
        """Write down what became of one letter, and claim another one in the same transaction."""
        worker, done = threading.current_thread(), sent[0] if sent else None
        left = address_of(done) if done else ""

        def work(transaction: Transaction) -> tuple[Flushed, Leaving | None]:
            became = self._relaying.note(transaction, sent, reply) if sent else Flushed()
            with self._change:
                if became.kept and self._takes_all:
                    self._let_be[left] = math.inf
                return became, self._claim(transaction, worker, left)

        # What was accepted leaves once more if a power cut undoes this: with the same Message-ID.
        lasts = isinstance(reply, RelayRefusal)
        became, leaving = self._home.database.write(work, lasts=lasts)
        if done:
            self._relaying.count(became)
            if isinstance(reply, str):
                self._relaying.objection = ""
            elif reply.is_about_us:
                self._relaying.objection = reply.reason
            _log_reply(done, reply, has_failed=became.failed > 0)
        with self._change:
            self._flushed += became
            self._lost = 0 if became.sent else self._lost
        if done:
            self._relaying.accepted.discard(done.id)
            if not leaving or address_of(leaving[0]) != left:
                self._leases.give_back([letters.task_of(left)])
        return leaving

    def _claim(
        self, transaction: Transaction, worker: threading.Thread, left: str
    ) -> Leaving | None:
        """Claim the next letter for a worker, who has left an address, or stays there."""
        self._workers[worker] = ""
        while not self._is_over and (letter := self._next_due(transaction)):
            address = address_of(letter)
            if address == left or self._leases.take([letters.task_of(address)]):
                self._workers[worker] = address
                return letter, letters.begin_sending(transaction, letter.id)
            self.is_shared = True
            self._let_be[address] = time.monotonic() + PASS_SECONDS
        return None

    def _next_due(self, snapshot: Snapshot) -> letters.Letter | None:
        """Return the next letter to an address at which no worker is.

        Addresses at which a connection has ended come last.
        """
        now = time.monotonic()
        busy = {address for address, until in self._let_be.items() if now < until}
        busy.update(self._workers.values())
        due = _END_OF_TIME if self._takes_all else self._relaying.now()
        for avoided in [busy.union(self._lost_at), busy] if self._lost_at else [busy]:
            if letter := letters.next_due(snapshot, due, avoided):
                return letter
        return None


def _log_reply(letter: letters.Letter, reply: Reply, *, has_failed: bool) -> None:
    """Tell the log what became of a letter, and of which mail it tells."""
    level, outcome, said = logging.INFO, "sent", reply
    if isinstance(reply, RelayRefusal):
        said = reply.reason
        # What is about us keeps all letters, and is told once an hour. Anybody can make up an
        # address that a letter of no account goes to.
        if letter.head.userid and not reply.is_about_us:
            level = logging.WARNING
        outcome = "failed" if has_failed else f"waits {wait_after(letter.failures)} seconds"
    head, about = letter.head, letter.head.about
    entry = LogEntry(
        letter=name_of(letter),
        id=mail_told(head.message_id),
        outcome=outcome,
        player=head.userid or "",
        board=f"{about.kind} {about.board}" if about else "",
        record=about.record if about else "",
        relay=str(said)[:MOST_SAID],
    )
    log.log(level, "%s", entry)


def address_of(letter: letters.Letter) -> str:
    """Return the address of a letter in the form in which addresses are compared."""
    return normal_address(letter.head.recipient)


def recall_files(home: Home) -> None:
    """Let the unread letters in the Maildir wait for the relay."""
    for letter in home.ask(letters.all_letters, letters.LetterState.FILE):
        home.do(partial(_recall, home, letter))


def _recall(home: Home, letter: letters.Letter, transaction: Transaction) -> None:
    if home.withhold(transaction, [letter.file] if letter.file else []):
        letters.recall_letter(transaction, letter)

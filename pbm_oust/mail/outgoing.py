"""What becomes of a letter at the relay: it is sent, waits for another time, or has failed."""

import logging
import smtplib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import field
from datetime import UTC, datetime, timedelta

from pbm_oust.accounts.address import ascii_address, is_address
from pbm_oust.accounts.bounces import Bounce
from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.frozen import frozen
from pbm_oust.mail.conversation import Conversation, Refused, connected
from pbm_oust.mail.signing import Signer
from pbm_oust.store.bounces import note_bounce
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Letter, content_of, remove_letter
from pbm_oust.store.outbox import name_of
from pbm_oust.store.posted import on_the_wire
from pbm_oust.store.sending import fail_letter, put_off, wait_beyond, wait_no_more

log = logging.getLogger("pbm_oust")

SHORTEST_WAIT = 60
"""Seconds to wait after the first temporary failure; each further wait is four times as long."""
LONGEST_WAIT = 4 * 3600
LONGEST_TRY = timedelta(days=5)
"""How long a letter may be put off before it has failed."""


class Lost(OSError):
    """The relay has gone away over a letter, or says that it does: it may be tried once more."""


@frozen
class Flushed:
    """What became of letters."""

    sent: int = 0
    kept: int = 0
    """The letters that have been put off."""
    failed: int = 0
    """The letters that the relay refuses for good, or has put off for too long."""

    def __add__(self, other: "Flushed") -> "Flushed":
        return Flushed(self.sent + other.sent, self.kept + other.kept, self.failed + other.failed)


@frozen
class Outgoing:
    """Hands single letters of a home to a relay, over connections of others.

    `clock` gives seconds since the epoch.
    """

    home: Home
    relay: Endpoint
    address: str
    clock: Callable[[], float]
    signer: Signer | None = None
    accepted: set[int] = field(default_factory=set)
    """Letters that were handed over but could not be removed from the outbox."""

    def now(self) -> datetime:
        """Return the time."""
        return datetime.fromtimestamp(self.clock(), UTC)

    def correct_times(self) -> None:
        """Let letters leave that wait for longer than we put any off: a clock was ahead."""
        now = self.now()
        longest = now + timedelta(seconds=LONGEST_WAIT)
        if self.home.ask(wait_beyond, longest):
            self.home.do(wait_no_more, now, longest)
            log.warning("letters leave now that were to wait: a clock was ahead when they did")

    def connected(self) -> AbstractContextManager[smtplib.SMTP]:
        """Greet the relay for the body of a `with`, which raises OSError if it does not answer."""
        return connected(self.relay, self.address)

    def hand_over(
        self, conversation: Conversation, letter: Letter, is_waited_for: Callable[[], bool]
    ) -> Flushed:
        """Hand over a letter, and write down what becomes of it.

        Raises Stalled, Lost and OSError.
        """
        content = self.home.ask(content_of, letter.id)
        if content is None:
            return Flushed()
        is_accepted = letter.id in self.accepted
        refused = None if is_accepted else self._send(conversation, letter, content, is_waited_for)
        if refused is None:
            self.accepted.add(letter.id)
            self.home.do(remove_letter, letter.id)
            self.accepted.discard(letter.id)
            return Flushed(sent=1)
        return self.keep(letter, refused)

    def keep(self, letter: Letter, refused: Refused) -> Flushed:
        """Put off a letter that was refused, or give it up."""
        now = self.now()
        tried = now - (letter.put_off_since or now)
        if refused.is_permanent or (letter.failures > 0 and tried > LONGEST_TRY):
            self._give_up(letter, refused)
            return Flushed(failed=1)
        seconds = min(SHORTEST_WAIT * 4**letter.failures, LONGEST_WAIT)
        until = now + timedelta(seconds=seconds)
        kept = self.home.database.write(
            lambda transaction: put_off(transaction, letter.id, now, until, refused.reason)
        )
        log.warning("letter %s waits %d seconds: %s", name_of(letter), seconds, refused.reason)
        return Flushed(kept=kept)

    def _send(
        self,
        conversation: Conversation,
        letter: Letter,
        content: bytes,
        is_waited_for: Callable[[], bool],
    ) -> Refused | None:
        """Send a letter, and return None or why it was not accepted. Raises Stalled and Lost."""
        recipient = ascii_address(letter.head.recipient)
        if not is_address(recipient):
            return Refused(f"{recipient!r} is no mail address", is_permanent=True)
        sender = envelope_sender(self.address, self.home.key(), recipient)
        is_international = not (recipient + sender).isascii()
        if is_international and not conversation.takes_utf8:
            reason = "the relay does not take addresses beyond ASCII"
            return Refused(reason, is_permanent=True, status="5.6.7")
        options = ["SMTPUTF8", "BODY=8BITMIME"] if is_international else []
        try:
            sent = on_the_wire(content, is_international=is_international)
            sent = self.signer.signed(sent) if self.signer else sent
        except ValueError as error:
            return Refused(f"{type(error).__name__}: {error}", is_permanent=True, status="5.6.0")
        try:
            refused = conversation.hand_over(sender, recipient, sent, options, is_waited_for)
        except TimeoutError as error:
            return Refused(f"{type(error).__name__}: {error}", is_permanent=False)
        except OSError as error:
            raise Lost(f"{type(error).__name__}: {error}") from error
        if refused and not conversation.is_open:
            raise Lost(refused.reason)
        return refused

    def _give_up(self, letter: Letter, refused: Refused) -> None:
        """Mark a letter as failed, and count that as a bounce of its recipient."""
        log.warning("letter %s has failed: %s", name_of(letter), refused.reason)
        head = letter.head
        if is_address(head.recipient) and not refused.is_about_us:
            bounce = Bounce.of(self.now(), refused.status, head.message_id, head.subject)
            self.home.do(note_bounce, head.recipient, bounce)
        self.home.do(fail_letter, letter.id, refused.reason)

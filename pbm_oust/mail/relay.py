"""The way from the outbox to the relay: what is tried when, and what is set aside.

Letters to one address go in order. After a temporary failure, or when the relay goes away over a
letter, nothing is tried for that address for a while, longer each time; other addresses do not wait
for it. What the relay refuses for good, or has put off for days, is set aside and counts as a
bounce.
"""

import logging
import smtplib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pbm_oust.accounts.address import is_address
from pbm_oust.accounts.returned import Bounce
from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.mail.reports import STATUS
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home
from pbm_oust.store.posted import Letter, read_letters

log = logging.getLogger("pbm_oust")

PATIENCE = 60
"""Seconds that a relay may take to answer."""
SHORTEST_WAIT = 60
"""Seconds after the first temporary failure; each further one makes the wait four times as long."""
LONGEST_WAIT = 4 * 3600
LONGEST_TRY = 5 * 24 * 3600
"""Seconds after which a letter that is still put off is set aside."""


@dataclass(frozen=True, slots=True)
class Flushed:
    """What became of the letters when the outbox was flushed."""

    sent: int = 0
    kept: int = 0
    """Those that stay for another time."""
    failed: int = 0
    """Those that were set aside, because the relay refuses them for good."""

    def __add__(self, other: "Flushed") -> "Flushed":
        return Flushed(self.sent + other.sent, self.kept + other.kept, self.failed + other.failed)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a letter was not accepted."""

    reason: str
    is_permanent: bool
    status: str = "5.0.0"
    """The reason as in RFC 3463."""
    is_about_us: bool = False
    """Whether the relay has something against us rather than against the recipient."""


@dataclass(frozen=True, slots=True)
class _Wait:
    failures: int
    until: float


class Relaying:
    """Hands the letters of a home to a relay, and remembers which addresses have to wait.

    `clock` gives seconds since the epoch.
    """

    def __init__(
        self, home: Home, relay: Endpoint, address: str, clock: Callable[[], float]
    ) -> None:
        self._home = home
        self._relay = relay
        self._address = address
        self._clock = clock
        self._waits: dict[str, _Wait] = {}
        self._accepted: set[str] = set()
        """Letters that were handed over and could not be taken out of the outbox."""

    def flush(self) -> Flushed:
        """Hand over what is due, and take what is accepted out of the outbox.

        Raises OSError where the relay does not answer; smtplib's errors are OSErrors.
        """
        with self._home.outbox.sending():
            letters = list(read_letters(self._home))
            due = deque(letter for letter in letters if not self._has_to_wait(letter))
            flushed = Flushed(kept=len(letters) - len(due))
            while due:
                with connected(self._relay, self._address) as smtp:
                    while due and is_open(smtp):
                        flushed += self._hand_over(smtp, due.popleft())
            return flushed

    def _has_to_wait(self, letter: Letter) -> bool:
        wait = self._waits.get(letter.recipient)
        return wait is not None and self._clock() < wait.until

    def _hand_over(self, smtp: smtplib.SMTP, letter: Letter) -> Flushed:
        if self._has_to_wait(letter):
            return Flushed(kept=1)
        sender = envelope_sender(self._address, self._home.key(), letter.recipient)
        refused = None if letter.name in self._accepted else _send(smtp, letter, sender)
        if refused is None:
            self._waits.pop(letter.recipient, None)
            self._accepted.add(letter.name)
            with suppress(NoSuchFile):
                self._home.outbox.remove(letter.name)
            self._accepted.discard(letter.name)
            return Flushed(sent=1)
        known = self._waits.get(letter.recipient, _Wait(0, 0))
        is_too_old = known.failures > 0 and self._clock() - letter.posted > LONGEST_TRY
        if refused.is_permanent or is_too_old:
            self._give_up(letter, refused)
            return Flushed(failed=1)
        seconds = min(SHORTEST_WAIT * 4**known.failures, LONGEST_WAIT)
        self._waits[letter.recipient] = _Wait(known.failures + 1, self._clock() + seconds)
        log.warning("letter %s waits %d seconds: %s", letter.name, seconds, refused.reason)
        return Flushed(kept=1)

    def _give_up(self, letter: Letter, refused: Refused) -> None:
        """Set a letter aside, as one that came back from its recipient."""
        log.warning("letter %s is set aside: %s", letter.name, refused.reason)
        if is_address(letter.recipient) and not refused.is_about_us:
            at = datetime.fromtimestamp(self._clock(), UTC)
            bounce = Bounce.of(at, refused.status, letter.message_id, letter.subject)
            self._home.bounces.note(letter.recipient, bounce)
        with suppress(NoSuchFile):
            self._home.outbox.set_aside(letter.name)


@contextmanager
def connected(relay: Endpoint, address: str) -> Iterator[smtplib.SMTP]:
    """Greet a relay for the body of the `with`. Raises OSError where it does not answer."""
    host = address.rpartition("@")[2]
    with smtplib.SMTP(relay.host, relay.port, local_hostname=host, timeout=PATIENCE) as smtp:
        smtp.ehlo_or_helo_if_needed()
        yield smtp


def is_open(smtp: smtplib.SMTP) -> bool:
    """Return whether a relay still listens to us; smtplib forgets the socket where it does not."""
    return getattr(smtp, "sock", None) is not None


def _send(smtp: smtplib.SMTP, letter: Letter, sender: str) -> Refused | None:
    """Hand over a letter and return None, or why it was not accepted.

    What the relay has against us, and not against the recipient or the letter, is never permanent.
    """
    if not letter.recipient:
        return Refused("its recipient cannot be read", is_permanent=True)
    try:
        smtp.send_message(letter.message, sender, [letter.recipient])
    except smtplib.SMTPRecipientsRefused as error:
        code, text = error.recipients[letter.recipient]
        return _refused(code, text, is_permanent=code >= 500)
    except smtplib.SMTPDataError as error:
        return _refused(error.smtp_code, error.smtp_error, is_permanent=error.smtp_code >= 500)
    except smtplib.SMTPResponseException as error:
        refused = _refused(error.smtp_code, error.smtp_error, is_permanent=False)
        return replace(refused, is_about_us=True)
    except (smtplib.SMTPNotSupportedError, ValueError) as error:
        return Refused(f"{type(error).__name__}: {error}", is_permanent=True)
    except OSError as error:
        smtp.close()
        return Refused(f"{type(error).__name__}: {error}", is_permanent=False)
    return None


def _refused(code: int, text: bytes | str, *, is_permanent: bool) -> Refused:
    words = text.decode("ascii", "replace") if isinstance(text, bytes) else text
    status = STATUS.match(words)
    return Refused(f"{code} {words}", is_permanent, status[0] if status else f"{code // 100}.0.0")

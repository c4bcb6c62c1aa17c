"""The way from the outbox to the relay: what is tried when, and what is set aside.

Letters to one address go in order. After a temporary failure nothing is tried for that address for
a while, longer each time; other addresses do not wait for it. What the relay refuses for good, or
has put off for days, is set aside.
"""

import logging
import smtplib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from pbm_oust.config import Endpoint
from pbm_oust.home import Home, NoSuchFile
from pbm_oust.mail.outbox import Letter, read_letters

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


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a letter was not accepted."""

    reason: str
    is_permanent: bool


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
        local, _, host = address.rpartition("@")
        self._home = home
        self._relay = relay
        self._host = host
        self._bounces = f"{local}+bounces@{host}"
        self._clock = clock
        self._waits: dict[str, _Wait] = {}

    def flush(self) -> Flushed:
        """Hand over what is due, and take what is accepted out of the outbox.

        Raises OSError where the relay does not answer or goes away; smtplib's errors are OSErrors.
        """
        with self._home.locked_outbox():
            letters = list(read_letters(self._home))
            due = [letter for letter in letters if not self._has_to_wait(letter)]
            sent = failed = 0
            if due:
                with smtplib.SMTP(
                    self._relay.host,
                    self._relay.port,
                    local_hostname=self._host,
                    timeout=PATIENCE,
                ) as smtp:
                    for letter in due:
                        outcome = self._hand_over(smtp, letter)
                        sent += outcome.sent
                        failed += outcome.failed
            return Flushed(sent, len(letters) - sent - failed, failed)

    def _has_to_wait(self, letter: Letter) -> bool:
        wait = self._waits.get(letter.recipient)
        return wait is not None and self._clock() < wait.until

    def _hand_over(self, smtp: smtplib.SMTP, letter: Letter) -> Flushed:
        if self._has_to_wait(letter):
            return Flushed(kept=1)
        refused = _send(smtp, letter, self._bounces)
        if refused is None:
            self._waits.pop(letter.recipient, None)
            with suppress(NoSuchFile):
                self._home.remove_letter(letter.name)
            return Flushed(sent=1)
        if refused.is_permanent or self._clock() - letter.posted > LONGEST_TRY:
            log.warning("letter %s is set aside: %s", letter.name, refused.reason)
            with suppress(NoSuchFile):
                self._home.set_aside_letter(letter.name)
            return Flushed(failed=1)
        known = self._waits.get(letter.recipient, _Wait(0, 0))
        seconds = min(SHORTEST_WAIT * 4**known.failures, LONGEST_WAIT)
        self._waits[letter.recipient] = _Wait(known.failures + 1, self._clock() + seconds)
        log.warning("letter %s waits %d seconds: %s", letter.name, seconds, refused.reason)
        return Flushed(kept=1)


def _send(smtp: smtplib.SMTP, letter: Letter, bounces: str) -> Refused | None:
    """Hand over a letter and return None, or why it was not accepted. Raises OSError."""
    if not letter.recipient:
        return Refused("its recipient cannot be read", is_permanent=True)
    try:
        smtp.send_message(letter.message, bounces, [letter.recipient])
    except smtplib.SMTPServerDisconnected:
        raise
    except smtplib.SMTPRecipientsRefused as error:
        return _refused(*error.recipients[letter.recipient])
    except smtplib.SMTPResponseException as error:
        return _refused(error.smtp_code, error.smtp_error)
    except (smtplib.SMTPException, ValueError) as error:
        return Refused(f"{type(error).__name__}: {error}", is_permanent=True)
    return None


def _refused(code: int, text: bytes | str) -> Refused:
    words = text.decode("ascii", "replace") if isinstance(text, bytes) else text
    return Refused(f"{code} {words}", is_permanent=code >= 500)

"""From the outbox to the relay: what is tried when, and what has failed.

Letters to one address go in order. After a temporary failure, or if the relay goes away during a
letter, that address waits for a while, longer each time; other addresses do not wait for it. A
letter that the relay refuses for good, or has put off for days, has failed and counts as a bounce.
"""

import logging
import smtplib
from collections import deque
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from pbm_oust.accounts.address import is_address, normal_address
from pbm_oust.accounts.bounces import Bounce
from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.mail.reports import STATUS
from pbm_oust.mail.signing import Signer
from pbm_oust.store.bounces import note_bounce
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.disk import locked_folder
from pbm_oust.store.home import Changed, Home
from pbm_oust.store.letters import Letter, State, all_letters, content_of, remove_letter
from pbm_oust.store.maildir import recall_letter
from pbm_oust.store.outbox import name_of
from pbm_oust.store.posted import on_the_wire
from pbm_oust.store.sending import (
    begin_sending,
    due_letters,
    fail_letter,
    latest_letter,
    number_waiting,
    put_off,
    stop_sending,
)

log = logging.getLogger("pbm_oust")

PATIENCE = 60
"""Seconds that a relay may take to answer."""
SHORTEST_WAIT = 60
"""Seconds to wait after the first temporary failure; each further wait is four times as long."""
LONGEST_WAIT = 4 * 3600
LONGEST_TRY = timedelta(days=5)
"""How long a letter may be put off before it has failed."""
MOST_TOGETHER = 100
"""How many letters are marked as leaving at a time."""
_END_OF_TIME = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Flushed:
    """What became of the letters when the outbox was flushed."""

    sent: int = 0
    kept: int = 0
    """The letters that stay for another time."""
    failed: int = 0
    """The letters that the relay refuses for good, or has put off for too long."""

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
    """Whether the relay objects to us, and not to the recipient."""


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
        self._relay = relay
        self._address = address
        self._clock = clock
        self._signer = signer
        self._accepted: set[int] = set()
        """Letters that were handed over but could not be removed from the outbox."""

    def flush(self, *, all_letters: bool = False) -> Flushed:
        """Hand over what is due, or everything, and remove what is accepted from the outbox.

        Raises OSError if the relay does not answer; smtplib's errors are OSErrors.
        """
        flushed = Flushed()
        with locked_folder(self._home.outbox.path):
            recall_files(self._home)
            latest, tried, put_off = self._home.ask(latest_letter), set[int](), set[str]()
            while due := self._due(tried, all_letters=all_letters):
                flushed += self._hand_over_all(deque(self._begun(due, put_off)), put_off)
                # The others wait no more.
                tried |= {letter.id for letter in due if _normal(letter) in put_off}
            # Do not count what others have posted meanwhile.
            return replace(flushed, kept=self._home.ask(number_waiting, latest))

    def _due(self, tried: Set[int], *, all_letters: bool) -> list[Letter]:
        """Return the next letters to hand over, the first ones of each address."""
        until = _END_OF_TIME if all_letters else self._now()
        found = self._home.ask(due_letters, until, MOST_TOGETHER + len(tried))
        return [letter for letter in found if letter.id not in tried]

    def _begun(self, due: list[Letter], put_off: Set[str]) -> list[Letter]:
        """Mark letters as leaving, and return them; those to an address that was put off stay."""
        ids = [each.id for each in due if _normal(each) not in put_off]
        leaving = set(self._home.database.write(lambda tx: begin_sending(tx, ids)))
        return [letter for letter in due if letter.id in leaving]

    def _hand_over_all(self, due: deque[Letter], put_off: set[str]) -> Flushed:
        """Hand over letters, except to an address after it was put off.

        `put_off` holds these addresses in their normal form, and gets further ones.
        """
        flushed = Flushed()
        try:
            while due:
                with connected(self._relay, self._address) as smtp:
                    while due and is_open(smtp):
                        letter = due[0]
                        if _normal(letter) not in put_off:
                            became = self._hand_over(smtp, letter)
                            flushed += became
                            put_off |= {_normal(letter)} if became.kept else set()
                        due.popleft()
        finally:
            left = [letter.id for letter in due]
            if left:
                self._home.do(stop_sending, left)
        return flushed

    def _hand_over(self, smtp: smtplib.SMTP, letter: Letter) -> Flushed:
        name, recipient = name_of(letter), letter.head.recipient
        content = self._home.ask(content_of, letter.id)
        if content is None:
            return Flushed()
        sender = envelope_sender(self._address, self._home.key(), recipient)
        is_accepted = letter.id in self._accepted
        refused = None if is_accepted else _send(smtp, recipient, content, sender, self._signer)
        if refused is None:
            self._accepted.add(letter.id)
            self._home.do(remove_letter, letter.id)
            self._accepted.discard(letter.id)
            return Flushed(sent=1)
        now = self._now()
        tried = now - (letter.put_off_since or now)
        if refused.is_permanent or (letter.failures > 0 and tried > LONGEST_TRY):
            self._give_up(letter, refused)
            return Flushed(failed=1)
        seconds = min(SHORTEST_WAIT * 4**letter.failures, LONGEST_WAIT)
        self._home.do(put_off, letter.id, now, now + timedelta(seconds=seconds), refused.reason)
        log.warning("letter %s waits %d seconds: %s", name, seconds, refused.reason)
        return Flushed(kept=1)

    def _give_up(self, letter: Letter, refused: Refused) -> None:
        """Mark a letter as failed, and count that as a bounce of its recipient."""
        log.warning("letter %s has failed: %s", name_of(letter), refused.reason)
        head = letter.head
        if is_address(head.recipient) and not refused.is_about_us:
            bounce = Bounce.of(self._now(), refused.status, head.message_id, head.subject)
            self._home.do(note_bounce, head.recipient, bounce)
        self._home.do(fail_letter, letter.id, refused.reason)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)


def recall_files(home: Home) -> None:
    """Let the unread letters in the Maildir wait for the relay."""
    for letter in home.ask(all_letters, State.FILE):
        with suppress(Changed), home.unit():
            home.withhold([letter.file] if letter.file else [])
            home.do(recall_letter, letter)


@contextmanager
def connected(relay: Endpoint, address: str) -> Iterator[smtplib.SMTP]:
    """Greet a relay for the body of the `with`. Raises OSError if it does not answer."""
    host = address.rpartition("@")[2]
    smtp = smtplib.SMTP(relay.host, relay.port, local_hostname=host, timeout=PATIENCE)
    try:
        smtp.ehlo_or_helo_if_needed()
        yield smtp
    finally:
        with suppress(OSError):
            smtp.quit()  # whatever the relay says to that, it has what it accepted
        smtp.close()


def is_open(smtp: smtplib.SMTP) -> bool:
    """Return whether a relay still listens; smtplib forgets the socket if it does not."""
    return getattr(smtp, "sock", None) is not None


def _normal(letter: Letter) -> str:
    """Return the form in which the address of a letter is compared."""
    return normal_address(letter.head.recipient)


def _send(
    smtp: smtplib.SMTP, recipient: str, content: bytes, sender: str, signer: Signer | None
) -> Refused | None:
    """Hand over a letter and return None, or why it was not accepted.

    If the relay objects to us, and not to the recipient or the letter, that is never permanent.
    """
    if not is_address(recipient):
        return Refused(f"{recipient!r} is no mail address", is_permanent=True)
    try:
        is_international = not (recipient + sender).isascii()
        if is_international and not smtp.has_extn("smtputf8"):
            raise smtplib.SMTPNotSupportedError("the relay does not take addresses beyond ASCII")
        letter = on_the_wire(content, is_international=is_international)
        options = ["SMTPUTF8", "BODY=8BITMIME"] if is_international else []
        smtp.sendmail(sender, [recipient], signer.signed(letter) if signer else letter, options)
    except smtplib.SMTPRecipientsRefused as error:
        code, text = error.recipients[recipient]
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


def reply_text(text: bytes | str) -> str:
    """Return the text of a reply of a mail server; smtplib has it in either type."""
    return text.decode("ascii", "replace") if isinstance(text, bytes) else text


def _refused(code: int, text: bytes | str, *, is_permanent: bool) -> Refused:
    words = reply_text(text)
    status = STATUS.match(words)
    return Refused(f"{code} {words}", is_permanent, status[0] if status else f"{code // 100}.0.0")

"""A mail from its bytes to its one ending: answered, deliberately silent, or left to its sender."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pbm_oust import service
from pbm_oust.actions.desk import Desk, Handled, Request
from pbm_oust.home import Home
from pbm_oust.mail.automatic import reason_for_silence
from pbm_oust.mail.reading import Mail, read_mail
from pbm_oust.mail.replies import Letters
from pbm_oust.refusal import Unread, Unreadable

log = logging.getLogger("pbm_oust")


@dataclass(frozen=True, slots=True)
class Intake:
    """Takes mail for the commands address of one home."""

    desk: Desk
    address: str

    def take(self, data: bytes, envelope_sender: str | None) -> Handled:
        """Handle one mail; whatever it leads to is on the disk when this returns.

        `envelope_sender` is empty for the null sender, and None where it is not known. Raises
        OSError, DamagedHistory and BadAccount, after which the mail must stay with its sender,
        and UnreadableMail for one that would cost too much to read.
        """
        begun = time.perf_counter()
        mail = read_mail(data, envelope_sender or "")
        silence = reason_for_silence(mail.headers, envelope_sender, mail.sender, self.address)
        handled = Handled(f"silent: {silence}") if silence else self._handle(mail)
        log.info(
            "%s board=%s record=%s bytes=%d ms=%d",
            handled.outcome,
            handled.board or "-",
            handled.record or "-",
            len(data),
            (time.perf_counter() - begun) * 1000,
        )
        return handled

    def _handle(self, mail: Mail) -> Handled:
        subjects = [subject for subject in mail.subjects if subject]
        line, chat = (subjects[0], mail.text) if subjects else _parted(mail.text)
        request = Request(
            line=line,
            chat=chat,
            sender=mail.sender,
            identity=mail.identity,
            message_id=mail.message_id,
        )
        if len(mail.subjects) > 1:
            return service.refuse(Unreadable(Unread.SEVERAL_SUBJECTS), request, self.desk)
        return service.handle(request, self.desk)


def open_intake(home: Home, address: str, clock: Callable[[], datetime]) -> Intake:
    """Return the intake of a home that takes commands at `address`."""
    return Intake(Desk(home, Letters(address, clock).write, clock), address)


def _parted(text: str) -> tuple[str, str]:
    """Return the first line of a text that is not empty, and what follows it."""
    first, _, rest = text.lstrip().partition("\n")
    return first, rest.strip("\n")

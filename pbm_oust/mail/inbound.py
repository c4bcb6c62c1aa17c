"""A mail from its bytes to its one ending: answered, deliberately silent, or left to its sender."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.message import Message

from pbm_oust.accounts.account import BadAccount
from pbm_oust.accounts.returned import Bounce
from pbm_oust.accounts.tags import (
    _VERIFICATION,
    Reply,
    code_in,
    is_for_bounces,
    is_unread,
    parse_letter_id,
    parse_reply_address,
)
from pbm_oust.board.notation import format_time
from pbm_oust.grammar.aliases import in_english
from pbm_oust.letters.letters import Letters
from pbm_oust.mail.reading import Mail, UnreadableMail, read_mail
from pbm_oust.mail.reading.asked_language import language_asked
from pbm_oust.mail.reports import read_report
from pbm_oust.mail.robots import reason_for_silence
from pbm_oust.play.authentication import verify
from pbm_oust.play.request import Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.service import service
from pbm_oust.service.answers import is_of_letter
from pbm_oust.store.bounces import bounces_of, forget_bounces
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import DamagedHistory

log = logging.getLogger("pbm_oust")


class KeptBySender(Exception):
    """A mail that could not be handled through a fault on our side: its sender must keep it."""


@dataclass(frozen=True, slots=True)
class SeveralSubjects(UnreadableReason):
    """A mail has more than one Subject."""


@dataclass(frozen=True, slots=True)
class ClosedText(UnreadableReason):
    """The text of a mail is encrypted, or in a form that cannot be read."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """Who a mail is from and for, as the mail server says."""

    sender: str | None = None
    """Empty for the null sender, and None where it is not known."""
    recipients: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Intake:
    """Takes mail for the commands address of one home."""

    work: UnitOfWork
    address: str

    def take(self, data: bytes, envelope: Envelope) -> Handled:
        """Handle one mail; whatever it leads to is on the disk when this returns.

        Raises KeptBySender, and UnreadableMail for one that would cost too much to read. Each
        mail is one line in the log, in which no word of it stands.
        """
        received, begun = self.work.now(), time.perf_counter()
        level = logging.INFO
        handled = Handled("kept by the sender: a fault in the program")
        try:
            handled = self._handle(data, envelope)
        except UnreadableMail as error:
            level, handled = logging.WARNING, Handled(f"unreadable: {error}")
            raise
        except (OSError, DamagedHistory, BadAccount) as error:
            level, handled = logging.ERROR, Handled(f"kept by the sender: {error}")
            raise KeptBySender(str(error)) from None
        except Exception as error:
            level = logging.ERROR
            log.exception("a fault in the program")
            raise KeptBySender("a fault in the program") from error
        finally:
            milliseconds = (time.perf_counter() - begun) * 1000
            log.log(level, "%s", _log_line(received, handled, len(data), milliseconds))
        return handled

    def _handle(self, data: bytes, envelope: Envelope) -> Handled:
        mail = read_mail(data, envelope.sender or "")
        recipients = envelope.recipients or mail.recipients
        for recipient in recipients:
            if is_for_bounces(recipient, self.address):
                return self._take_bounce(mail.headers, recipient)
            if is_unread(recipient, self.address):
                return Handled("silent: an answer to a mail that went to everybody")
        silence = reason_for_silence(mail.headers, envelope.sender, mail.sender, self.address)
        if silence:
            return Handled(f"silent: {silence}")
        codes = (code_in(recipient, self.address) for recipient in recipients)
        code = next(filter(None, codes), "")
        reply = None if code else self._reply(mail, envelope)
        return self._answer(mail, code, reply)

    def _reply(self, mail: Mail, envelope: Envelope) -> Reply | None:
        """Return the answer to a letter of ours that a mail is, where it proves whose it is.

        What its headers name, the address where the envelope has lost its tag or the Message-ID
        of the letter, proves it only for a mail from an address of the account.
        """
        for recipient in envelope.recipients or mail.recipients:
            claim = parse_reply_address(recipient, self.address)
            if claim and (reply := verify(claim, self.work)):
                return reply
        host = self.address.rpartition("@")[2]
        named = [parse_reply_address(recipient, self.address) for recipient in mail.recipients]
        named += [parse_letter_id(message_id, host) for message_id in mail.answered]
        for claim in named:
            if claim and (reply := verify(claim, self.work)):
                account = self.work.account(reply.userid)
                return reply if account.has_address(mail.sender) else None
        return None

    def _take_bounce(self, message: Message, recipient: str) -> Handled:
        """Write down that a letter of ours came back."""
        home = self.work.home
        failed = read_report(message, recipient, home.key())
        if failed is None:
            return Handled("silent: no report of a failed letter")
        bounce = Bounce.of(self.work.now(), failed.status, failed.letter, failed.subject)
        returned = home.note_bounce(failed.recipient, bounce)
        return Handled(f"bounce {len(returned.bounces)} of an address")

    def _answer(self, mail: Mail, code: str, reply: Reply | None) -> Handled:
        """Carry out the command of a mail; one to the address of a code brings that code back."""
        subjects = [subject for subject in mail.subjects if subject]
        line, chat = (subjects[0], mail.text) if subjects else _parted(mail.text)
        if code:
            line, chat = line_with(code, "".join(subjects)), mail.text
        elif reply:
            line, chat = "".join(subjects[:1]), mail.text
        request = Request(
            line=line,
            chat=chat,
            sender=mail.sender,
            identity=mail.identity,
            message_id=mail.message_id,
            language=language_asked(mail.headers),
            reply=reply,
        )
        if len(mail.subjects) > 1 and not code:
            refusal = Unreadable(SeveralSubjects())
            handled = service.refuse(refusal, request, self.work)
        elif mail.is_text_closed and (not line or (reply and is_of_letter(line))):
            refusal = Unreadable(ClosedText())
            handled = service.refuse(refusal, request, self.work)
        else:
            handled = service.handle(request, self.work)
        home = self.work.home
        if home.ask(bounces_of, mail.sender).bounces:
            home.do(forget_bounces, mail.sender)
        return handled


def envelope_of(sender: str | None, recipients: Sequence[str]) -> Envelope:
    """Return an envelope as a mail server writes it, where `<>` is the null sender."""
    return Envelope("" if sender == "<>" else sender, tuple(recipients))


def open_intake(home: Home, address: str, clock: Callable[[], datetime]) -> Intake:
    """Return the intake of a home that takes commands at `address`."""
    return Intake(UnitOfWork(home, Letters(address, clock, home.key).write, clock), address)


def _log_line(received: datetime, handled: Handled, size: int, milliseconds: float) -> str:
    """Return what the log says of a mail: words `key=value`, those with spaces in quotes."""
    fields = {
        "received": format_time(received),
        "outcome": handled.outcome,
        "board": handled.board or "-",
        "record": handled.record or "-",
        "bytes": size,
        "ms": round(milliseconds),
    }
    words = {key: str(value).replace('"', "'") for key, value in fields.items()}
    return " ".join(
        f'{key}="{word}"' if " " in word else f"{key}={word}" for key, word in words.items()
    )


def _parted(text: str) -> tuple[str, str]:
    """Return the first line of a text that is not empty, and what follows it."""
    first, _, rest = text.lstrip().partition("\n")
    return first, rest.strip("\n")


def line_with(code: str, subject: str) -> str:
    """Return the line of a mail that brings a code back: its Subject, if that says so too."""
    begins_alike = list(map(in_english, subject.lower().split()[:2])) == [_VERIFICATION, code]
    return subject if begins_alike else f"{_VERIFICATION} {code}"

"""A mail from its bytes to its one outcome: answered, passed over, or left with its sender."""

import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from pbm_oust.accounts import asks, tags
from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.asks import Ask, Claim, Topic
from pbm_oust.accounts.bounces import Bounce
from pbm_oust.accounts.password import Secret
from pbm_oust.board.notation import format_time
from pbm_oust.commands.begin import asked_of_player
from pbm_oust.commands.invite import keep_away
from pbm_oust.grammar.form import Command
from pbm_oust.grammar.vocabulary import MASK
from pbm_oust.grammar.wording import is_placements
from pbm_oust.letters.letters import Letters, LetterWriter
from pbm_oust.letters.templates import is_own_subject
from pbm_oust.mail.reading import Mail, UnreadableMail, read_mail, short_id, taken_apart
from pbm_oust.mail.reading.headers import header_text, language_asked
from pbm_oust.mail.reading.mail import Verdict, verdict_of
from pbm_oust.mail.reading.phrases import any_of, without_prefixes
from pbm_oust.play.authentication import answer_proved_by
from pbm_oust.play.context import Context
from pbm_oust.play.passwords import NotDerived, Passwords
from pbm_oust.play.request import Ending, Handled, Request, Silence, outcome_text, silent
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.verification import code_named
from pbm_oust.refusal import UnreadableReason
from pbm_oust.render.entry import LogEntry
from pbm_oust.service.service import PreparedRequest, prepare
from pbm_oust.service.table import behind_prefix, is_asked, is_of_letter, parse_line, parted
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.home import Home
from pbm_oust.store.limits import USUAL_LIMITS, Limits
from pbm_oust.store.message_keys import KeyOutcome, note_key
from pbm_oust.store.verifications import note_bounce

if TYPE_CHECKING:
    from pbm_oust.mail.workers import Committer


MOST_HOPS = 30
_MOST_ANSWERED = 3
"""How many letters in In-Reply-To count."""
_MOST_PREFIXES = 5
REPORT = "multipart/report"
"""The kind of a mail with which a mail server says what became of another one (RFC 6522)."""

_DAEMON = re.compile(r"(?:.*[-_.])?daemon|.*mailer-?daemon")
_MACHINE = re.compile(r"(?:.*[-_.])?(?:bounces?|auto-?(?:reply|responder))")
_UNREAD = re.compile(
    r"(?:.*[-_.])?(?:no|do-?not)[-_]?reply|postmaster|listserv|majordomo|owner-.*"
    r"|.*-(?:owner|request)"
)
"""Local parts, in small letters and without what stands behind a +: those of mail servers, those of
other robots, and those at which usually no human reads."""
_AUTOMATIC = re.compile(
    r"^(?:auto-submitted: (?!no(?:[\s;(]|$)).*|return-path: <>|precedence: auto_reply"
    r"|x-auto(?!-response-suppress:).*|x-mail-autoreply:.*|x-failed-recipients:.*"
    r"|x-fc-machinegenerated:.*|x-pbm-oust:.*)$",
    re.MULTILINE,
)
"""Headers of mail that no human wrote, as `name: value` in small letters."""
_SHARED = re.compile(
    r"^(?:precedence: (?:bulk|junk|list)|list-.*|(?:x-)?mailing-list:.*"
    r"|x-auto-response-suppress:.*|x-loop:.*|x-apple-action:.*)$",
    re.MULTILINE,
)
"""Headers that also stand in mail of humans: of a list, a group, an office or a forwarder."""
_AUTOMATIC_REPLY = re.compile(rf"(?:{any_of('automatic_replies')})\s*(?:[:\uff1a].*)?")


def automatic_by(mail: Mail, envelope_sender: str | None, own_address: str) -> str | None:
    """Return what says that no human wrote a mail, or None if nothing does.

    `envelope_sender` is empty for the null sender of bounces, and None if it is not known.
    """
    if envelope_sender == "":
        return "null sender"
    for sender in {mail.sender: None, envelope_sender or mail.sender: None}:
        local = _local_part(sender)
        if is_same_address(sender, own_address):
            return "own address"
        if _DAEMON.fullmatch(local) or (sender is mail.sender and _MACHINE.fullmatch(local)):
            return f"sender {local}"
    if found := _AUTOMATIC.search(mail.headers_text):
        return found[0].partition(":")[0].title()
    if mail.kind == REPORT:
        return mail.kind
    if mail.is_reaction:
        return "reaction"
    if mail.is_receipt:
        return "receipt or recall"
    for subject in mail.subjects:
        if _AUTOMATIC_REPLY.fullmatch(subject.lower()):
            return "Subject of an automatic reply"
    if asks.is_own_id(
        "".join(mail.headers["message-id"][:1]).strip(), own_address.rpartition("@")[2]
    ):
        return "own Message-ID"
    if len(mail.headers["received"]) > MOST_HOPS:
        return "too many hops"
    return None


def doubtful_by(mail: Mail) -> str | None:
    """Return why a mail counts only if it proves whose it is, or None if nothing is in the way."""
    local = _local_part(mail.sender)
    return f"sender {local}" if _UNREAD.fullmatch(local) else None


def marked_by(mail: Mail) -> str | None:
    """Return the header that robots and humans share, or None if a mail has none."""
    found = _SHARED.search(mail.headers_text)
    return found[0].partition(":")[0].title() if found else None


def _local_part(sender: str) -> str:
    """Return the local part of an address in small letters, without what stands behind a +."""
    return (sender.rpartition("@")[0] or sender).lower().partition("+")[0]


log = logging.getLogger("pbm_oust")


class KeptBySender(Exception):
    """A fault of ours prevents the handling of a mail: its sender must keep it."""

    def __init__(self, why: str, mail_id: str) -> None:
        """`mail_id` is the short id of the mail."""
        super().__init__(why)
        self.mail_id = mail_id


class SeveralSubjects(UnreadableReason, frozen=True):
    """A mail has more than one Subject."""


class ClosedText(UnreadableReason, frozen=True):
    """The text of a mail is encrypted, or in a form that cannot be read."""


class Envelope(Struct, frozen=True):
    """The sender and the recipients of a mail, as the mail server says."""

    sender: str | None = None
    """Empty for the null sender, and None if it is not known."""
    recipients: tuple[str, ...] = ()
    source: str = ""
    """The host or network that it comes from; empty if that is ours, or not known."""
    is_of_mail_server: bool = False
    """Whether one of our own mail servers has brought it, whose headers are believed."""
    is_of_owner: bool = False
    """Whether whoever owns the home has brought it, whose From is believed."""


@dataclass(slots=True)
class _Note:
    """What the log is told of a mail."""

    data: bytes
    handled: Handled
    mail: Mail | None = None
    """The mail, once it is read."""

    @property
    def mail_id(self) -> str:
        """The short id of the mail."""
        return self.mail.short_id if self.mail else short_id(self.data)


class Inbound(Struct, frozen=True):
    """Takes mail for the commands address of one home."""

    work: UnitOfWork
    address: str
    authserv_id: str = ""
    """The name in the Authentication-Results of our mail servers; empty if none counts."""

    def take(self, data: bytes, envelope: Envelope) -> Handled:
        """Handle one mail; on return, whatever it leads to is on the disk.

        Raises KeptBySender, and UnreadableMail for a mail that would cost too much to read. Each
        mail is one line in the log, which holds no word of the mail; one that is to be taken again
        has none: that raises NotDerived.
        """
        with self._noted(data) as note:
            found = self._read(data, envelope, note)
            note.handled = (
                found
                if isinstance(found, Handled)
                else self.work.change(found.carry_out, shares=found.shares)
            )
        return note.handled

    async def take_with(self, committer: "Committer", data: bytes, envelope: Envelope) -> Handled:
        """Handle one mail as `take` does, in this thread, and wait for the disk with others."""
        with self._noted(data) as note:
            found = self._read(data, envelope, note)
            if isinstance(found, Handled):
                note.handled = found
            else:
                note.handled = await committer.done(self.work.in_transaction(found.carry_out))
        return note.handled

    @contextmanager
    def _noted(self, data: bytes) -> Iterator["_Note"]:
        """Write a line into the log about the mail that the body handles."""
        received, begun = self.work.now(), time.perf_counter()
        level, note = logging.INFO, _Note(data, Handled(Ending.KEPT, why="the server stops"))
        try:
            yield note
        except NotDerived:
            level = logging.NOTSET
            raise
        except UnreadableMail as error:
            note.handled = Handled(Ending.UNREADABLE, why=str(error))
            error.mail_id = note.mail_id
            raise
        except (OSError, DamagedHistory) as error:
            level, note.handled = logging.ERROR, Handled(Ending.KEPT, why=str(error))
            raise KeptBySender(str(error), note.mail_id) from None
        except Exception as error:
            level, note.handled = logging.ERROR, Handled(Ending.KEPT, why="a fault in the program")
            log.exception("a fault in the program")
            raise KeptBySender("a fault in the program", note.mail_id) from error
        finally:
            milliseconds = (time.perf_counter() - begun) * 1000
            if level:
                note.handled = structs.replace(note.handled, mail_id=note.mail_id)
                log.log(level, "%s", _entry(received, note, milliseconds))

    def _read(self, data: bytes, envelope: Envelope, note: "_Note") -> "Handled | PreparedRequest":
        """Return what became of a mail, or what is to be done about it in a transaction.

        Whatever it costs to read the mail holds up nobody else.
        """
        note.mail = mail = read_mail(data, envelope.sender or "")
        code: Secret | None = None
        claims: list[Claim] = []
        may_end = False
        for recipient in envelope.recipients or mail.recipients:
            tag = tags.parse_tag(recipient, self.address)
            if tag is tags.Robotic.BOUNCES:
                return self._read_bounce(data, recipient, mail.identity)
            if tag is tags.Robotic.UNREAD:
                return silent(Silence.ANSWERS_BROADCAST)
            if isinstance(tag, tags.Echo):
                return self._read_echo(tag, mail)
            if isinstance(tag, Claim):
                claims.append(tag)
                # Programs write the mails that end letters of one sort, so these may be automatic.
                may_end = may_end or tag.ask.topic is Topic.OFF
            elif isinstance(tag, Secret):
                code = code or tag
        robot = automatic_by(mail, envelope.sender, self.address)
        if robot and not may_end:
            return silent(robot)
        if not mail.sender:
            raise UnreadableMail("neither From nor the envelope sender is an address NAME@HOST")
        verdict = Verdict.UNKNOWN
        if envelope.is_of_owner:
            verdict = Verdict.VERIFIED
        elif self.authserv_id and envelope.is_of_mail_server:
            verdict = verdict_of(mail, self.authserv_id)
        ask = None if code else self._ask(mail, claims, verdict)
        if ask and ask.topic is Topic.VERIFY:
            code, ask = self.work.look(partial(code_named, name=ask.about[0])), None
        if robot and not (ask and ask.topic is Topic.OFF):
            return silent(robot)
        if ask and ask.ends_invitations:
            return _keeping_away(ask)
        return prepare(_asked(mail, code, ask, envelope, verdict), self.work.write)

    def _ask(self, mail: Mail, claims: Sequence[Claim], verdict: Verdict) -> Ask | None:
        """Return the ask of the letter of ours that a mail answers, if it proves that.

        `claims` comes from the addresses that it was sent to. Its headers may also name the tagged
        address, if the envelope has lost the tag, or the Message-ID of the letter; they prove it
        only for a mail from an address of the account.
        """
        host = self.address.rpartition("@")[2]
        named: list[Claim] = []
        for recipient in mail.recipients:
            tag = tags.parse_tag(recipient, self.address) if "+" in recipient else None
            if isinstance(tag, Claim):
                named.append(tag)
        likeliest = {"in-reply-to": slice(_MOST_ANSWERED), "references": slice(-1, None)}
        for name, count in likeliest.items():
            said = " ".join(map(header_text, mail.headers[name]))
            named += asks.letters_named(said, host)[count]
        if not (claims or named):
            return None
        with self.work.reading() as on:
            for claim in (*claims, *named):
                if claim.ask.is_of_guest:
                    if ask := self._guest(claim, mail.sender, verdict):
                        return asked_of_player(on, ask, mail.sender) or ask
                elif ask := answer_proved_by(on, claim, mail.sender):
                    if claim in claims:
                        return ask
                    account = on.account(ask.userid)
                    is_from = account.has_address(mail.sender) and verdict is not Verdict.FORGED
                    return ask if is_from else None
        return None

    def _guest(self, claim: Claim, sender: str, verdict: Verdict) -> Ask | None:
        """Return the ask of a letter to somebody without an account, who answers it."""
        if claim.ask.ends_invitations:
            return asks.verified(claim, self.work.home.key(), "")
        is_late = not claim.ask.is_answered_on(self.work.now().date())
        if is_late or verdict is Verdict.FORGED:
            return None
        return asks.verified(claim, self.work.home.key(), sender)

    def _read_bounce(
        self, data: bytes, recipient: str, identity: str
    ) -> "Handled | PreparedRequest":
        """Return what is to be done about a letter of ours that bounced.

        One without an ID has that of the mail.
        """
        from pbm_oust.mail.reports import read_report

        home = self.work.home
        failed = taken_apart(data, lambda message: read_report(message, recipient, home.key()))
        if failed is None:
            return silent(Silence.NO_REPORT)
        address, status, subject = failed.recipient, failed.status, failed.subject
        letter = failed.letter or identity

        def deed(on: Context) -> Handled:
            note_bounce(on.transaction, address, Bounce.of(on.now, status, letter, subject))
            return Handled(Ending.RETURNED)

        return PreparedRequest(deed, shares=False)

    def _read_echo(self, echo: tags.Echo, mail: Mail) -> "Handled | PreparedRequest":
        """Return what is to be done about a mail that comes back to the doctor, or its failure."""
        if not echo.is_proved(self.work.home.key()):
            return silent(Silence.ECHO)
        outcome = KeyOutcome.REFUSED if mail.kind == REPORT else KeyOutcome.DONE

        def deed(on: Context) -> Handled:
            note_key(on.transaction, echo.message_key, outcome, on.now)
            return silent(Silence.ECHO)

        return PreparedRequest(deed, shares=False)


def _keeping_away(ask: Ask) -> PreparedRequest:
    """Return what is to be done about a mail that keeps invitations away: nobody is answered."""

    def deed(on: Context) -> Handled:
        keep_away(on, ask.about[0])
        return Handled(Ending.DONE, command="never")

    return PreparedRequest(deed, shares=False)


def _asked(
    mail: Mail,
    code: Secret | None,
    ask: Ask | None,
    envelope: Envelope,
    verdict: Verdict,
) -> Request:
    """Return what a mail asks for; one to the address of a code brings that code back."""
    reply = None if ask and ask.is_of_guest else ask
    subject = asked_in(next(filter(None, mail.subjects), ""))
    if not (reply and reply.is_on_board) and _is_ours(subject, mail):
        subject = ""
    if ask and not reply and mail.text.strip() and not is_placements(subject):
        line, chat = parted(mail.text)
    elif subject:
        line, chat = subject, mail.text
    elif code or reply:
        line, chat = "", mail.text
    else:
        line, chat = parted(mail.text)
    # The Subject of an answer is usually that of our letter, and no command.
    is_ours = is_of_letter(line) if reply and reply.is_on_board else reply is not None
    fault: UnreadableReason | None = None
    if len(mail.subjects) > 1 and not code:
        fault = SeveralSubjects()
    elif mail.is_text_closed and not code and (is_ours or not line):
        fault = ClosedText()
    return Request(
        line=line,
        chat=chat,
        unsure=mail.unsure,
        left_out=mail.left_out,
        sender=mail.sender,
        source=envelope.source,
        is_verified=verdict is Verdict.VERIFIED,
        doubt=Silence.FORGED if verdict is Verdict.FORGED else doubtful_by(mail),
        mark=marked_by(mail),
        is_of_owner=envelope.is_of_owner,
        identity=mail.identity,
        former=mail.former,
        name=mail.name,
        message_id=mail.message_id,
        language=ask.language if ask and ask.is_of_guest else language_asked(mail.headers),
        reply=reply,
        guest=ask if ask and not reply else None,
        code=code,
        fault=fault,
    )


def _is_ours(subject: str, mail: Mail) -> bool:
    """Return whether a mail answers with the Subject of a letter of ours that is about no board.

    Whoever types such a Subject anew means it.
    """
    is_answer = mail.headers["in-reply-to"] or mail.headers["references"]
    may_be_ours = is_answer or subject not in map(header_text, mail.headers["subject"])
    return may_be_ours and not is_of_letter(subject) and is_own_subject(subject)


def asked_in(subject: str) -> str:
    """Return a Subject without prefixes in languages that nobody here knows: `رد: help`.

    They are one or two words before a colon, in front of what asks for something.
    """
    behind = subject
    for _ in range(_MOST_PREFIXES):
        if isinstance(parse_line(behind)[1], Command):
            return behind
        found = behind_prefix(behind)
        if not found:
            break
        behind = without_prefixes(found)
    is_sure = behind == subject or is_asked(behind) or is_own_subject(behind)
    return behind if is_sure else subject


def envelope_of(
    sender: str | None,
    recipients: Sequence[str],
    source: str = "",
    *,
    is_of_mail_server: bool = False,
    is_of_owner: bool = False,
) -> Envelope:
    """Return an envelope as a mail server writes it, where `<>` is the null sender."""
    sender = "" if sender == "<>" else sender
    return Envelope(sender, tuple(recipients), source, is_of_mail_server, is_of_owner)


def open_inbound(
    home: Home,
    address: str,
    clock: Callable[[], datetime],
    limits: Limits = USUAL_LIMITS,
    authserv_id: str = "",
    passwords: Passwords | None = None,
    web_address: str = "",
) -> Inbound:
    """Return what takes the mail of a home whose commands go to `address`.

    From now on the home writes its letters so: with links to pages, if these are found at
    `web_address`.
    """
    letters = Letters(address, clock, home.key, web_address)
    home.outbox.writer = LetterWriter(home, letters).write
    work = UnitOfWork(home, letters.write, clock, limits, passwords=passwords or Passwords())
    return Inbound(work, address, authserv_id)


def _entry(received: datetime, note: _Note, milliseconds: float) -> LogEntry:
    """Return what the log says of a mail. It holds no address and no word of the mail."""
    handled = note.handled
    return LogEntry(
        received=format_time(received),
        id=handled.mail_id,
        outcome=outcome_text(handled),
        command=handled.command,
        player=handled.player,
        board=handled.board,
        record=handled.record or "",
        bytes=len(note.data),
        ms=round(milliseconds),
        message_id=_harmless_id(note.mail) if note.mail else "",
    )


def _harmless_id(mail: Mail) -> str:
    """Return the Message-ID of a mail; nothing if its sender's address or a token of ours is in it.

    Some mail programs make it from the address, and mail that goes in a circle has one of ours.
    """
    told = mail.message_id
    is_address = bool(mail.sender) and mail.sender.lower() in told.lower()
    return "" if is_address or asks.has_token(told) else told


def not_ours(address: str, own: str) -> str:
    """Return why mail to an address is not taken."""
    return f"{tags.without_tokens(address, MASK)} is not {own}"

"""What the listener does with a mail: who may write to whom, and what its message leads to.

A message is acknowledged when everything it leads to is on the disk. If a fault of ours prevents
that the answer is 451, so that the sender's mail server keeps the message and tries again.
"""

import asyncio
import logging
import re
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from functools import partial

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbm_oust.mail.clients import (
    S250_DONE,
    S250_OK,
    S250_RECIPIENT,
    S451_LATER,
    S452_RECIPIENTS,
    S550_BARE,
    S550_RECIPIENT,
    S553_ADDRESS,
    S553_UTF8,
    Patience,
)
from pbm_oust.mail.delivery import UNKNOWN
from pbm_oust.mail.inbound import Envelope as MailEnvelope
from pbm_oust.mail.inbound import Inbound, KeptBySender, envelope_of, not_ours, takes
from pbm_oust.mail.reading import UnreadableMail
from pbm_oust.mail.session import SmtpSession
from pbm_oust.mail.workers import Committer, Workers
from pbm_oust.play.request import Handled, Outcome, outcome_text
from pbm_oust.play.unit_of_work import NotDerived

log = logging.getLogger("pbm_oust")

LONGEST_ADDRESS = 320
LARGEST_HERE = 32 * 1024
"""The most bytes of a mail that is handled in the thread of the sessions."""
MOST_RECIPIENTS = 5

_BARE = re.compile(rb"\r(?!\n)|(?<!\r)\n|\0")


BOUNDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""The seconds up to which mails are counted together."""


class Counts:
    """What was counted since the server started. It belongs to one thread; others may read."""

    def __init__(self) -> None:
        self.outcomes = Counter[Outcome]()
        self.commands = Counter[str]()
        """Mails by the name of their command."""
        self.waits = [0] * (len(BOUNDS) + 1)
        """How many senders have waited for an answer longer than one bound and at most the next."""
        self.seconds = 0.0
        """How long all of them have waited together."""
        self.swept = time.time()
        """When the latest sweep has ended; before that, when counting began."""

    def note(self, handled: Handled, seconds: float) -> None:
        """Count a mail, and how long its sender has waited for the answer."""
        self.outcomes[handled.outcome] += 1
        self.waits[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds
        if handled.command:
            self.commands[handled.command] += 1

    def note_sweep(self) -> None:
        """Note that a sweep has ended."""
        self.swept = time.time()


class Handler:
    """The hooks of aiosmtpd: which senders and recipients are taken, and what DATA leads to."""

    def __init__(
        self,
        inbound: Inbound,
        workers: Workers,
        after: Callable[[], None],
        counted: Callable[[Handled, float], None] = lambda _handled, _seconds: None,
    ) -> None:
        """`workers` take the mail in; `after` is called when there may be new letters.

        `counted` is told what became of each message, and how many seconds that took.
        """
        self._inbound = inbound
        self._workers = workers
        self._after = after
        self._counted = counted
        self._committer = Committer(inbound.work.home, workers.committing)
        self.at_work: set[asyncio.Future[tuple[str, Handled]]] = set()
        """The messages that are being handled."""

    @property
    def address(self) -> str:
        """The address that mail is taken for."""
        return self._inbound.address

    def use(self, inbound: Inbound) -> None:
        """Take mail this way from now on."""
        self._inbound = inbound

    async def handle_EHLO(
        self,
        server: SmtpSession,
        session: Session,
        envelope: Envelope,
        hostname: str,
        responses: list[str],
    ) -> list[str]:
        """Take a greeting, and announce what aiosmtpd does not know."""
        session.host_name = hostname
        return [*responses[:-1], *(f"250-{each}" for each in server.extensions), responses[-1]]

    async def handle_MAIL(
        self,
        server: SMTP,
        session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        """Take a sender."""
        if len(address) > LONGEST_ADDRESS:
            return S553_ADDRESS
        if not address.isascii() and "SMTPUTF8" not in options:
            return S553_UTF8
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return S250_OK

    async def handle_RCPT(
        self,
        server: SmtpSession,
        session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        """Take the address of the server, also with a +tag, and no other.

        An LMTP transaction has one recipient, because aiosmtpd answers a message once and not for
        each recipient (RFC 2033, section 4.2). The client tries again with the others.
        """
        is_known = not (server.is_of_deliver and address == UNKNOWN)
        if is_known and not takes(address, self.address):
            named = f"550 5.1.1 {not_ours(address, self.address)}"
            return named if server.is_of_deliver else S550_RECIPIENT
        most = 1 if isinstance(server, LMTP) else MOST_RECIPIENTS
        if len(envelope.rcpt_tos) >= most:
            return S452_RECIPIENTS
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return S250_RECIPIENT

    async def handle_DATA(self, server: SmtpSession, session: Session, envelope: Envelope) -> str:
        """Handle a message; a stranger waits for the answer to a wrong password."""
        content = envelope.original_content or b""
        is_known = not (server.is_of_deliver and envelope.mail_from == UNKNOWN)
        sender = (envelope.mail_from or "") if is_known else None
        if not server.is_of_deliver and _BARE.search(content):
            status = S550_BARE
            log.warning("a message is refused: %s", status)
        else:
            told = envelope_of(
                sender,
                [each for each in envelope.rcpt_tos if each != UNKNOWN],
                server.source,
                is_of_mail_server=server.is_of_mail_server,
                is_of_owner=server.is_of_owner,
            )
            status, handled = await self.take(content, told, server.patience)
            if handled.is_guess and server.source:
                await asyncio.sleep(server.patience.wrong_password)
            if server.is_of_deliver and status == S250_DONE:
                status = f"250 2.0.0 {outcome_text(handled)}"
        return status

    async def take(
        self, content: bytes, envelope: MailEnvelope, patience: Patience
    ) -> tuple[str, Handled]:
        """Handle a message to the end, and return the reply and what became of it.

        That goes on if the client goes away. One that has waited for long is told to come again;
        the message is known then.
        """
        origin = envelope.source or envelope.sender or ""
        begun = time.perf_counter()
        work = asyncio.ensure_future(self._work(content, envelope, origin))
        self.at_work.add(work)
        work.add_done_callback(partial(self._count, begun))
        work.add_done_callback(self._finish)
        try:
            return await asyncio.wait_for(asyncio.shield(work), patience.answer)
        except TimeoutError:
            log.warning("a mail is put off: handling it takes longer than %g s", patience.answer)
            return S451_LATER, Handled(Outcome.KEPT)

    async def handle_exception(self, error: Exception) -> str:
        """Log an error of ours, and tell the client only to try again."""
        log.error("failed in a session", exc_info=error)
        return S451_LATER

    async def _work(
        self, content: bytes, envelope: MailEnvelope, origin: str
    ) -> tuple[str, Handled]:
        """Handle a message; return the reply, and what became of it."""
        status = S250_DONE
        try:
            handled = await self._handled(content, envelope, origin)
        except UnreadableMail as error:
            status = f"550 5.6.0 not readable: {error}"
            handled = Handled(Outcome.UNREADABLE)
        except KeptBySender:
            return S451_LATER, Handled(Outcome.KEPT)
        self._workers.note(origin, handled.is_proved)
        return status, handled

    async def _handled(self, content: bytes, envelope: MailEnvelope, origin: str) -> Handled:
        """Let workers handle a message; others hash the passwords that it needs.

        The small mails of those who prove whose they are cost so little that they are handled here,
        unless a server keeps the home, for which they may have to wait.
        """
        is_far = self._inbound.work.home.is_on_server
        is_cheap = len(content) <= LARGEST_HERE and self._workers.is_trusted(origin)
        while True:
            inbound = self._inbound
            try:
                if is_cheap and not is_far:
                    return await inbound.take_with(self._committer, content, envelope)
                take = partial(inbound.take, content, envelope)
                return await asyncio.wrap_future(self._workers.submit(origin, take))
            except NotDerived as password:
                derive = partial(inbound.work.passwords.derive, password.needed)
                await asyncio.wrap_future(self._workers.hash(origin, derive))

    def _count(self, begun: float, work: asyncio.Future[tuple[str, Handled]]) -> None:
        if not (work.cancelled() or work.exception()):
            self._counted(work.result()[1], time.perf_counter() - begun)

    def _finish(self, work: asyncio.Future[tuple[str, Handled]]) -> None:
        self.at_work.discard(work)
        self._after()

"""The handler of the listener: senders, recipients, and the answer to each message.

A message is acknowledged when all its effects are on the disk. If a fault of ours prevents that,
the answer is 451, so that the sender's mail server keeps the message and tries again.
"""

import asyncio
import logging
import re
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from functools import partial

from aiosmtpd import smtp

from pbm_oust.accounts.address import is_same_address
from pbm_oust.mail import clients
from pbm_oust.mail.delivery import UNKNOWN
from pbm_oust.mail.inbound import Envelope, Inbound, KeptBySender, envelope_of, not_ours
from pbm_oust.mail.reading import UnreadableMail, short_id
from pbm_oust.mail.session import Protocol, Session
from pbm_oust.mail.workers import Committer, Workers
from pbm_oust.play.passwords import NotDerived
from pbm_oust.play.request import Ending, Handled, outcome_text
from pbm_oust.store.tallies import Tallies

log = logging.getLogger("pbm_oust")

LONGEST_ADDRESS = 320
LARGEST_HERE = 32 * 1024
"""The most bytes of a mail that is handled in the thread of the sessions."""
MOST_RECIPIENTS = 5

LONGEST_LINE = 8 * 1024
"""The most bytes of a line, with its end."""

_BARE = re.compile(rb"\r(?!\n)|(?<!\r)\n|\0")
_LONG = re.compile(rb"^[^\n]{%d}" % LONGEST_LINE, re.MULTILINE)


BOUNDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""The upper bounds, in seconds, of the classes in which mails are counted."""


class Counts:
    """Counters since the start of the server. They belong to one thread; others may read."""

    def __init__(self) -> None:
        self.outcomes = Counter[Ending]()
        self.commands = Counter[str]()
        """Mails by the name of their command."""
        self.waits = [0] * (len(BOUNDS) + 1)
        """How many senders have waited for an answer longer than one bound and at most the next."""
        self.seconds = 0.0
        """How long all of them have waited together."""
        self.swept = time.time()
        """When the latest sweep has ended; before that, when counting began."""
        self.tallies = Tallies.make()
        """Numbers that the processes beside this one count, too."""

    def note(self, handled: Handled, seconds: float) -> None:
        """Count a mail, and the seconds until its answer."""
        self.outcomes[handled.ending] += 1
        self.waits[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds
        if handled.command:
            self.commands[handled.command] += 1

    def note_sweep(self) -> None:
        """Note the end of a sweep."""
        self.swept = time.time()


class Handler:
    """The hooks of aiosmtpd for senders, recipients and messages."""

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
        self._committer = Committer(inbound.work.home.database, workers.committing)
        self.at_work = set[asyncio.Task[tuple[str, Handled]]]()
        """The messages that are being handled."""

    @property
    def address(self) -> str:
        """The address of the server."""
        return self._inbound.address

    def use(self, inbound: Inbound) -> None:
        """Use this inbound from now on."""
        self._inbound = inbound

    async def handle_EHLO(
        self,
        server: Session,
        session: smtp.Session,
        envelope: smtp.Envelope,
        hostname: str,
        responses: list[str],
    ) -> list[str]:
        """Take a greeting, and announce further extensions. All lines go out as one."""
        session.host_name = hostname
        if server.tls.context and not session.ssl:
            responses.insert(-1, "250-STARTTLS")
        if server.visitor.is_ours:
            responses[-1:-1] = [
                f"250-XCLIENT {clients.CLIENT}",
                f"250-XFORWARD {clients.FORWARDED}",
            ]
        return ["\r\n".join(responses)]

    async def handle_MAIL(
        self,
        server: Session,
        session: smtp.Session,
        envelope: smtp.Envelope,
        address: str,
        options: list[str],
    ) -> str:
        """Take a sender, and begin to count the bytes of a message."""
        if len(address) > LONGEST_ADDRESS:
            return clients.S553_ADDRESS
        if not address.isascii() and "SMTPUTF8" not in options:
            return clients.S553_UTF8
        envelope.mail_from = address
        server.received = 0
        return clients.S250_OK

    async def handle_RCPT(
        self,
        server: Session,
        session: smtp.Session,
        envelope: smtp.Envelope,
        address: str,
        options: list[str],
    ) -> str:
        """Take the address of the server, with or without a +tag, and no other.

        An LMTP transaction has one recipient, because aiosmtpd answers a message once and not for
        each recipient (RFC 2033, section 4.2). The client tries again with the others.
        """
        is_for_deliver = server.protocol is Protocol.DELIVER
        own = self._inbound.address
        if not is_same_address(address, own) and not (is_for_deliver and address == UNKNOWN):
            named = f"550 5.1.1 {not_ours(address, own)}"
            return named if is_for_deliver else clients.S550_RECIPIENT
        if len(envelope.rcpt_tos) >= (1 if server.protocol.is_local else MOST_RECIPIENTS):
            return clients.S452_RECIPIENTS
        envelope.rcpt_tos.append(address)
        return clients.S250_RECIPIENT

    async def handle_DATA(
        self, server: Session, session: smtp.Session, envelope: smtp.Envelope
    ) -> str:
        """Handle a message; a stranger waits for the answer to a wrong password."""
        content = envelope.original_content or b""
        is_of_deliver = server.protocol is Protocol.DELIVER
        if not is_of_deliver and (
            broken := (clients.S500_LONG_LINE if _LONG.search(content) else "")
            or (clients.S550_BARE if _BARE.search(content) else "")
        ):
            broken = f"{broken} id={short_id(content)}"
            log.info("a message is refused: %s", broken)
            return broken
        source = server.limits.stranger(getattr(envelope, "source", server.visitor.source))
        told = envelope_of(
            None if is_of_deliver and envelope.mail_from == UNKNOWN else envelope.mail_from,
            envelope.rcpt_tos if envelope.rcpt_tos != [UNKNOWN] else [],
            source,
            # With XCLIENT, the client of the mail server writes.
            is_of_mail_server=server.visitor.is_ours
            and not (server.speaks_for_client or is_of_deliver),
            is_of_owner=server.protocol is Protocol.OWNER,
        )
        status, handled = await self.take(content, told, server.patience)
        if handled.is_guess and source:
            clients.note_guess("password", str(source))
            await asyncio.sleep(server.patience.wrong_password)
        if status == clients.S250_DONE and is_of_deliver:
            status = f"250 2.0.0 {outcome_text(handled)}"
        return f"{status} id={handled.mail_id}"

    async def handle_exception(self, error: Exception) -> str:
        """Log an error of ours, and tell the client only to try again."""
        log.error("failed in a session", exc_info=error)
        return clients.S451_LATER

    async def take(
        self, content: bytes, envelope: Envelope, patience: clients.Patience
    ) -> tuple[str, Handled]:
        """Handle a message to the end, and return the reply and the outcome.

        It goes on if the client goes away. After a long wait the client is told to come again, when
        the message is known.
        """
        work = asyncio.create_task(self._work(content, envelope))
        self.at_work.add(work)
        work.add_done_callback(partial(self._finish, time.perf_counter()))
        await asyncio.wait([work], timeout=patience.answer)
        if work.done():
            return work.result()
        handled = Handled(Ending.KEPT, mail_id=short_id(content))
        told = "a mail is put off: handling it takes longer than %g s, id=%s"
        log.warning(told, patience.answer, handled.mail_id)
        return clients.S451_LATER, handled

    async def _work(self, content: bytes, envelope: Envelope) -> tuple[str, Handled]:
        """Handle a message in a worker; another worker hashes its passwords.

        A small mail from a proved sender costs so little that it is handled here, unless the home
        is on a server, which may make it wait.
        """
        origin = envelope.source or envelope.sender or ""
        is_cheap = len(content) <= LARGEST_HERE and self._workers.is_trusted(origin)
        is_here = is_cheap and not self._inbound.work.home.is_on_server
        status, handled = clients.S250_DONE, None
        while not handled:
            inbound = self._inbound
            try:
                if is_here:
                    handled = await inbound.take_with(self._committer, content, envelope)
                else:
                    take = partial(inbound.take, content, envelope)
                    handled = await asyncio.wrap_future(self._workers.submit(origin, take))
            except NotDerived as password:
                derive = partial(inbound.work.passwords.derive, password.needed)
                await asyncio.wrap_future(self._workers.hash(origin, derive))
            except UnreadableMail as error:
                status = f"550 5.6.0 not readable: {error}"
                handled = Handled(Ending.UNREADABLE, mail_id=error.mail_id)
            except KeptBySender as kept:
                return clients.S451_LATER, Handled(Ending.KEPT, mail_id=kept.mail_id)
        self._workers.note(origin, handled.is_proved)
        return status, handled

    def _finish(self, begun: float, work: asyncio.Task[tuple[str, Handled]]) -> None:
        self.at_work.discard(work)
        if not (work.cancelled() or work.exception()):
            self._counted(work.result()[1], time.perf_counter() - begun)
        self._after()

"""Sessions: conversations in SMTP and LMTP, with limits on all that a client can send."""

import asyncio
import logging
import re
from collections import Counter
from typing import Any

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import Envelope

from pbm_oust.mail.command_lines import LONGEST_COMMAND, BadLine, parse_command_line
from pbm_oust.mail.connection import Connection
from pbm_oust.mail.content import LONGEST_LINE, Content
from pbm_oust.mail.delivery import LARGEST_MAIL
from pbm_oust.mail.gate import TurnedAway
from pbm_oust.mail.naming import CLIENT, FORWARDED, BadNaming, Named, parse_naming
from pbm_oust.mail.patience import TooSlow
from pbm_oust.mail.replies import (
    S220_TLS,
    S221_BYE,
    S250_NAMED,
    S354_BEGIN,
    S421_IDLE,
    S421_NONSENSE,
    S421_REPEATED,
    S421_SLOW,
    S454_TLS,
    S500_UNKNOWN,
    S501_DATA,
    S501_NAMING,
    S501_QUIT,
    S501_TLS,
    S503_NAMING,
    S503_RECIPIENT,
    S503_TLS,
    S550_NAMING,
)
from pbm_oust.regex import regex

log = logging.getLogger("pbm_oust")

MOST_COMMANDS = 200
"""How often one command may come without a mail."""
MOST_NONSENSE = 5
"""How many lines that are no commands end a session."""

_NOT_OFFERED = {"AUTH"}
_USUAL_PATH = regex(
    r"<((?=[^@]{1,64}@)[\w+=-]+(?:\.[\w+=-]+)*@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*)>(| .*)", re.ASCII
)
"""An address of letters, digits and few signs, which most are; aiosmtpd reads all others."""


class SmtpSession(Connection):
    """An SMTP session."""

    is_of_owner = False
    """Whether whoever owns the home is the client, who is trusted to name senders."""
    is_of_deliver = False
    """Whether `deliver` is the client, which brings mails of strangers as they are."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a session, or end it at once if there are too many."""
        self._nonsense = 0
        self._speaks_for_client = False
        self._obeyed = Counter[str]()
        super().connection_made(transport)

    @property
    def extensions(self) -> list[str]:
        """What EHLO announces besides what aiosmtpd offers."""
        offered = ["STARTTLS"] if self.tls.context and not self.is_secure else []
        if self._may_name_others:
            offered += [f"XCLIENT {CLIENT}", f"XFORWARD {FORWARDED}"]
        return offered

    @property
    def source(self) -> str:
        """The host or network that a message comes from; empty if that is ours."""
        return self.gate.stranger(self.envelope.source)

    @property
    def is_of_mail_server(self) -> bool:
        """Whether one of our own mail servers writes; with XCLIENT its client does."""
        return self._may_name_others and not (self._speaks_for_client or self.is_of_deliver)

    @property
    def _may_name_others(self) -> bool:
        return bool(self.visitor and self.gate.may_name_others(self.visitor))

    def _create_envelope(self) -> Envelope:
        made: Any = super()._create_envelope()
        made.source = self.visitor.source if self.visitor else None
        envelope: Envelope = made
        return envelope

    async def _handle_client(self) -> None:
        """Hold the conversation, in place of aiosmtpd, which takes any bytes as commands."""
        try:
            if self.is_secure_at_once:
                await self.secure()
            else:
                await self.read_proxy()
            await self._greet()
            while not self.transport.is_closing():
                self.expect(S421_IDLE)
                line = await self.incoming.line(LONGEST_COMMAND)
                self.expect_nothing()
                await self._obey(line)
        except (TooSlow, TurnedAway) as error:
            await self.end(str(error))
        except (BadNaming, OSError, EOFError):
            log.debug("a client has gone away, or is no proxy")
        finally:
            self._writer.close()

    async def _greet(self) -> None:
        await self.push(f"220 {self.hostname} {self.__ident__}")

    async def _obey(self, line: bytes) -> None:
        """Carry out a command line and answer it."""
        try:
            command, argument = parse_command_line(line)
            method = getattr(self, f"smtp_{command}", None)
            if method is None or command in _NOT_OFFERED:
                raise BadLine(S500_UNKNOWN)
        except BadLine as error:
            self._nonsense += 1
            if self._nonsense < MOST_NONSENSE:
                await self.push(str(error))
            else:
                await self.end(S421_NONSENSE)
            return
        self._obeyed[command] += 1
        if self._obeyed[command] > MOST_COMMANDS:
            await self.end(S421_REPEATED)
            return
        try:
            await method(argument)
        except (OSError, TooSlow, TurnedAway):
            raise
        except Exception as error:  # noqa: BLE001 - the outermost edge: it is logged
            await self.push(await self.handle_exception(error))

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """Return an address and what follows it; aiosmtpd has no answer to some broken ones."""
        if usual := _USUAL_PATH.fullmatch(arg):
            return usual[1], usual[2]
        try:
            return super()._getaddr(arg)
        except (AttributeError, IndexError, TypeError, ValueError, RecursionError):
            return None, None

    async def smtp_QUIT(self, arg: str | None) -> None:
        """End the session as the client asks."""
        if arg:
            await self.push(S501_QUIT)
        else:
            await self.end(S221_BYE)

    async def smtp_STARTTLS(self, arg: str | None) -> None:
        """Go on with TLS, as if nothing had been said before."""
        if arg:
            await self.push(S501_TLS)
        elif self.is_secure:
            await self.push(S503_TLS)
        elif not self.tls.context:
            await self.push(S454_TLS)
        else:
            await self.secure(S220_TLS)

    async def smtp_XCLIENT(self, arg: str | None) -> None:
        """Begin anew with the client whom a mail server of ours names. Raises TurnedAway."""
        named = await self._read_naming(arg, CLIENT)
        if self.visitor and named:
            self._speaks_for_client = True
            if named.says_where:
                self.gate.take_source(self.visitor, named.source or self.visitor.client)
            self.begin_anew()
            await self._greet()

    async def smtp_XFORWARD(self, arg: str | None) -> None:
        """Take the source of the next message from a mail server of ours."""
        named = await self._read_naming(arg, FORWARDED)
        if self.visitor and named:
            if named.says_where:
                self.envelope.source = named.source or self.visitor.source
            await self.push(S250_NAMED)

    async def _read_naming(self, arg: str | None, names: str) -> Named | None:
        """Return what a mail server of ours says of its client, or tell why nothing is taken."""
        if not self._may_name_others:
            await self.push(S550_NAMING)
        elif self.envelope.mail_from is not None:
            await self.push(S503_NAMING)
        else:
            try:
                return parse_naming(arg, names)
            except BadNaming:
                await self.push(S501_NAMING)
        return None

    async def smtp_MAIL(self, arg: str | None) -> None:
        """Take a sender, and count the bytes of a message from here."""
        is_nested = self.envelope.mail_from is not None
        await super().smtp_MAIL(arg)
        if self.envelope.mail_from is not None and not is_nested:
            self.received = 0

    async def smtp_DATA(self, arg: str | None) -> None:
        """Take a message, and answer it when its end has come."""
        if await self.check_helo_needed():
            return
        if not self.envelope.rcpt_tos:
            await self.push(S503_RECIPIENT)
        elif arg:
            await self.push(S501_DATA)
        else:
            await self.push(S354_BEGIN)
            content = await self._read_content()
            if content.excess:
                status = content.excess.value
                log.warning("a message is refused as it arrives: %s", status)
            else:
                self.envelope.original_content = content.bytes()
                del content
                status = await self._call_handler_hook("DATA")
                self._obeyed.clear()
            self.envelope = self._create_envelope()
            await self.push(status)

    async def _read_content(self) -> Content:
        """Return the message that comes next."""
        content = Content(LARGEST_MAIL if self.is_of_deliver else LONGEST_LINE)
        self.expect(S421_SLOW)
        slowest = self.awaited_until
        while not content.is_over:
            self.incoming.keep(content.take(await self.incoming.block()))
            at_rate = slowest + self.received / self.patience.bytes_a_second
            self.awaited_until = min(self.idle_until(), at_rate)
        self.expect_nothing()
        return content


class SmtpsSession(SmtpSession):
    """An SMTP session that begins with TLS."""

    is_secure_at_once = True


class LmtpSession(SmtpSession, LMTP):
    """An LMTP session with the same limits."""


class OwnerSession(LmtpSession):
    """A session with whoever owns the home, at its own socket."""

    is_of_owner = True


class DeliverSession(LmtpSession):
    """A session with `deliver`, at its own socket. It may not know sender and recipient."""

    is_of_deliver = True

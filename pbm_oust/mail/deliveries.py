"""The mails that `deliver` hands over at a socket of the home: they are strangers' mails."""

import asyncio
import logging

from pbm_oust.mail.gate import Gate, TurnedAway
from pbm_oust.mail.handler import Handler
from pbm_oust.mail.patience import Patience
from pbm_oust.mail.qmqp import (
    LARGEST_REQUEST,
    LATER,
    NEVER,
    TAKEN,
    BadNetstring,
    netstring,
    parse_length,
    parse_request,
)

log = logging.getLogger("pbm_oust")

_LETTERS = {"2": TAKEN, "4": LATER, "5": NEVER}
"""By the first digit of a reply in SMTP."""


class Deliveries:
    """Takes one mail from each client."""

    def __init__(self, handler: Handler, gate: Gate, patience: Patience) -> None:
        self._handler = handler
        self._gate = gate
        self._patience = patience

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a mail and answer it. Who is too slow, or speaks otherwise, hears nothing."""
        try:
            writer.write(netstring(_reply(await self._answer(reader))))
            await writer.drain()
        except (BadNetstring, EOFError, OSError, asyncio.LimitOverrunError):
            log.debug("a client has gone away, or is not deliver")
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> str:
        """Return the reply to a mail, in the words of SMTP."""
        try:
            visitor = self._gate.admit(None)
        except TurnedAway as refusal:
            return str(refusal)
        try:
            async with asyncio.timeout(self._patience.idle):
                inside = await _netstring(reader)
            return await self._handler.take_delivered(parse_request(inside))
        finally:
            self._gate.leave(visitor)


async def _netstring(reader: asyncio.StreamReader) -> bytes:
    """Return what is in the netstring that comes next. Raises BadNetstring, EOFError."""
    length = parse_length((await reader.readuntil(b":"))[:-1])
    if length > LARGEST_REQUEST:
        raise BadNetstring("the request is too large")
    return (await reader.readexactly(length + 1))[:-1]


def _reply(status: str) -> bytes:
    """Return a reply of SMTP as one of QMQP."""
    return f"{_LETTERS[status[0]]}{status[4:]}".encode()

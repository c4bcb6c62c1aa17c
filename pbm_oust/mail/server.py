"""The running server: listeners, the workers behind them, and the way to the relay."""

import asyncio
import logging
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from pbm_oust.config import Configuration, Endpoint
from pbm_oust.mail.intake import Intake
from pbm_oust.mail.listener import Handler, LmtpSession, SmtpSession, bound_endpoint, listen
from pbm_oust.mail.relaying import Relaying

log = logging.getLogger("pbm_oust")

WORKERS = 4
RETRY_SECONDS = 60
"""How long after a flush of the outbox the next one comes by itself."""
STOP_SECONDS = 8
"""How long messages that are being handled may take when the server is told to stop."""


@dataclass(slots=True)
class Server:
    """A server for one home. `ready` is called with the endpoints when it listens."""

    intake: Intake
    configuration: Configuration
    ready: Callable[[list[Endpoint]], None]
    _due: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT. Raises CannotListen."""
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        with ThreadPoolExecutor(WORKERS, "worker") as workers:
            handler = Handler(self.intake, workers, self._due.set)
            listeners = await self._listen(handler)
            self.ready([bound_endpoint(*each) for each in listeners])
            sending = loop.create_task(self._send())
            await stop.wait()
            for server, _ in listeners:
                server.close()
            if handler.at_work:
                await asyncio.wait(set(handler.at_work), timeout=STOP_SECONDS)
            sending.cancel()
        log.info("stopped")

    async def _listen(self, handler: Handler) -> list[tuple[asyncio.Server, Endpoint]]:
        listeners = []
        for endpoint, protocol in (
            (self.configuration.smtp, SmtpSession),
            (self.configuration.lmtp, LmtpSession),
        ):
            if endpoint:
                listeners.append((await listen(endpoint, protocol, handler), endpoint))
        return listeners

    async def _send(self) -> None:
        """Flush the outbox when letters came about, and from time to time."""
        relay = self.configuration.relay
        if relay is None:
            return
        relaying = Relaying(self.intake.desk.home, relay, self.intake.address, time.time)
        while True:
            self._due.clear()
            try:
                flushed = await asyncio.to_thread(relaying.flush)
                if flushed.sent:
                    log.info("relayed %d letters", flushed.sent)
            except OSError as error:
                log.warning("relay %s: %s", relay, error)
            except Exception:
                log.exception("relay %s: a fault in the program", relay)
            try:
                await asyncio.wait_for(self._due.wait(), RETRY_SECONDS)
            except TimeoutError:
                continue

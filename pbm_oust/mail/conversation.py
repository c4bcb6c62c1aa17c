"""A conversation with the relay: one letter after the other, over one connection (RFC 5321).

If the relay offers PIPELINING (RFC 2920), all that precedes a letter leaves at once.
"""

import smtplib
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pbm_oust.accounts.bounces import STATUS, status_of
from pbm_oust.frozen import frozen
from pbm_oust.store.configuration import Endpoint

PATIENCE = 60.0
"""Seconds that a relay may take to answer."""
FAREWELL = 1.0
"""Seconds that its answer to our goodbye may take."""
HOLD_UP = 0.5
"""Seconds that a recipient may hold up others."""
_LOOK = 0.05
"""How often within these it is asked whether there are others."""
_LONGEST_REPLY = 64 * 1024


class Stalled(Exception):
    """The relay takes long over a recipient while others wait. It has no letter."""


@frozen
class Refused:
    """Why a letter was not accepted."""

    reason: str
    is_permanent: bool
    status: str = "5.0.0"
    """The reason as in RFC 3463."""
    is_about_us: bool = False
    """Whether the relay objects to us, and not to the recipient."""


@frozen
class Reply:
    """What the relay says to a command."""

    code: int
    text: str

    def refused(self, *, is_about_us: bool = False) -> Refused:
        """Return the reply as a reason; what the relay has against us is never permanent."""
        status, said = STATUS.match(self.text), f"{self.code} {self.text}"
        return Refused(
            said,
            self.code >= 500 and not is_about_us,
            status_of(status[0] if status else f"{self.code // 100}.0.0", said),
            is_about_us,
        )


@contextmanager
def connected(relay: Endpoint, address: str) -> Iterator[smtplib.SMTP]:
    """Greet a relay for the body of the `with`. Raises OSError if it does not answer."""
    host = address.rpartition("@")[2]
    smtp = smtplib.SMTP(relay.host, relay.port, local_hostname=host, timeout=PATIENCE)
    try:
        smtp.ehlo_or_helo_if_needed()
        yield smtp
    finally:
        if smtp.sock:
            with suppress(OSError):
                smtp.sock.settimeout(FAREWELL)
                smtp.quit()  # whatever the relay says to that, it has what it accepted
        smtp.close()


class Conversation:
    """A conversation with a relay that has been greeted."""

    def __init__(self, smtp: smtplib.SMTP) -> None:
        self._smtp = smtp
        self._said = b""
        self.takes_utf8 = smtp.has_extn("smtputf8")
        self._takes_pipelines = smtp.has_extn("pipelining")
        self._takes_size = smtp.has_extn("size")

    @property
    def is_open(self) -> bool:
        """Whether the relay still listens; smtplib forgets the socket if it does not."""
        return getattr(self._smtp, "sock", None) is not None

    def close(self) -> None:
        """Go away without a word."""
        self._smtp.close()

    def hand_over(
        self,
        sender: str,
        recipient: str,
        letter: bytes,
        options: list[str],
        is_waited_for: Callable[[], bool],
    ) -> Refused | None:
        """Hand over a letter, and return None or why it was not accepted.

        Raises Stalled if the relay takes long over the recipient while `is_waited_for`, and
        OSError if the relay goes away; then the conversation is over.
        """
        with self._closed_by_error():
            told = [*options, f"SIZE={len(letter)}"] if self._takes_size else options
            begun = " ".join([f"MAIL FROM:{smtplib.quoteaddr(sender)}", *told])
            commands = [begun, f"RCPT TO:{smtplib.quoteaddr(recipient)}", "DATA"]
            if self._takes_pipelines:
                self._say(*commands)
            refused, reply = None, Reply(0, "")
            for command in commands:
                if not self._takes_pipelines:
                    self._say(command)
                reply = self._reply(is_waited_for if command is commands[1] else None)
                is_fine = reply.code == 354 if command == "DATA" else reply.code in (250, 251)
                if not is_fine and not refused:
                    refused = reply.refused(is_about_us=command is begun)
                    if not self._takes_pipelines:
                        break
            if refused:
                self._forget(is_awaited=reply.code == 354)
                return refused
            self._send(_stuffed(letter))
            reply = self._reply()
            if reply.code == 250:
                return None
            self._forget()
            return reply.refused()

    @contextmanager
    def _closed_by_error(self) -> Iterator[None]:
        """Let the conversation be over if the body fails."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _forget(self, *, is_awaited: bool = False) -> None:
        """Let the relay forget a letter; if it awaits one without a recipient, that is empty."""
        with suppress(OSError):
            if not self.is_open:
                return
            if is_awaited:
                self._send(b".\r\n")
                self._reply()
            if self.is_open:
                self._say("RSET")
                self._reply()

    def _say(self, *lines: str) -> None:
        self._send("".join(f"{line}\r\n" for line in lines).encode())

    def _send(self, data: bytes) -> None:
        self._socket.settimeout(PATIENCE)
        self._socket.sendall(data)

    def _reply(self, is_waited_for: Callable[[], bool] | None = None) -> Reply:
        """Return the next reply; with 421 the relay says goodbye."""
        texts = list[str]()
        while True:
            line = self._line(is_waited_for).decode("utf-8", "replace")
            texts.append(line[4:].strip())
            if not line[:3].isdecimal():
                raise smtplib.SMTPServerDisconnected(f"the relay does not speak SMTP: {line!r}")
            if line[3:4] != "-":
                break
        reply = Reply(int(line[:3]), "\n".join(texts))
        if reply.code == 421:
            self.close()
        return reply

    def _line(self, is_waited_for: Callable[[], bool] | None) -> bytes:
        """Return the next line that the relay says. Raises Stalled, TimeoutError and OSError."""
        begun = time.monotonic()
        while b"\n" not in self._said:
            if len(self._said) > _LONGEST_REPLY:
                raise smtplib.SMTPServerDisconnected("the relay does not stop talking")
            self._socket.settimeout(_LOOK if is_waited_for else PATIENCE)
            try:
                more = self._socket.recv(4096)
            except TimeoutError:
                waited = time.monotonic() - begun
                if is_waited_for and waited > HOLD_UP and is_waited_for():
                    raise Stalled from None
                if waited > PATIENCE or not is_waited_for:
                    raise
                continue
            if not more:
                raise smtplib.SMTPServerDisconnected("the relay has gone away")
            self._said += more
        line, _, self._said = self._said.partition(b"\n")
        return line

    @property
    def _socket(self) -> socket.socket:
        found: socket.socket | None = getattr(self._smtp, "sock", None)
        if found is None:
            raise smtplib.SMTPServerDisconnected("the relay has gone away")
        return found


def _stuffed(letter: bytes) -> bytes:
    """Return a letter as DATA takes it, with its end (RFC 5321, section 4.5.2)."""
    ended = letter if letter.endswith(b"\r\n") else letter + b"\r\n"
    begun = b"." + ended if ended.startswith(b".") else ended
    return begun.replace(b"\r\n.", b"\r\n..") + b".\r\n"

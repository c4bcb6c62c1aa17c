"""A relay: the mail server that takes our letters, greeted and spoken to in SMTP (RFC 5321)."""

import smtplib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct

from pbm_oust.accounts.bounces import STATUS, status_of
from pbm_oust.store.configuration import Endpoint

PATIENCE = 60.0
"""Seconds that a relay may take to answer."""
FAREWELL = 1.0
"""Seconds that its answer to our goodbye may take."""


class Lost(OSError):
    """The relay has gone away over a letter, or says that it does: it may be tried once more."""


class RelayRefusal(Struct, frozen=True):
    """Why a letter was not accepted."""

    reason: str
    is_permanent: bool
    status: str = "5.0.0"
    """The reason as in RFC 3463."""
    is_about_us: bool = False
    """Whether the relay objects to us, and not to the recipient."""


Reply = RelayRefusal | str
"""The answer of a relay to a letter: its words when it accepts it, or why it does not."""
Step = tuple[str, tuple[int, ...]]
"""A command of SMTP, and the codes of replies that lead on."""


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


def transmit(
    smtp: smtplib.SMTP, sender: str, recipient: str, letter: bytes, options: list[str]
) -> Reply:
    """Hand a letter to a relay that was greeted, and return its reply.

    Most relays say in which queue the letter is: `2.0.0 Ok: queued as 4C1F2`.

    What the relay has against us is never permanent. Raises Lost if it goes away, or speaks
    otherwise; the connection is closed then, as it is after a reply that takes too long.
    """
    # What smtplib itself does to addresses, and to dots, takes longer than all that is done here.
    smtp.command_encoding = "utf-8" if options else "ascii"
    if smtp.has_extn("size"):
        options = [f"size={len(letter)}", *options]
    stuffed = letter.replace(b"\n.", b"\n..").removesuffix(b"\r\n") + b"\r\n.\r\n"
    stuffed = b"." + stuffed if stuffed.startswith(b".") else stuffed
    introduction = " ".join((f"mail FROM:<{sender}>", *options))
    steps = (introduction, (250,)), (f"rcpt TO:<{recipient}>", (250, 251)), ("data", (354,))
    try:
        command, code, text = _led_to(smtp, steps)
        if (command, code) == ("data", 354):
            smtp.send(stuffed)
            code, text = smtp.getreply()
            if code == 250:
                return text.decode("utf-8", "replace")
    except OSError as error:
        smtp.close()
        reason = f"{type(error).__name__}: {error}"
        if isinstance(error.__context__, TimeoutError):
            return RelayRefusal(reason, is_permanent=False)
        raise Lost(reason) from error
    words = text.decode("utf-8", "replace")
    said = f"{code} {words}"
    if not 400 <= code < 600 or code == 421:
        smtp.close()
    else:
        with suppress(OSError):
            smtp.rset()
    if not smtp.sock:
        raise Lost(said)
    found = STATUS.match(words)
    status = status_of(found[0] if found else f"{code // 100}.0.0", said)
    is_about_us = command == introduction
    return RelayRefusal(said, code >= 500 and not is_about_us, status, is_about_us)


def _led_to(smtp: smtplib.SMTP, steps: Sequence[Step]) -> tuple[str, int, bytes]:
    """Take the steps to a letter; return the one that went wrong, or else the last, with its reply.

    A relay that lets us hears all of them at once, and each is answered (RFC 2920, section 3.1).
    Raises OSError.
    """
    is_at_once = smtp.has_extn("pipelining")
    if is_at_once:
        smtp.send("".join(f"{command}\r\n" for command, _ in steps))
    wrong: tuple[str, int, bytes] | None = None
    for command, right in steps:
        code, text = smtp.getreply() if is_at_once else smtp.docmd(command)
        if code not in right:
            wrong = wrong or (command, code, text)
            if not is_at_once or not 400 <= code < 600 or code == 421:
                return wrong
    if wrong and code == 354:
        smtp.docmd(".")  # it goes to nobody
    return wrong or (command, code, text)

"""A message is the same in whatever blocks it arrives, and ends at one place only."""

import asyncio
import re
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.clients import S552_LARGE, ConnectionLimits, Patience
from pbm_oust.mail.reading import short_id
from pbm_oust.mail.session import MOST_COMMANDS, MOST_UNHEARD, Protocol, Session
from pbm_oust.mail.tls import Tls

END = b"\r\n.\r\n"
PIECES = [b"\r\n", b".", b"\r", b"\n", b"..", b"x", END, b"\r\n..\r\n", b"\n.\n", b"\r.\r"]
LINE = b"x" * 98 + b"\r\n"
OPENING = b"HELO x\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<b@example.org>\r\nDATA\r\n"


class Keeping:
    """Keeps the messages that come."""

    address = "pbmserv@example.org"

    def __init__(self) -> None:
        self.kept = list[bytes]()

    async def handle_DATA(self, server: Session, session: Any, envelope: Any) -> str:
        self.kept.append(envelope.original_content)
        return "250 kept"


class Wire(asyncio.Transport):
    """A connection that notes what is said."""

    said = b""
    is_closed = False

    def write(self, data: Any) -> None:
        self.said += data

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True


class Deaf(Wire):
    """A client that reads nothing."""

    def get_write_buffer_size(self) -> int:
        return len(self.said)

    def abort(self) -> None:
        self.is_closed = True


def arriving(data: bytes, sizes: list[int]) -> tuple[list[bytes], list[bytes]]:
    """Return the messages of a client that sends some bytes in blocks of these sizes in turn.

    The second is the replies to what it sends behind a HELO, MAIL, RCPT and DATA of its own.
    """

    async def arrive() -> tuple[list[bytes], list[bytes]]:
        handler, wire = Keeping(), Wire()
        session = Session(handler, Protocol.SMTP, ConnectionLimits(), Patience(), Tls())
        session.connection_made(wire)
        session.data_received(OPENING)
        begin, turn = 0, 0
        while begin < len(data):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            size = sizes[turn % len(sizes)]
            session.data_received(data[begin : begin + size])
            begin, turn = begin + size, turn + 1
        session.eof_received()
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
        return handler.kept, wire.said.splitlines()[5:]

    return asyncio.run(arrive())


def test_a_client_that_reads_no_replies_is_cut_off() -> None:
    async def ask() -> Deaf:
        wire = Deaf()
        session = Session(Keeping(), Protocol.SMTP, ConnectionLimits(), Patience(), Tls())
        session.connection_made(wire)
        session.data_received(b"EHLO x\r\n" * MOST_COMMANDS + b"HELP\r\n" * MOST_COMMANDS)
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
        return wire

    wire = asyncio.run(ask())
    assert wire.is_closed
    assert MOST_UNHEARD < len(wire.said) < MOST_UNHEARD + 1000


def as_defined(data: bytes) -> list[bytes]:
    """Return the message that ends first, line by line as RFC 5321 has it, if one does."""
    lines: list[bytes] = []
    for line in re.findall(rb".*?\r\n", data, re.DOTALL):
        if line == b".\r\n":
            return [b"".join(lines)]
        lines.append(line.removeprefix(b"."))
    return []


@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join),
    st.lists(st.integers(1, 7), min_size=1, max_size=5),
)
def test_blocks_make_no_difference(data: bytes, sizes: list[int]) -> None:
    assert arriving(data, sizes)[0] == as_defined(data)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("excess", [0, 1, LARGEST_MAIL // 2])
def test_what_is_too_much_is_not_kept_and_its_end_is_found(excess: int, seed: int) -> None:
    random = Random(seed)
    sizes = [random.choice((1, 2, 3, 500, 9000, 65536)) for _ in range(9)]
    size = LARGEST_MAIL + excess
    data = (LINE * (size // len(LINE) + 1))[-size:]
    kept, replies = arriving(data + b".\r\nNOOP\r\n", sizes)
    large = f"{S552_LARGE} id={short_id(data)}"
    assert kept == ([] if excess else [data])
    assert replies == [large.encode() if excess else b"250 kept", b"250 OK"]

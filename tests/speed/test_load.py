"""What is put off is sent again, in the order of its board; what is refused for good is not."""

import asyncio
from collections import deque

import pytest

from tests.speed.load import MOST_TRIES, Load, Message, send

MAILS = ("first", "second", "third")


async def sent(replies: dict[int, bytes], connections: int = 1) -> tuple[Load, list[str]]:
    """Send the mails of a board to a server that answers some of its tries so, and others 250.

    Return what became of it, and the mails that were taken, in order.
    """
    taken, tries = list[str](), 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal tries
        writer.write(b"220 here\r\n")
        while line := await reader.readline():
            if line != b"DATA\r\n":
                writer.write(b"250 OK\r\n")
                continue
            writer.write(b"354 go on\r\n")
            content = await reader.readuntil(b"\r\n.\r\n")
            reply = replies.get(tries, b"250 done\r\n")
            tries += 1
            if reply.startswith(b"250"):
                taken.append(content.decode().split("\r\n")[0])
            writer.write(reply)
            if not reply:
                break
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        board = deque(Message("a@x.example", "b@x.example", f"{each}\r\n.\r\n") for each in MAILS)
        load = Load(port, 10, deque([board]), pause=0)
        await send(load, connections)
    return load, taken


@pytest.mark.parametrize("reply", [b"451 later\r\n", b"421 busy\r\n", b""])
def test_what_is_put_off_is_sent_again(reply: bytes) -> None:
    load, taken = asyncio.run(sent({0: reply, 2: reply, 3: reply}))
    assert taken == [*MAILS]
    assert (load.put_off, load.refused, len(load.waits)) == (3, [], 3)


def test_what_is_refused_for_good_is_told() -> None:
    load, taken = asyncio.run(sent({1: b"550 no\r\n"}))
    assert taken == ["first", "third"]
    assert load.refused == ["550 no\r\n"]


def test_a_server_that_puts_everything_off_ends_it() -> None:
    load, taken = asyncio.run(sent(dict.fromkeys(range(100), b"451 later\r\n")))
    assert not taken
    assert load.refused == [f"{MOST_TRIES} times: 451 later"]

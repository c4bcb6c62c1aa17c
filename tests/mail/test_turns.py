"""No client keeps the others waiting, however much it has sent at once."""

import asyncio

from pbm_oust.mail.content import Content
from pbm_oust.mail.patience import Patience
from pbm_oust.mail.session import LINES_IN_A_ROW, SmtpSession

TURNS = 5


async def turns_while_reading(lines: int) -> tuple[Content, int]:
    """Return a message of so many lines that is there at once, and the turns that others had."""
    loop = asyncio.get_running_loop()
    session = SmtpSession(object(), loop=loop)
    session.patience, session.began = Patience(), loop.time()
    reader = session._strong_reader  # type: ignore[attr-defined]  # asyncio's own
    session._reader = reader
    reader.feed_data(b"x\r\n" * lines + b".\r\n")
    reading = asyncio.create_task(session._read_content())
    turns = 0
    while not reading.done():
        await asyncio.sleep(0)
        turns += 1
    return reading.result(), turns


def test_others_have_their_turn_while_a_long_message_is_read() -> None:
    content, turns = asyncio.run(turns_while_reading(TURNS * LINES_IN_A_ROW))
    assert content.bytes() == b"x\r\n" * TURNS * LINES_IN_A_ROW
    assert turns >= TURNS

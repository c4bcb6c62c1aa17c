"""Lines that are no commands: refused at once, for good, and without a word in the log."""

import logging
import socket
from pathlib import Path

import pytest

from pbm_oust.mail.clients import S421_NONSENSE, S500_LONG, S500_SYNTAX
from tests.support.tables import pairs, unescaped
from tests.support.waiting import PATIENCE

HERE = Path(__file__).parent
LINES = pairs(HERE / "command_lines.txt")
LONG = [(f"NOOP {'x' * length}\r\n", S500_LONG) for length in (1020, 100_000)]
ODD = [
    *map(unescaped, (HERE / "odd_addresses.txt").read_text().splitlines()),
    *(f"<a@b> SIZE={'9' * 900}", f"<{'(' * 1000}", f"<{'@a,' * 300}:a@b>"),
]


def replies(port: int, *lines: str) -> list[str]:
    """Send bytes one line after another behind a greeting, and return what is answered to each."""
    found = []
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client, client.makefile() as at:
        assert at.readline().startswith("220")
        for line in ("EHLO x\r\n", *lines):
            client.sendall(line.encode("latin-1"))
            while (reply := at.readline())[3:4] == "-":
                pass
            found.append(reply.rstrip())
    return found[1:]


@pytest.mark.parametrize(("line", "reply"), [*LINES, *LONG])
def test_a_line_that_is_no_command_is_answered_at_once(port: int, line: str, reply: str) -> None:
    assert replies(port, line, "NOOP\r\n") == [reply, "250 OK"]


@pytest.mark.parametrize("word", ["MAIL FROM:", "RCPT TO:", "VRFY ", "HELO ", "HELP "])
def test_no_bytes_of_a_client_are_a_fault_of_ours(
    port: int, word: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    begun = ["MAIL FROM:<a@example.org>\r\n"] if word.startswith("RCPT") else []
    for odd in ODD:
        (*_, reply) = replies(port, *begun, f"{word}{odd}\r\n")
        assert reply[0] in "25", odd
    assert caplog.records == []


def test_lines_that_are_no_commands_end_a_session_that_has_many(port: int) -> None:
    assert replies(port, *["\r\n"] * 5)[-2:] == [S500_SYNTAX, S421_NONSENSE]

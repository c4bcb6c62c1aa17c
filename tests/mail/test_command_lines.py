"""Lines that are no commands: refused at once, for good, and without a word in the log."""

import logging
import socket

import pytest

from pbm_oust.mail.clients import (
    S421_NONSENSE,
    S500_ASCII,
    S500_BARE,
    S500_LONG,
    S500_SYNTAX,
    S500_UNKNOWN,
    S553_UTF8,
)
from tests.support.listening import ADDRESS
from tests.support.waiting import PATIENCE

FOREIGN = "jürgen@example.org".encode()


def replies(port: int, *lines: bytes) -> list[str]:
    """Send lines one after another behind a greeting, and return what is answered to each."""
    found = []
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client, client.makefile() as at:
        assert at.readline().startswith("220")
        for line in (b"EHLO x\r\n", *lines):
            client.sendall(line)
            while (reply := at.readline())[3:4] == "-":
                pass
            found.append(reply.rstrip())
    return found[1:]


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        (b"NOOP\n", S500_BARE),
        (b"\n", S500_BARE),
        (b"NOOP\r\r\n", S500_BARE),
        (b"NOOP\rNOOP\r\n", S500_BARE),
        (b"NOOP \0\r\n", S500_BARE),
        (b"MAIL FROM:<a\0@example.org>\r\n", S500_BARE),
        (b"MAIL FROM:<\xff\xfe@x>\r\n", S500_ASCII),
        (b"MAIL FROM:<\xff\xfe@x> SMTPUTF8\r\n", S500_ASCII),
        (b"MAIL FROM:<a@x> SIZE=\xc2\xb2\r\n", S500_ASCII),
        (b"MAIL FROM:" + FOREIGN + b"\r\n", S500_ASCII),
        (b"MAIL FROM:<" + FOREIGN + b">\r\n", S553_UTF8),
        (b"MAIL FROM:<" + FOREIGN + b"> SMTPUTF8\r\n", "250 2.1.0 OK"),
        (b"HELO \xc3\xbc\r\n", S500_ASCII),
        (b"VRFY \xff\r\n", S500_ASCII),
        (b"NOOP \xc3\xbc\r\n", S500_ASCII),
        (b"N\xc3\x96\xc3\x96P\r\n", S500_SYNTAX),
        (b"\r\n", S500_SYNTAX),
        (b" NOOP\r\n", S500_SYNTAX),
        (b"\x16\x03\x01\x02\r\n", S500_SYNTAX),
        (b"GET / HTTP/1.1\r\n", S500_UNKNOWN),
        (b"NOOP " + b"x" * 1020 + b"\r\n", S500_LONG),
        (b"NOOP " + b"x" * 100_000 + b"\r\n", S500_LONG),
    ],
)
def test_a_line_that_is_no_command_is_answered_at_once(port: int, line: bytes, reply: str) -> None:
    assert replies(port, line, b"NOOP\r\n") == [reply, "250 OK"]


ODD = [
    b"",
    b"<",
    b">",
    b"<>",
    b"<<>>",
    b"<a",
    b'<"',
    b'<"a"@',
    b"<@",
    b"<@a:",
    b"<a@[",
    b"<a@[1",
    b"<(((((((((",
    b"<a@b>(",
    b"<a@b> =",
    b"<a@b> SIZE=",
    b"<a@b> SIZE=-1",
    b"<a@b> BODY=9",
    b"<a@b> SIZE=" + b"9" * 900,
    b"<\xe2\x80\xa8@\xe2\x80\xae> SMTPUTF8",
    b"<=?utf-8?q?=00?=@b>",
    b"<" + b"(" * 1000,
    b"<" + b"@a," * 300 + b":a@b>",
    b"<a@b\x01\x02\x1b>",
    b",",
    b";:",
]


@pytest.mark.parametrize("word", [b"MAIL FROM:", b"RCPT TO:", b"VRFY ", b"HELO ", b"HELP "])
def test_no_bytes_of_a_client_are_a_fault_of_ours(
    port: int, word: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    begun = [b"MAIL FROM:<a@example.org>\r\n"] if word.startswith(b"RCPT") else []
    for odd in ODD:
        (*_, reply) = replies(port, *begun, word + odd + b"\r\n")
        assert reply[0] in "25", odd
    assert caplog.records == []


def test_lines_that_are_no_commands_end_a_session_that_has_many(port: int) -> None:
    assert replies(port, *[b"\r\n"] * 5)[-2:] == [S500_SYNTAX, S421_NONSENSE]


def test_commands_hidden_behind_a_bare_line_feed_are_not_carried_out(port: int) -> None:
    line = f"NOOP\nMAIL FROM:<a@example.org>\nRCPT TO:<{ADDRESS}>\r\n".encode()
    assert replies(port, line) == [S500_BARE]
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client, client.makefile() as at:
        client.sendall(b"HELO x\r\n" + line + b"QUIT\r\n")
        assert [reply[:3] for reply in at] == ["220", "250", "500", "500", "503", "221"]

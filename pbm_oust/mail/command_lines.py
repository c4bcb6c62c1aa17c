"""Command lines of SMTP: what bytes they may hold, and their two parts. Pure."""

from pbm_oust.mail.replies import S500_ASCII, S500_BARE, S500_LONG, S500_SYNTAX

LONGEST_COMMAND = 1024
"""RFC 5321 says 512, and extensions add to it (section 4.5.3.1.4)."""

_WITH_ADDRESS = ("MAIL", "RCPT")


class BadLine(ValueError):
    """A line is no command; the message is the reply."""


def parse_command_line(line: bytes) -> tuple[str, str | None]:
    """Return a command in capitals and what follows it. Raises BadLine.

    A line ends with CR LF. It is ASCII, but for addresses, which may be UTF-8 (RFC 6531).
    """
    if len(line) > LONGEST_COMMAND:
        raise BadLine(S500_LONG)
    text = line.removesuffix(b"\r\n")
    if text == line or any(bad in text for bad in (b"\r", b"\n", b"\0")):
        raise BadLine(S500_BARE)
    word, _, rest = text.partition(b" ")
    if not (word.isascii() and word.isalpha()):
        raise BadLine(S500_SYNTAX)
    command = word.upper().decode()
    if not rest.isascii() and (
        command not in _WITH_ADDRESS or not rest.rpartition(b">")[2].isascii()
    ):
        raise BadLine(S500_ASCII)
    try:
        return command, rest.decode().strip() or None
    except UnicodeDecodeError:
        raise BadLine(S500_ASCII) from None

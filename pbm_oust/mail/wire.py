"""What clients send: command lines, and the bytes of a message as they arrive. Pure."""

from dataclasses import dataclass, field
from enum import Enum

from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.clients import S500_ASCII, S500_BARE, S500_LONG, S500_SYNTAX
from pbm_oust.mail.reading.limits import MOST_LINES

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


LONGEST_LINE = 8 * 1024

_END = b"\r\n.\r\n"


class Excess(Enum):
    """Why a message is not taken, as the answer at its end says it."""

    LONG_LINE = "500 Line too long (see RFC5321 4.5.3.1.6)"
    MUCH_DATA = "552 Error: Too much mail data"
    MANY_LINES = f"550 5.6.0 not readable: there are more than {MOST_LINES} lines"


@dataclass(slots=True)
class Content:
    """A message that arrives in blocks; of one with an excess nothing is kept but its end sought.

    It ends with a dot alone between two CR LF, and nowhere else (RFC 5321, section 4.1.1.4).
    Bytes and lines are bounded as `within_limits` bounds them later, so that nobody can make us
    hold more than that.
    """

    longest_line: int = LONGEST_LINE
    excess: Excess | None = None
    is_over: bool = False
    """Whether the end has come."""
    _data: bytearray = field(default_factory=lambda: bytearray(b"\r\n"))
    """Behind the end of the line before; with an excess only the last bytes."""
    _looked_at: int = 2
    """The end of the last whole line that was looked at."""
    _lines: int = 0

    def take(self, block: bytes) -> bytes:
        """Take what belongs to the message from a block; return what does not."""
        seen = max(len(self._data) - len(_END) + 1, 0)
        self._data += block
        end = self._data.find(_END, seen)
        rest = b""
        if end >= 0:
            self.is_over = True
            rest = bytes(self._data[end + len(_END) :])
            del self._data[end + 2 :]
        if not self.excess:
            self._look_at_lines()
        if self.excess:
            del self._data[: 1 - len(_END)]
        return rest

    def bytes(self) -> bytes:
        """Return the message; lines with a dot in front lose it (RFC 5321, section 4.5.2)."""
        return bytes(self._data.replace(b"\r\n.", b"\r\n")[2:])

    def _look_at_lines(self) -> None:
        """Look at the lines that are whole now, and at how long an unfinished one is."""
        data, begin = self._data, self._looked_at
        self._looked_at = end = data.rfind(b"\r\n", begin - 2) + 2
        self._lines += data.count(b"\r\n", begin, end)
        if self._has_long_line(begin):
            self.excess = self.excess or Excess.LONG_LINE
        elif self._lines > MOST_LINES:
            self.excess = self.excess or Excess.MANY_LINES
        elif end - 2 > LARGEST_MAIL:
            self.excess = self.excess or Excess.MUCH_DATA

    def _has_long_line(self, begin: int) -> bool:
        """Return whether a line is too long with its end, from the beginning of one on."""
        data = self._data
        while len(data) - begin > self.longest_line:
            begin = data.rfind(b"\r\n", begin, begin + self.longest_line) + 2
            if begin < 2:
                return True
        return False

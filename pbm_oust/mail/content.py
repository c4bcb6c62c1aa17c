"""The bytes of one message as they arrive: one buffer, with its bytes and lines counted."""

from dataclasses import dataclass, field
from enum import Enum

from pbm_oust.mail.reading.limits import LARGEST_HEADERS, LARGEST_MAIL, MOST_LINES

LONGEST_LINE = 8 * 1024


class Excess(Enum):
    """Why a message is not taken, as the answer at its end says it."""

    LONG_LINE = "500 Line too long (see RFC5321 4.5.3.1.6)"
    MUCH_DATA = "552 Error: Too much mail data"
    MANY_LINES = f"550 5.6.0 not readable: there are more than {MOST_LINES} lines"
    LARGE_HEADERS = f"550 5.6.0 not readable: the headers are larger than {LARGEST_HEADERS} bytes"


@dataclass(slots=True)
class Content:
    """A message that arrives line by line; of one with an excess nothing is kept.

    Lines and the header block are bounded as `within_limits` bounds them later, so that nobody
    can make us hold what would be refused in the end.
    """

    excess: Excess | None = None
    _data: bytearray = field(default_factory=bytearray)
    _arrived: int = 0
    _lines: int = 0
    _headers: int = 0
    _is_in_headers: bool = True

    def add_line(self, line: bytes) -> None:
        """Take a whole line with its CR LF and, if it begins with a dot, one dot more than it has.

        RFC 5321, section 4.5.2.
        """
        self._arrived += len(line)
        self._lines += 1
        if self._is_in_headers:
            self._is_in_headers = line != b"\r\n" or self._lines == 1
            self._headers += len(line) - 1
        if self._arrived > LARGEST_MAIL:
            self.refuse(Excess.MUCH_DATA)
        elif len(line) > LONGEST_LINE:
            self.refuse(Excess.LONG_LINE)
        elif self._lines > MOST_LINES:
            self.refuse(Excess.MANY_LINES)
        elif self._is_in_headers and self._headers > LARGEST_HEADERS + 1:
            self.refuse(Excess.LARGE_HEADERS)
        if not self.excess:
            self._data += line[1:] if line.startswith(b".") else line

    def refuse(self, excess: Excess) -> None:
        """Keep nothing of the message, for this reason unless there was one before."""
        self.excess = self.excess or excess
        self._data = bytearray()

    def bytes(self) -> bytes:
        """Return the message."""
        return bytes(self._data)

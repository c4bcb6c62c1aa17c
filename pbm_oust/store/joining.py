"""A history as its file and what waits for it say together. Pure.

Lines that are in the file already are known by the number and the message key of their records; a
header by its own message key. Of the file, an unfinished last line and the NULs that a power cut
leaves do not count.
"""

import re
from dataclasses import dataclass

from pbm_oust.board.rename import with_other_userid
from pbm_oust.store.waiting import Lines, Waiting

_CHALLENGE = re.compile(rb"^# challenge [0-9a-f]{16}$", re.MULTILINE)
_OWNERS = (b"X: ", b"O: ")


@dataclass(frozen=True, slots=True)
class Joined:
    """A file and what waits for it."""

    whole: int
    """How many bytes of the file count."""
    missing: bytes
    """What the file lacks. It goes behind what counts, once all rewritings are done."""
    content: bytes
    """The history as it stands: rewritten, and with what the file lacks."""


def join(data: bytes, waiting: Waiting) -> Joined:
    """Return what the bytes of a file, none where there is no file, and what waits for it say."""
    whole = _whole_length(data, waiting)
    content, missing = _joined(data[:whole], waiting)
    return Joined(whole, missing, content)


def _joined(whole: bytes, waiting: Waiting) -> tuple[bytes, bytes]:
    """Return whole lines with what waits for them, and the part of it that they lack."""
    content, missing = whole, b""
    for rewriting in waiting.rewritings:
        content = with_other_userid(content, rewriting.old, rewriting.new)
    for lines in waiting.lines:
        lacking = _lacking(content, lines)
        content += lacking
        missing += lacking
    return content, missing


def _lacking(content: bytes, lines: Lines) -> bytes:
    """Return those of some lines that a history does not have."""
    text, wanted = lines.text, _lines(lines.text)
    if lines.record == 0:
        if text.startswith(content):
            return text[len(content) :]
        if not _has_header(content, text):
            return text
        behind = _lines(text.partition(b"\n\n")[2])
        wanted = [line for line in behind if not line.startswith(b"#")]
    known = {_identity(line) for line in _lines(content)}
    return b"".join(b"%b\n" % line for line in wanted if _identity(line) not in known)


def _lines(text: bytes) -> list[bytes]:
    return text.split(b"\n")[:-1]


def _identity(line: bytes) -> tuple[bytes, ...]:
    """Return the number and the message key of a record, or the words of another line."""
    words = tuple(line.split())
    return (words[0], words[-1]) if len(words) > 1 and words[0].isdigit() else words


def _has_header(content: bytes, text: bytes) -> bool:
    """Return whether a history begins as a text does, the userids of the owners aside."""
    challenge = _CHALLENGE.search(text)
    if challenge and challenge[0] in _lines(content):
        return True
    return _header(content) == _header(text)


def _header(content: bytes) -> list[bytes]:
    lines = content.partition(b"\n\n")[0].split(b"\n")
    return [line for line in lines if not line.startswith(_OWNERS)]


def _whole_length(data: bytes, waiting: Waiting) -> int:
    """Return how many bytes of a file count: those of its whole lines.

    A power cut may leave NULs in the place of any part of the lines that were being appended. They
    end what counts where the rest of the file says nothing but what waits.
    """
    end = len(data.rstrip(b"\0"))
    whole = data.rfind(b"\n", 0, end) + 1
    first = data.find(b"\0", 0, whole)
    if first < 0:
        return whole
    start = data.rfind(b"\n", 0, first) + 1
    _, missing = _joined(data[:start], waiting)
    rest = data[start:end]
    is_torn = len(rest) <= len(missing) and all(
        byte in (0, wanted) for byte, wanted in zip(rest, missing, strict=False)
    )
    return start if is_torn else whole

"""A history as its file and what waits for it together say. Pure.

Lines that are already in the file are recognised by the number and message key of their records, a
header by its own message key. An unfinished last line in the file, and NULs that a power cut has
left, do not count.
"""

import re

from pbm_oust.board.rename import with_other_userid
from pbm_oust.frozen import frozen
from pbm_oust.regex import regex
from pbm_oust.store.waiting import Lines, Waiting

_CHALLENGE = regex(rb"^# challenge [0-9a-f]{16}$", re.MULTILINE)
_OWNERS = (b"X: ", b"O: ")


@frozen
class Joined:
    """A file and what waits for it."""

    whole: int
    """How many bytes of the file count."""
    missing: bytes
    """What the file lacks. It follows what counts, once all rewritings are done."""
    content: bytes
    """The history: rewritten, and with what the file lacks."""


def join(data: bytes, waiting: Waiting) -> Joined:
    """Return what the bytes of a file (empty if it is missing) and what waits for it say."""
    whole = _whole_length(data, waiting)
    content, missing = _joined(data[:whole], waiting)
    return Joined(whole, missing, content)


def _joined(whole: bytes, waiting: Waiting) -> tuple[bytes, bytes]:
    """Return whole lines joined with what waits, and what they lack of it."""
    content, missing = whole, b""
    for rewriting in waiting.rewritings:
        content = with_other_userid(content, rewriting.old, rewriting.new)
    for lines in waiting.lines:
        lacking = _lacking(content, lines)
        content += lacking
        missing += lacking
    return content, missing


def _lacking(content: bytes, lines: Lines) -> bytes:
    """Return those lines that a history does not have."""
    if lines.record > 1 and _last_record(content) == lines.record - 1:
        return lines.text
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


def _last_record(content: bytes) -> int:
    """Return the number of the record that is the last line of a history; 0 for another line."""
    last = content[content.rfind(b"\n", 0, -1) + 1 :].split()
    return int(last[0]) if len(last) > 1 and last[0].isdigit() else 0


def _lines(text: bytes) -> list[bytes]:
    return text.split(b"\n")[:-1]


def _identity(line: bytes) -> tuple[bytes, ...]:
    """Return the number and the message key of a record, or the words of another line."""
    words = tuple(line.split())
    return (words[0], words[-1]) if len(words) > 1 and words[0].isdigit() else words


def _has_header(content: bytes, text: bytes) -> bool:
    """Return whether a history begins like a text, apart from the userids of the owners."""
    challenge = _CHALLENGE.search(text)
    if challenge and challenge[0] in _lines(content):
        return True
    return _header(content) == _header(text)


def _header(content: bytes) -> list[bytes]:
    lines = content.partition(b"\n\n")[0].split(b"\n")
    return [line for line in lines if not line.startswith(_OWNERS)]


def _whole_length(data: bytes, waiting: Waiting) -> int:
    """Return how many bytes of a file count: those of its whole lines.

    A power cut may leave NULs in place of any part of the lines that were being appended. What
    counts ends at the NULs, if the rest of the file only repeats what waits.
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

"""The log of the program: one line an entry, to standard error or systemd's journal."""

import json
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from errno import EMFILE, ENFILE
from functools import partial
from types import TracebackType

from pbm_oust.accounts.address import without_addresses
from pbm_oust.render.entry import LogEntry
from pbm_oust.render.visible import visible_json, visible_line, visible_text
from pbm_oust.store.configuration import LogForm

log = logging.getLogger("pbm_oust")

_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


_harmless = partial(without_addresses, instead="(address)")


def _entry_of(record: logging.LogRecord) -> LogEntry | None:
    """Return the words of an entry; None if it is a sentence."""
    only = record.args[0] if isinstance(record.args, tuple) and len(record.args) == 1 else None
    return only if isinstance(only, LogEntry) else None


class LogFormatter(logging.Formatter):
    """The form of a log entry: one line that steers no terminal and names no address.

    Quoted words, such as the reasons of other mail servers, are made harmless, too. The lines of a
    traceback are indented, so that none of them passes for an entry.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """Return the line of an entry."""
        entry = _entry_of(record)
        record.message = str(entry.mapped(_harmless)) if entry else _harmless(record.message)
        return visible_line(super().formatMessage(record))

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - logging's own name
        """Return the traceback of an error."""
        shown = visible_text(_harmless(super().formatException(ei)))
        return "\n".join(f"    {line}" for line in shown.split("\n"))


_PRIORITIES = {logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
"""The priorities of syslog (RFC 5424, section 6.2.1) for levels; 6 for all others."""


class JsonFormatter(logging.Formatter):
    """The form of a log entry for programs that collect them: one line with an object of JSON.

    It has the words of what is logged as words, or else `message`.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return an entry."""
        entry = _entry_of(record)
        told = (
            entry.mapped(_harmless).words if entry else {"message": _harmless(record.getMessage())}
        )
        at = datetime.fromtimestamp(record.created, UTC)
        found: dict[str, str | int] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            **{key: word for key, word in told.items() if word != ""},
        }
        if record.exc_info:
            found["traceback"] = _harmless(self.formatException(record.exc_info))
        return visible_json(json.dumps(found))


class JournalFormatter(logging.Formatter):
    """The form of a log entry for systemd's journal: a priority before each line.

    The journal has the time itself, and tells entries apart by priority: see sd-daemon(3).
    """

    def __init__(self, form: logging.Formatter) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """Return an entry."""
        priority = _PRIORITIES.get(record.levelno, 6)
        return "\n".join(f"<{priority}>{line}" for line in self._form.format(record).split("\n"))


def _is_journal() -> bool:
    """Return whether standard error leads to systemd's journal, as JOURNAL_STREAM says."""
    with suppress(OSError):
        there = os.fstat(2)
        return os.environ.get("JOURNAL_STREAM") == f"{there.st_dev}:{there.st_ino}"
    return False


REPEATED = 60.0
"""Seconds in which an event loop tells of the same trouble once."""
MOST_TOLD = 100
"""How many troubles are remembered."""


class Repetitions(logging.Filter):
    """Lets what an event loop reports again and again through once a minute, with its count.

    Without a file descriptor, asyncio reports each connection that it cannot accept. That is told
    without a traceback, and so is all else from the second time on.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._told = dict[str, float]()
        self._unsaid = dict[str, int]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is told; one that comes again is a line without a traceback."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return True
        what = f"{record.getMessage().partition('(')[0]}: {error}"
        now = self._clock()
        if now < self._told.get(what, now - REPEATED) + REPEATED:
            self._unsaid[what] = self._unsaid.get(what, 0) + 1
            return False
        if len(self._told) > MOST_TOLD:
            self._told.clear()
        again = self._unsaid.pop(what, 0)
        is_known = what in self._told or getattr(error, "errno", None) in (EMFILE, ENFILE)
        self._told[what] = now
        if is_known:
            record.msg = f"{what}; {again} times more since it was told" if again else what
            record.args = record.exc_info = record.exc_text = None
        return True


def start_log(form: LogForm = LogForm.TEXT) -> None:
    """Log to standard error.

    Libraries log only warnings, which hold no mail; uvicorn, which warns of what clients do wrong,
    only errors.
    """
    logging.getLogger("asyncio").addFilter(Repetitions())
    handler, is_journal = logging.StreamHandler(), _is_journal()
    entry = "%(levelname)s %(message)s"
    text = LogFormatter(entry if is_journal else f"%(asctime)s {entry}")
    told = text if form is LogForm.TEXT else JsonFormatter()
    handler.setFormatter(JournalFormatter(told) if is_journal else told)
    logging.basicConfig(handlers=[handler], level=logging.INFO)
    for library in ("mail.log", "mail.debug", "asyncio"):
        logging.getLogger(library).setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
